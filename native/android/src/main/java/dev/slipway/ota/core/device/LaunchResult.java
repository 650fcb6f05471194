package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.JsonObject;

/**
 * A launch as the boot hook decided it.
 *
 * @param target what to serve
 * @param token confirms this launch, once it is fully booted
 */
public record LaunchResult(BootTarget target, String token) {
    /** As the other languages tell it. */
    public JsonObject toJson() {
        return new JsonObject().put("target", target.toJson()).put("token", token);
    }
}
