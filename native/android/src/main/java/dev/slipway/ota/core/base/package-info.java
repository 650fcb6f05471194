/** What every area needs: as lib/core, and only of it what a phone needs. */
package dev.slipway.ota.core.base;
