package dev.slipway.ota.core.base;

import java.util.List;

/** A JSON array. */
public record JsonArray(List<JsonValue> items) implements JsonValue {
    @Override
    public String toString() {
        return JsonText.stringify(this);
    }
}
