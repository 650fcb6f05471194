package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.Cancel;
import dev.slipway.ota.core.ports.Clock;
import dev.slipway.ota.core.ports.Http;

/**
 * Dependencies of a download.
 *
 * @param stallMs the longest that a server may send nothing
 * @param maxRepeatedBytes the most bytes that starting again may cost; infinite without another source
 */
record DownloadDependencies(Http http, Clock clock, long stallMs, Cancel cancel, double maxRepeatedBytes) {
    /** The same, which {@code other} ends as well, beside another way. */
    DownloadDependencies endedBy(Cancel other, double most) {
        return new DownloadDependencies(http, clock, stallMs, new Cancel(cancel, other), most);
    }
}
