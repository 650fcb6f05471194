package dev.slipway.ota.core.base;

import org.jspecify.annotations.Nullable;

/**
 * An expected failure in words.
 *
 * @param code which failure, for programs
 * @param message what was done, found and expected, for people
 * @param next what to do about it; null when nothing is to be said
 */
public record Failure(
        FailureCode code, String message, @Nullable String next) {
    public Failure(FailureCode code, String message) {
        this(code, message, null);
    }
}
