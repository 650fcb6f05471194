package dev.slipway.ota.core.ports;

import org.jspecify.annotations.Nullable;

/** A request that got no answer, or whose answer broke off. */
public class NetworkError extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public NetworkError(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
