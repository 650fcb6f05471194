/** The Capacitor plugin: what Android supplies to the core, the boot hook, and the bridge to JavaScript. */
package dev.slipway.ota;
