/** The device: what lies on the phone's disk, and what changes it. vectors/DEVICE.md is its page. */
@NullMarked
package dev.slipway.ota.core.device;

import org.jspecify.annotations.NullMarked;
