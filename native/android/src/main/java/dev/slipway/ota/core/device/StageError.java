package dev.slipway.ota.core.device;

/** Ends an operation of the device; a staging answers it, what has no answer throws it. */
public final class StageError extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** A {@code StageFailureCode} of lib/ota-format/native.ts: {@code download}, {@code invalid}, … */
    public final String code;

    public StageError(String code, String detail) {
        this(code, detail, null);
    }

    public StageError(String code, String detail, Throwable cause) {
        super(detail, cause);
        this.code = code;
    }
}
