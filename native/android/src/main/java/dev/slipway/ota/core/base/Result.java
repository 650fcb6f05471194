package dev.slipway.ota.core.base;

import org.jspecify.annotations.Nullable;

/** Outcome of a fallible operation: expected failures are values, throwing means a bug. */
public final class Result<T> {
    private final @Nullable T value;
    private final @Nullable Failure error;

    private Result(@Nullable T value, @Nullable Failure error) {
        this.value = value;
        this.error = error;
    }

    /** A success. */
    public static <T> Result<T> ok(T value) {
        return new Result<>(value, null);
    }

    /** A success without a value. */
    public static Result<Void> ok() {
        return new Result<>(null, null);
    }

    /** An expected failure. */
    public static <T> Result<T> err(Failure error) {
        return new Result<>(null, error);
    }

    /** Builds a {@link Failure} and wraps it. */
    public static <T> Result<T> fail(FailureCode code, String message) {
        return err(new Failure(code, message));
    }

    /** Builds a {@link Failure} with its next step and wraps it. */
    public static <T> Result<T> fail(FailureCode code, String message, String next) {
        return err(new Failure(code, message, next));
    }

    /** Discriminates a success from a failure. */
    public boolean isOk() {
        return error == null;
    }

    /** The value of a success; null only of a {@code Result<Void>}. */
    @SuppressWarnings("NullAway")
    public T value() {
        if (error != null) throw new IllegalStateException(error.message());
        return value;
    }

    /** The failure. */
    public Failure error() {
        if (error != null) return error;
        throw new IllegalStateException("a success");
    }
}
