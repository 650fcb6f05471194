package dev.slipway.ota.core.base;

/** Outcome of a fallible operation: expected failures are values, throwing means a bug. */
public final class Result<T> {
    private final T value;
    private final Failure error;

    private Result(T value, Failure error) {
        this.value = value;
        this.error = error;
    }

    /** A success; the value may be null where there is nothing to say. */
    public static <T> Result<T> ok(T value) {
        return new Result<>(value, null);
    }

    /** An expected failure. */
    public static <T> Result<T> err(Failure error) {
        return new Result<>(null, error);
    }

    /** Builds a {@link Failure} and wraps it. */
    public static <T> Result<T> fail(String code, String message) {
        return err(new Failure(code, message));
    }

    /** Builds a {@link Failure} with its next step and wraps it. */
    public static <T> Result<T> fail(String code, String message, String next) {
        return err(new Failure(code, message, next));
    }

    /** Discriminates a success from a failure. */
    public boolean isOk() {
        return error == null;
    }

    /** What was asked for, of a success. */
    public T value() {
        if (error != null) throw new IllegalStateException(error.message());
        return value;
    }

    /** What went wrong; null of a success. */
    public Failure error() {
        return error;
    }
}
