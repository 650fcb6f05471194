package dev.slipway.ota.core.base;

/** A JSON string. */
public record JsonString(String value) implements JsonValue {
    @Override
    public String toString() {
        return JsonText.quote(value);
    }
}
