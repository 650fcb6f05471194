package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.JsonValue;
import dev.slipway.ota.core.base.Result;
import dev.slipway.ota.core.format.Release;
import dev.slipway.ota.core.format.StageFailureCode;
import org.jspecify.annotations.Nullable;

/**
 * Checks of requests by an app whose binary holds the public key (NAT-6). A refusal is thrown as
 * {@link StageError} {@code untrusted}.
 */
final class RequireTrusted {
    private RequireTrusted() {}

    /**
     * Refuses to stage or to activate what no release says.
     *
     * @param manifest the text of its manifest, where it is to be staged; else null
     */
    static void requireTrusted(
            Context context, JsonValue request, String name, String version, @Nullable String manifest) {
        Release release = releaseOf(context, request);
        if (release == null) return;
        granted(Trusted.checkWanted(release, name, version, manifest, Held.readBinary(context, name)));
    }

    /** Refuses to accept a sequence that no release has: it would shut out all that are published next. */
    static void requireTrustedSequence(Context context, JsonValue request, Requests.SequenceRequest asked) {
        Release release = releaseOf(context, request);
        if (release == null) return;
        granted(Trusted.checkWantedSequence(release, asked.app(), asked.channel(), asked.sequence()));
    }

    /** The release that came with a request; null where the device does not look at one. */
    private static @Nullable Release releaseOf(Context context, JsonValue request) {
        TrustedReleases trusted = context.options().trusted();
        if (trusted == null) return null;
        String line = trusted.target().app() + "/" + trusted.target().channel();
        long accepted = Held.acceptedSequences(
                        Held.readEmbedded(context), context.records().readGuard())
                .getOrDefault(line, 0L);
        return granted(Trusted.readTrusted(trusted, JsonValue.memberOf(request, "release"), accepted));
    }

    private static <T> T granted(Result<T> result) {
        if (!result.isOk()) {
            throw new StageError(StageFailureCode.UNTRUSTED, result.error().message());
        }
        return result.value();
    }
}
