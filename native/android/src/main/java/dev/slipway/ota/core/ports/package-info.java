/** What a platform supplies, behind small interfaces. The core knows nothing else of where it runs. */
@NullMarked
package dev.slipway.ota.core.ports;

import org.jspecify.annotations.NullMarked;
