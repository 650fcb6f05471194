/** Zip archives, as lib/archive reads them: whole by their directory, or forward while they come in. */
@NullMarked
package dev.slipway.ota.core.archive;

import org.jspecify.annotations.NullMarked;
