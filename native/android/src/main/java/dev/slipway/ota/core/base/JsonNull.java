package dev.slipway.ota.core.base;

/** JSON's {@code null}. */
public enum JsonNull implements JsonValue {
    NULL;

    @Override
    public String toString() {
        return "null";
    }
}
