/** What every area needs: as lib/core, and only of it what a phone needs. */
@NullMarked
package dev.slipway.ota.core.base;

import org.jspecify.annotations.NullMarked;
