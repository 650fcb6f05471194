/** The Capacitor plugin: what Android supplies to the core, the boot hook, and the bridge to JavaScript. */
@NullMarked
package dev.slipway.ota;

import org.jspecify.annotations.NullMarked;
