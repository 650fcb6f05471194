/** The update records: their shapes, their canonical bytes, their signatures (lib/ota-format). */
@NullMarked
package dev.slipway.ota.core.format;

import org.jspecify.annotations.NullMarked;
