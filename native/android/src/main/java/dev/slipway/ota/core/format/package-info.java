/** The update records: their shapes, their canonical bytes, their signatures (lib/ota-format). */
package dev.slipway.ota.core.format;
