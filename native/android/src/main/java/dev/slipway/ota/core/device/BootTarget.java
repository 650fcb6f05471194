package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * Bundle that the boot hook serves.
 *
 * @param version {@code v<N>}; null for the embedded bundle
 */
public record BootTarget(@Nullable String version) {
    /** The bundle in the app binary. */
    public static final BootTarget EMBEDDED = new BootTarget(null);

    /** A staged version. */
    public static BootTarget version(String version) {
        return new BootTarget(version);
    }

    public boolean isEmbedded() {
        return version == null;
    }

    /** The target as the bridge and the vectors report it. */
    public JsonObject toJson() {
        return new JsonObject()
                .put("kind", isEmbedded() ? "embedded" : "version")
                .put("version", version);
    }
}
