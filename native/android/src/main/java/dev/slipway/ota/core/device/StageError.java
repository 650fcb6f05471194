package dev.slipway.ota.core.device;

import dev.slipway.ota.core.format.StageFailureCode;
import org.jspecify.annotations.Nullable;

/** Ends an operation of the device; a staging answers it, what has no answer throws it. */
public final class StageError extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public final StageFailureCode code;
    /** The message: finding and expectation. */
    public final String detail;

    public StageError(StageFailureCode code, String detail) {
        this(code, detail, null);
    }

    public StageError(StageFailureCode code, String detail, @Nullable Throwable cause) {
        super(detail, cause);
        this.code = code;
        this.detail = detail;
    }
}
