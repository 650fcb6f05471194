/** Zip archives, as lib/archive reads them: whole by their directory, or forward while they come in. */
package dev.slipway.ota.core.archive;
