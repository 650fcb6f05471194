package dev.slipway.ota.core.format;

import dev.slipway.ota.core.base.JsonValue;
import dev.slipway.ota.core.base.Sha256;
import org.jspecify.annotations.Nullable;

/**
 * Bytes named by their content.
 *
 * @param hash SHA-256: 64 lower-case hexadecimal digits
 * @param size bytes
 * @param served bytes as they are served, where they are stored under a content coding (REL-8); else null
 */
public record ContentRef(String hash, long size, @Nullable Long served) {
    /** Reads {@code {hash, size, served?}}; null when it is anything else. */
    public static @Nullable ContentRef readContentRef(@Nullable JsonValue value) {
        String hash = JsonValue.textOf(value, "hash");
        Long size = JsonValue.integerOf(JsonValue.memberOf(value, "size"));
        if (hash == null || !Sha256.isSha256Hex(hash) || size == null || size < 0) return null;
        JsonValue named = JsonValue.memberOf(value, "served");
        Long served = Release.positiveIntegerOf(named);
        return named != null && served == null ? null : new ContentRef(hash, size, served);
    }
}
