package dev.slipway.ota.core.format;

import dev.slipway.ota.core.base.Bytes;
import dev.slipway.ota.core.base.JsonObject;
import dev.slipway.ota.core.base.JsonText;
import dev.slipway.ota.core.base.JsonValue;
import dev.slipway.ota.core.base.Limits;
import dev.slipway.ota.core.base.Members;
import dev.slipway.ota.core.base.Paths;
import dev.slipway.ota.core.base.Result;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code manifest.json}: what one version of a bundle consists of (MAN-1).
 *
 * @param name the bundle's name
 * @param version {@code v<N>}; in an embedded manifest also {@code embedded}
 * @param engineApi the engine API level that it needs
 * @param files path to content
 * @param bundleZip the whole bundle as one archive, for devices with nothing to build on; null when none
 */
public record Manifest(
        String name,
        String version,
        long engineApi,
        Members<ContentRef> files,
        @Nullable ContentRef bundleZip) {
    /** The sentinel that names the bundle inside the app binary where a version may stand. */
    public static final String EMBEDDED = "embedded";

    /** The members of a manifest, embedded or not, that this version knows (REL-7). */
    private static final List<String> MEMBERS = Arrays.asList(
            "schema",
            "name",
            "version",
            "engineApi",
            "files",
            "bundleZip",
            "app",
            "channel",
            "sequence",
            "published",
            "released",
            "critical");

    /**
     * Reads the bytes of a manifest that was asked for by name and version.
     *
     * @return {@code not-json}, {@code unsupported} (REL-7), {@code malformed} (MAN-1),
     *     {@code wrong-bundle} (MAN-2), {@code path} (MAN-3), {@code over-limit} (MAN-4) or
     *     {@code no-files} (MAN-5)
     */
    public static Result<Manifest> parseManifest(byte[] bytes, String name, String version) {
        return parseManifest(readObject(bytes), name, version);
    }

    /** Reads the text of a manifest, as {@link #parseManifest(byte[], String, String)} its bytes. */
    public static Result<Manifest> parseManifest(String text, String name, String version) {
        return parseManifest(readObject(text), name, version);
    }

    private static Result<Manifest> parseManifest(Result<JsonObject> read, String name, String version) {
        if (!read.isOk()) return Result.err(read.error());
        JsonValue isName = read.value().get("name");
        JsonValue isVersion = read.value().get("version");
        if (!name.equals(JsonValue.textOf(isName)) || !version.equals(JsonValue.textOf(isVersion))) {
            return refuse(
                    ManifestFailureCode.WRONG_BUNDLE,
                    "it is for " + JsonText.shown(isName) + " " + JsonText.shown(isVersion) + ", expected "
                            + JsonText.quote(name) + " " + JsonText.quote(version));
        }
        return readManifest(read.value(), name, version);
    }

    /**
     * Checks a manifest by the rules of paths and sizes.
     *
     * @return {@code no-files} (MAN-5), {@code path} (MAN-3) or {@code over-limit} (MAN-4)
     */
    static Result<Void> checkManifest(Manifest manifest) {
        if (manifest.files.isEmpty())
            return refuse(ManifestFailureCode.NO_FILES, "files is empty, expected at least one");
        Result<Void> paths = Paths.checkPathSet(manifest.files.keySet());
        if (!paths.isOk()) return refuse(ManifestFailureCode.PATH, paths.error().message());
        return checkSizes(manifest);
    }

    static Result<JsonObject> readObject(byte[] bytes) {
        if (!Limits.withinLimit(Limits.MANIFEST_BYTES, bytes.length)) return tooLong(bytes.length);
        return objectOf(CanonicalJson.parseStrictJsonBytes(bytes));
    }

    static Result<JsonObject> readObject(String text) {
        // A unit of UTF-16 takes at most three bytes: most texts are short enough whatever they hold.
        boolean mayBeLong = !Limits.withinLimit(Limits.MANIFEST_BYTES, 3L * text.length());
        int size = mayBeLong ? Bytes.encodeUtf8(text).length : text.length();
        if (!Limits.withinLimit(Limits.MANIFEST_BYTES, size)) return tooLong(size);
        return objectOf(CanonicalJson.parseStrictJson(text));
    }

    private static Result<JsonObject> tooLong(int size) {
        return refuse(
                ManifestFailureCode.OVER_LIMIT, "it has " + size + " bytes, expected at most " + Limits.MANIFEST_BYTES);
    }

    private static Result<JsonObject> objectOf(Result<JsonValue> parsed) {
        if (!parsed.isOk())
            return refuse(ManifestFailureCode.NOT_JSON, parsed.error().message());
        return parsed.value() instanceof JsonObject object
                ? Result.ok(object)
                : refuse(ManifestFailureCode.MALFORMED, "it is not an object");
    }

    static Result<Manifest> readManifest(JsonObject record, String name, String version) {
        JsonValue schema = record.get("schema");
        if (!Release.isSchema(schema)) {
            return refuse(
                    ManifestFailureCode.MALFORMED,
                    "schema is " + JsonText.shown(schema) + ", expected " + Release.SCHEMA);
        }
        Result<Void> critical =
                Critical.checkCritical(record.get("critical"), MEMBERS, ManifestFailureCode.UNSUPPORTED);
        if (!critical.isOk()) return Result.err(critical.error());
        Long engineApi = Release.positiveIntegerOf(record.get("engineApi"));
        if (engineApi == null) {
            return refuse(ManifestFailureCode.MALFORMED, "engineApi is not a whole number >= 1");
        }
        if (!(record.get("files") instanceof JsonObject files)) {
            return refuse(ManifestFailureCode.MALFORMED, "files is not an object");
        }
        Members<ContentRef> refs = new Members<>();
        for (Map.Entry<String, JsonValue> file : files.members().entrySet()) {
            ContentRef ref = ContentRef.readContentRef(file.getValue());
            if (ref == null) {
                String path = JsonText.quote(Bytes.cut(file.getKey(), 80));
                return refuse(ManifestFailureCode.MALFORMED, "files[" + path + "] is not {hash, size}");
            }
            refs.put(file.getKey(), ref);
        }
        JsonValue bundleZip = record.get("bundleZip");
        ContentRef zip = ContentRef.readContentRef(bundleZip);
        if (bundleZip != null && zip == null)
            return refuse(ManifestFailureCode.MALFORMED, "bundleZip is not {hash, size}");
        Manifest manifest = new Manifest(name, version, engineApi, refs, zip);
        Result<Void> checked = checkManifest(manifest);
        return checked.isOk() ? Result.ok(manifest) : Result.err(checked.error());
    }

    private static Result<Void> checkSizes(Manifest manifest) {
        int count = manifest.files.size();
        if (!Limits.withinLimit(Limits.BUNDLE_FILES, count)) {
            return refuse(
                    ManifestFailureCode.OVER_LIMIT,
                    "it has " + count + " files, expected at most " + Limits.BUNDLE_FILES);
        }
        long total = 0;
        for (Map.Entry<String, ContentRef> file : manifest.files.entrySet()) {
            long size = file.getValue().size();
            if (!Limits.withinLimit(Limits.FILE_BYTES, size)) {
                return refuse(
                        ManifestFailureCode.OVER_LIMIT,
                        JsonText.quote(file.getKey()) + " has " + size + " bytes, expected at most "
                                + Limits.FILE_BYTES);
            }
            total += size;
        }
        long zip = manifest.bundleZip == null ? 0 : manifest.bundleZip.size();
        long most = Math.max(total, zip);
        return Limits.withinLimit(Limits.BUNDLE_BYTES, most)
                ? Result.ok()
                : refuse(
                        ManifestFailureCode.OVER_LIMIT,
                        "the bundle has " + most + " bytes, expected at most " + Limits.BUNDLE_BYTES);
    }

    static <T> Result<T> refuse(ManifestFailureCode code, String found) {
        return Result.fail(code, "Cannot use the manifest: " + found);
    }
}
