package dev.slipway.ota.core.ports;

import dev.slipway.ota.core.base.Cancel;
import dev.slipway.ota.core.base.Cancelled;

/** Time, injected so that no test waits for it. */
public interface Clock {
    /** Milliseconds since the epoch: for records, never for measuring. */
    long now();

    /** Milliseconds of a clock that never goes back. */
    long monotonic();

    /** Returns after {@code ms}; throws {@link Cancelled} as soon as it is cancelled. */
    void sleep(long ms, Cancel cancel);
}
