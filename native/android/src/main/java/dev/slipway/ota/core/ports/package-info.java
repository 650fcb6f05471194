/** Small interfaces that a platform implements. The core knows nothing else of the platform. */
@NullMarked
package dev.slipway.ota.core.ports;

import org.jspecify.annotations.NullMarked;
