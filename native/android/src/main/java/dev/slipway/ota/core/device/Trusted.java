package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.Bytes;
import dev.slipway.ota.core.base.JsonObject;
import dev.slipway.ota.core.base.JsonValue;
import dev.slipway.ota.core.base.Limits;
import dev.slipway.ota.core.base.Result;
import dev.slipway.ota.core.base.Sha256;
import dev.slipway.ota.core.format.BinaryBundle;
import dev.slipway.ota.core.format.ContentRef;
import dev.slipway.ota.core.format.Release;
import org.jspecify.annotations.Nullable;

/**
 * The device's own look at a release, for apps whose binary holds the public key: what a script that was
 * injected into the page asks for is staged and activated only when a signed release says so (NAT-6).
 * The client has looked before; nothing of its answer is taken over. What is refused is {@code untrusted}.
 */
public final class Trusted {
    private Trusted() {}

    /**
     * Reads the release that a request carries.
     *
     * @param text the text of {@code release.json} as it was fetched; anything else is refused
     * @param minSequence the sequence that the device has accepted for that app and channel (REL-6)
     */
    public static Result<Release> readTrusted(TrustedReleases trusted, @Nullable JsonValue text, long minSequence) {
        String release = JsonValue.textOf(text);
        if (release == null) return refuse("the request has no text of it, expected `release`");
        byte[] bytes = Bytes.encodeUtf8(release);
        if (bytes.length > Limits.RELEASE_BYTES) {
            return refuse("it has " + bytes.length + " bytes, expected at most " + Limits.RELEASE_BYTES);
        }
        Result<JsonObject> record = Release.readRecord(bytes);
        if (!record.isOk()) return refuse(record.error().message());
        if (!Release.isSigned(record.value(), trusted.publicKey(), trusted.ed25519())) {
            return refuse("it is not signed by the key in this app");
        }
        Result<Release> parsed = Release.parseRelease(record.value(), trusted.target());
        if (!parsed.isOk()) return refuse(parsed.error().message());
        Result<Void> order = Release.checkSequence(parsed.value().sequence(), minSequence);
        return order.isOk() ? parsed : refuse(order.error().message());
    }

    /**
     * Whether a release names that version, and that manifest, and does not take the app back to before
     * its binary unasked (CHECK-14).
     *
     * @param manifest the text of its manifest, where it is to be staged; else null
     * @param binary the bundle of that name in the app's binary
     */
    public static Result<Void> checkWanted(
            Release release, String name, String version, @Nullable String manifest, BinaryBundle binary) {
        String named = release.bundles().get(name);
        if (!version.equals(named)) {
            return refuse("it has " + (named == null ? "no version" : named) + " of " + name + ", not " + version);
        }
        if (binary.isOlderThanBinary(release, name)) {
            return refuse("its " + name + " " + version + " is older than what this app came with");
        }
        if (manifest == null) return Result.ok();
        byte[] bytes = Bytes.encodeUtf8(manifest);
        ContentRef ref = release.manifests().get(name);
        boolean isNamed =
                ref != null && ref.size() == bytes.length && ref.hash().equals(Sha256.hexOf(bytes));
        return isNamed ? Result.ok() : refuse("it names another manifest of " + name + " " + version);
    }

    /** Whether a release has that sequence. */
    public static Result<Void> checkWantedSequence(Release release, String app, String channel, long sequence) {
        boolean isSame =
                app.equals(release.app()) && channel.equals(release.channel()) && sequence == release.sequence();
        return isSame
                ? Result.ok()
                : refuse("it is " + release.app() + "/" + release.channel() + " " + release.sequence() + ", not " + app
                        + "/" + channel + " " + sequence);
    }

    private static <T> Result<T> refuse(String why) {
        return Result.fail(TrustFailureCode.UNTRUSTED, "Cannot trust the release: " + why);
    }
}
