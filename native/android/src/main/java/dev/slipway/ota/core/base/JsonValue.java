package dev.slipway.ota.core.base;

import org.jspecify.annotations.Nullable;

/**
 * Any JSON value: {@link JsonObject}, {@link JsonArray}, {@link JsonString}, {@link JsonNumber},
 * {@link JsonBoolean} or {@link JsonNull}. What is absent is null. Its text is the one that
 * {@code JSON.stringify} gives.
 */
public interface JsonValue {
    /** The member of an object; null when it has none, and of anything else. */
    static @Nullable JsonValue memberOf(@Nullable JsonValue value, String name) {
        return value instanceof JsonObject object ? object.get(name) : null;
    }

    /** A text; null of anything else. */
    static @Nullable String textOf(@Nullable JsonValue value) {
        return value instanceof JsonString text ? text.value() : null;
    }

    /** The text of a member; null when it is anything else. */
    static @Nullable String textOf(@Nullable JsonValue value, String member) {
        return textOf(memberOf(value, member));
    }

    /** A whole number within ±(2^53−1); null of anything else. */
    static @Nullable Long integerOf(@Nullable JsonValue value) {
        return value instanceof JsonNumber number && number.isSafeInteger() ? (long) number.value() : null;
    }

    /** Whether it is exactly that boolean. */
    static boolean is(@Nullable JsonValue value, boolean expected) {
        return value instanceof JsonBoolean found && found.value() == expected;
    }
}
