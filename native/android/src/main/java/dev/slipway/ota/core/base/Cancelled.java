package dev.slipway.ota.core.base;

/** Work that was given up because its {@link Cancel} said so. */
public final class Cancelled extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public Cancelled() {
        super("It was cancelled");
    }
}
