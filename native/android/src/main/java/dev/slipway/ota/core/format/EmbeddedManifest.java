package dev.slipway.ota.core.format;

import dev.slipway.ota.core.base.JsonNumber;
import dev.slipway.ota.core.base.JsonObject;
import dev.slipway.ota.core.base.JsonText;
import dev.slipway.ota.core.base.JsonValue;
import dev.slipway.ota.core.base.Paths;
import dev.slipway.ota.core.base.Result;
import dev.slipway.ota.core.base.Sha256;
import org.jspecify.annotations.Nullable;

/**
 * {@code ota-embedded-manifest.json}: the manifest of the bundle in the app binary, and its place in
 * time.
 *
 * @param manifest what it consists of
 * @param app which game
 * @param channel which line of releases
 * @param sequence the lowest sequence that this binary accepts; 0 when it was built before any release
 * @param published the hash of this version's released manifest, which names the very same files
 *     (MAN-6); null when it names none
 * @param released the version of this bundle that was released when the binary was built (MAN-7); null
 *     when none was
 */
public record EmbeddedManifest(
        Manifest manifest,
        String app,
        String channel,
        long sequence,
        @Nullable String published,
        @Nullable String released) {
    /**
     * Reads an embedded manifest; {@code app}, {@code channel} and {@code sequence} default to the first
     * release of all.
     *
     * @return as {@link Manifest#parseManifest(byte[], String, String)}, without {@code wrong-bundle}
     */
    public static Result<EmbeddedManifest> parseEmbeddedManifest(byte[] bytes) {
        Result<JsonObject> read = Manifest.readObject(bytes);
        if (!read.isOk()) return Result.err(read.error());
        JsonObject record = read.value();
        String name = JsonValue.textOf(record, "name");
        if (name == null || !Paths.isBundleName(name)) {
            return Manifest.refuse(ManifestFailureCode.MALFORMED, "name is not a bundle name");
        }
        String version = JsonValue.textOf(record, "version");
        if (version == null || !(Paths.isVersion(version) || version.equals(Manifest.EMBEDDED))) {
            String found = JsonText.shown(record.get("version"));
            return Manifest.refuse(
                    ManifestFailureCode.MALFORMED, "version is " + found + ", expected v<N> or \"embedded\"");
        }
        String app = nameOf(record, "app", Release.Target.DEFAULT.app());
        if (app == null) return Manifest.refuse(ManifestFailureCode.MALFORMED, "app is not a name");
        String channel = nameOf(record, "channel", Release.Target.DEFAULT.channel());
        if (channel == null) return Manifest.refuse(ManifestFailureCode.MALFORMED, "channel is not a name");
        JsonValue sequence = record.get("sequence");
        if (sequence == null) sequence = new JsonNumber(0);
        Long lowest = JsonValue.integerOf(sequence);
        if (lowest == null || lowest < 0) {
            return Manifest.refuse(ManifestFailureCode.MALFORMED, "sequence is not a whole number >= 0");
        }
        JsonValue published = record.get("published");
        String hash = JsonValue.textOf(published);
        if (published != null && (hash == null || !Sha256.isSha256Hex(hash))) {
            return Manifest.refuse(ManifestFailureCode.MALFORMED, "published is not a hash"); // MAN-6
        }
        JsonValue named = record.get("released");
        String released = JsonValue.textOf(named);
        if (named != null && (released == null || !Paths.isVersion(released))) {
            return Manifest.refuse(ManifestFailureCode.MALFORMED, "released is not a version"); // MAN-7
        }
        Result<Manifest> manifest = Manifest.readManifest(record, name, version);
        if (!manifest.isOk()) return Result.err(manifest.error());
        return Result.ok(new EmbeddedManifest(manifest.value(), app, channel, lowest, hash, released));
    }

    private static @Nullable String nameOf(JsonObject record, String member, String fallback) {
        if (record.get(member) == null) return fallback;
        String name = JsonValue.textOf(record, member);
        return name != null && Paths.isBundleName(name) ? name : null;
    }
}
