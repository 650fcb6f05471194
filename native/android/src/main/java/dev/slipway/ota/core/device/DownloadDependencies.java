package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.Cancel;
import dev.slipway.ota.core.ports.Clock;
import dev.slipway.ota.core.ports.Http;

/**
 * What a download works with.
 *
 * @param stallMs the longest that a server may send nothing
 */
record DownloadDependencies(Http http, Clock clock, long stallMs, Cancel cancel) {
    /** The same, which {@code other} ends as well. */
    DownloadDependencies endedBy(Cancel other) {
        return new DownloadDependencies(http, clock, stallMs, new Cancel(cancel, other));
    }
}
