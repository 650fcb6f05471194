package dev.slipway.ota.core.base;

/** JSON's {@code true} and {@code false}. */
public enum JsonBoolean implements JsonValue {
    TRUE,
    FALSE;

    public static JsonBoolean of(boolean value) {
        return value ? TRUE : FALSE;
    }

    public boolean value() {
        return this == TRUE;
    }

    @Override
    public String toString() {
        return value() ? "true" : "false";
    }
}
