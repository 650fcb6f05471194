/** The device: what lies on the phone's disk, and what changes it. vectors/DEVICE.md is its page. */
package dev.slipway.ota.core.device;
