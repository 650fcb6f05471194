package dev.slipway.ota.core.ports;

/** A request that got no answer, or whose answer broke off. */
public class NetworkError extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public NetworkError(String message, Throwable cause) {
        super(message, cause);
    }
}
