package dev.slipway.ota.core.ports;

import org.jspecify.annotations.Nullable;

/** Nothing came for as long as was waited. */
public final class TimedOut extends NetworkError {
    private static final long serialVersionUID = 1L;

    public TimedOut(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
