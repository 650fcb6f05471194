package dev.slipway.ota.core.base;

import org.jspecify.annotations.Nullable;

/** A JSON object. */
public record JsonObject(Members<JsonValue> members) implements JsonValue {
    public JsonObject() {
        this(new Members<>());
    }

    /** A member; null when absent. */
    public @Nullable JsonValue get(String name) {
        return members.get(name);
    }

    /** Sets a member of an object that is being built; null is left out. */
    public JsonObject put(String name, @Nullable JsonValue value) {
        if (value != null) members.put(name, value);
        return this;
    }

    /** Sets a member of an object that is being built; null is left out. */
    public JsonObject put(String name, @Nullable String value) {
        return put(name, value == null ? null : new JsonString(value));
    }

    /** Sets a member of an object that is being built. */
    public JsonObject put(String name, long value) {
        return put(name, new JsonNumber(value));
    }

    /** Sets a member of an object that is being built. */
    public JsonObject put(String name, boolean value) {
        return put(name, JsonBoolean.of(value));
    }

    @Override
    public String toString() {
        return JsonText.stringify(this);
    }
}
