package dev.slipway.ota.core.format;

import dev.slipway.ota.core.base.JsonObject;

/**
 * A launch: the version that it served, and the token that confirms it. The document that it served has it as {@code
 * globalThis.slipwayLaunch}, frozen, before any script of its own runs (NAT-7).
 *
 * @param name the bundle's name
 * @param version {@code v<N>} or {@code embedded}
 * @param token given back by the confirmation
 */
public record Launch(String name, String version, String token) {
    /** Spelling for the bridge. */
    public JsonObject toJson() {
        return withoutToken().put("token", token);
    }

    /** Returns it without the token: where only the documents know whose token is whose. */
    public JsonObject withoutToken() {
        return new JsonObject().put("name", name).put("version", version);
    }
}
