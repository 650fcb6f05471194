/** HTTP by what every Java platform has. */
package dev.slipway.ota.core.http;
