package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.Cancel;
import dev.slipway.ota.core.format.EmbeddedManifest;
import dev.slipway.ota.core.format.Launch;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The state that the operations of one device share. */
record Context(DeviceOptions options, Records records, Session session) {
    /** The state of the process that a device runs in. */
    static final class Session {
        // Of who has the turn of the state queue.

        /** The launch that the boot hook decided last. */
        @Nullable
        Launch launch;
        /** Every version that was served, as {@code <name>@<version>}. */
        final Set<String> served = new HashSet<>();
        /** Bundles whose launch could not be recorded: nothing confirms it. */
        final Set<String> unrecorded = new HashSet<>();
        /** Bundles whose game does not wait for the pending version, because no launch can be recorded (NAT-9). */
        final Set<String> waived = new HashSet<>();
        /** Whether a launch met another app binary than last time, and nothing was swept since. */
        boolean isNewBinary;

        // Of any thread.

        /** Stagings that were asked for and have not ended. */
        final AtomicInteger stagings = new AtomicInteger();
        /** Ends the hashing of what is served, as a staging does. */
        volatile @Nullable Cancel verifying;
        /** Names what the staging under way puts together; null where none is. */
        volatile @Nullable String stagingId;
        /** Versions that the staging under way needs, as {@code <name>@<version>}. */
        volatile Collection<String> busy = Collections.emptyList();
        /** The version that was staged last and is not active yet, by bundle. */
        final Map<String, String> fresh = new ConcurrentHashMap<>();
        /** The identity in the embedded manifest; null before it was read. */
        volatile @Nullable EmbeddedIdentity embedded;
    }

    /** The part of the embedded manifest that every check reads; it may list twenty thousand files. */
    record EmbeddedIdentity(
            String name,
            String version,
            String app,
            String channel,
            long sequence,
            @Nullable String published,
            @Nullable String released) {
        static EmbeddedIdentity of(EmbeddedManifest embedded) {
            return new EmbeddedIdentity(
                    embedded.manifest().name(),
                    embedded.manifest().version(),
                    embedded.app(),
                    embedded.channel(),
                    embedded.sequence(),
                    embedded.published(),
                    embedded.released());
        }
    }
}
