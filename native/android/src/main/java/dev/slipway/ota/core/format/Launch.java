package dev.slipway.ota.core.format;

import dev.slipway.ota.core.base.JsonObject;

/**
 * What a launch served, and the token that confirms it.
 *
 * @param name the bundle's name
 * @param version {@code v<N>} or {@code embedded}
 * @param token given back by the confirmation
 */
public record Launch(String name, String version, String token) {
    /** As the bridge takes it. */
    public JsonObject toJson() {
        return new JsonObject().put("name", name).put("version", version).put("token", token);
    }
}
