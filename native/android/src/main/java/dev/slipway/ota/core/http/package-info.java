/** HTTP by what every Java platform has. */
@NullMarked
package dev.slipway.ota.core.http;

import org.jspecify.annotations.NullMarked;
