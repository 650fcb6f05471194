/** The parts of lib/core that a phone needs, for every other area. */
@NullMarked
package dev.slipway.ota.core.base;

import org.jspecify.annotations.NullMarked;
