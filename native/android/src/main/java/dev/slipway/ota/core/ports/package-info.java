/** What a platform supplies, behind small interfaces. The core knows nothing else of where it runs. */
package dev.slipway.ota.core.ports;
