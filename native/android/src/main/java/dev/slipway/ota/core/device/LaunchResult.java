package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.JsonObject;

/**
 * A launch as the boot hook decided it.
 *
 * @param target what to serve
 * @param token confirms this launch, once it is fully booted
 * @param script what the document that is served runs before any script of its own: the launch as {@code
 *     globalThis.slipwayLaunch} (NAT-7); another document has another launch, or none
 */
public record LaunchResult(BootTarget target, String token, String script) {
    /** The result as the other languages report it. */
    public JsonObject toJson() {
        return new JsonObject()
                .put("target", target.toJson())
                .put("token", token)
                .put("script", script);
    }
}
