package dev.slipway.ota.jvm;

/** A vector that breaks the format: the runner ends with 2. */
final class UnreadableVector extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnreadableVector(String message) {
        super(message);
    }
}
