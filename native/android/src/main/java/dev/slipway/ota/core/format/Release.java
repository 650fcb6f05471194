package dev.slipway.ota.core.format;

import dev.slipway.ota.core.base.Bytes;
import dev.slipway.ota.core.base.JsonBoolean;
import dev.slipway.ota.core.base.JsonNumber;
import dev.slipway.ota.core.base.JsonObject;
import dev.slipway.ota.core.base.JsonText;
import dev.slipway.ota.core.base.JsonValue;
import dev.slipway.ota.core.base.Limits;
import dev.slipway.ota.core.base.Members;
import dev.slipway.ota.core.base.Paths;
import dev.slipway.ota.core.base.Result;
import dev.slipway.ota.core.ports.Ed25519;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code release.json} without its signature (REL-2).
 *
 * @param app which game this record is for
 * @param channel which line of releases: {@code production}, {@code beta}
 * @param sequence grows with every publish; the device refuses to go back (REL-6)
 * @param bundles bundle name to version
 * @param manifests bundle name to the manifest of that version
 * @param mandatory whether players must restart into it
 * @param minEngineApi the lowest engine API level of an app that may take any of its bundles
 * @param backTo bundle name to the version that it goes back to, also below what app binaries hold
 *     (REL-9)
 */
public record Release(
        String app,
        String channel,
        long sequence,
        Members<String> bundles,
        Members<ContentRef> manifests,
        boolean mandatory,
        long minEngineApi,
        Members<String> backTo) {
    /** The value of {@code schema} in every record (REL-2). */
    public static final long SCHEMA = 1;

    /** The members of {@code release.json} that this version knows (REL-7). */
    private static final List<String> MEMBERS = Arrays.asList(
            "schema",
            "app",
            "channel",
            "sequence",
            "bundles",
            "manifests",
            "mandatory",
            "minEngineApi",
            "backTo",
            "critical",
            "sig");

    /**
     * Which game and which line of releases the reader of a release expects it to be for.
     *
     * @param app which game
     * @param channel which line of releases
     */
    public record Target(String app, String channel) {
        /** The names used where a project says nothing (REL-3). */
        public static final Target DEFAULT = new Target("default", "production");
    }

    /**
     * Reads the bytes of {@code release.json} as a strict JSON object; nothing of it is trusted yet
     * (REL-1).
     *
     * @return {@code not-json} or {@code not-object}
     */
    public static Result<JsonObject> readRecord(byte[] bytes) {
        Result<JsonValue> parsed = CanonicalJson.parseStrictJsonBytes(bytes);
        if (!parsed.isOk())
            return Result.fail(ReleaseFailureCode.NOT_JSON, parsed.error().message());
        return parsed.value() instanceof JsonObject record
                ? Result.ok(record)
                : Result.fail(ReleaseFailureCode.NOT_OBJECT, "Cannot use the record: it is not an object");
    }

    /** Whether the record's own {@code sig} is a signature by {@code publicKey} over all other members. */
    public static boolean isSigned(JsonObject record, String publicKey, Ed25519 ed25519) {
        String sig = JsonValue.textOf(record, "sig");
        return sig != null && Signing.verifySignature(Signing.signedBytes(record), sig, publicKey, ed25519);
    }

    /**
     * Reads a record whose signature holds. Members that are not known are ignored, unless it says that
     * they are critical.
     *
     * @return {@code unknown-schema}, {@code unsupported}, {@code wrong-app}, {@code wrong-channel},
     *     {@code no-sequence}, {@code no-manifests} or {@code malformed}, the first of them in this order
     */
    public static Result<Release> parseRelease(JsonObject record, Target target) {
        if (!isSchema(record.get("schema")))
            return found(ReleaseFailureCode.UNKNOWN_SCHEMA, record, "schema", "" + SCHEMA);
        Result<Void> critical = Critical.checkCritical(record.get("critical"), MEMBERS, ReleaseFailureCode.UNSUPPORTED);
        if (!critical.isOk()) return Result.err(critical.error());
        if (!target.app().equals(JsonValue.textOf(record, "app"))) {
            return found(ReleaseFailureCode.WRONG_APP, record, "app", JsonText.quote(target.app()));
        }
        if (!target.channel().equals(JsonValue.textOf(record, "channel"))) {
            return found(ReleaseFailureCode.WRONG_CHANNEL, record, "channel", JsonText.quote(target.channel()));
        }
        Long sequence = positiveIntegerOf(record.get("sequence"));
        if (sequence == null) {
            return found(ReleaseFailureCode.NO_SEQUENCE, record, "sequence", "a whole number >= 1");
        }
        Members<ContentRef> refs = readManifestRefs(record.get("manifests"));
        if (refs == null) {
            return found(ReleaseFailureCode.NO_MANIFESTS, record, "manifests", "bundle names with {hash, size}");
        }
        Members<String> versions = readVersions(record.get("bundles"));
        if (versions == null) {
            return found(ReleaseFailureCode.MALFORMED, record, "bundles", "bundle names with versions v<N>");
        }
        if (!(record.get("mandatory") instanceof JsonBoolean mandatory)) {
            return found(ReleaseFailureCode.MALFORMED, record, "mandatory", "true or false");
        }
        Long minEngineApi = positiveIntegerOf(record.get("minEngineApi"));
        if (minEngineApi == null) {
            return found(ReleaseFailureCode.MALFORMED, record, "minEngineApi", "a whole number >= 1");
        }
        JsonValue backTo = record.get("backTo");
        Members<String> back = backTo == null ? new Members<>() : readVersions(backTo);
        if (back == null)
            return found(ReleaseFailureCode.MALFORMED, record, "backTo", "bundle names with versions v<N>");
        return Result.ok(new Release(
                target.app(), target.channel(), sequence, versions, refs, mandatory.value(), minEngineApi, back));
    }

    /**
     * Whether a device may accept a record after the one of sequence {@code minSequence} (REL-6): never
     * back, and not by a leap, so that one record with an absurd number cannot shut out all later ones.
     *
     * @return {@code replayed} or {@code sequence-jump}
     */
    public static Result<Void> checkSequence(long sequence, long minSequence) {
        if (sequence < minSequence) {
            return Result.fail(
                    ReleaseFailureCode.REPLAYED,
                    "The release has sequence " + sequence + ", this device has accepted " + minSequence);
        }
        if (sequence > minSequence + Limits.SEQUENCE_JUMP) {
            String ahead = "more than " + Limits.SEQUENCE_JUMP + " ahead of " + minSequence;
            return Result.fail(ReleaseFailureCode.SEQUENCE_JUMP, "The release has sequence " + sequence + ", " + ahead);
        }
        return Result.ok();
    }

    /** A whole number ≥ 1 that every language can hold exactly; null of anything else. */
    public static @Nullable Long positiveIntegerOf(@Nullable JsonValue value) {
        Long number = JsonValue.integerOf(value);
        return number != null && number >= 1 ? number : null;
    }

    static boolean isSchema(@Nullable JsonValue value) {
        return value instanceof JsonNumber number && number.value() == SCHEMA;
    }

    private static @Nullable Members<ContentRef> readManifestRefs(@Nullable JsonValue value) {
        if (!(value instanceof JsonObject object)) return null;
        Members<ContentRef> refs = new Members<>();
        for (Map.Entry<String, JsonValue> member : object.members().entrySet()) {
            ContentRef ref = ContentRef.readContentRef(member.getValue());
            if (!Paths.isBundleName(member.getKey()) || ref == null) return null;
            refs.put(member.getKey(), ref);
        }
        return refs;
    }

    private static @Nullable Members<String> readVersions(@Nullable JsonValue value) {
        if (!(value instanceof JsonObject object)) return null;
        Members<String> versions = new Members<>();
        for (Map.Entry<String, JsonValue> member : object.members().entrySet()) {
            String version = JsonValue.textOf(member.getValue());
            if (!Paths.isBundleName(member.getKey()) || version == null || !Paths.isVersion(version)) {
                return null;
            }
            versions.put(member.getKey(), version);
        }
        return versions;
    }

    private static Result<Release> found(ReleaseFailureCode code, JsonObject record, String member, String expected) {
        JsonValue value = record.get(member);
        String text = value == null ? "nothing" : Bytes.cut(value.toString(), 80);
        return Result.fail(code, "Cannot use the release: " + member + " is " + text + ", expected " + expected);
    }
}
