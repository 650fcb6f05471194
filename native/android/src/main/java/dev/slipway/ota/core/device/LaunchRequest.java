package dev.slipway.ota.core.device;

import java.util.Collections;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A request to the boot hook.
 *
 * @param name which bundle this app runs
 * @param binaryVersion the app binary's own version; null where the app does not tell it
 * @param background whether no person sees this launch (a push, a widget, a prefetch): it decides as one
 *     that cannot be recorded, writes nothing, and nothing confirms it (DEV-34)
 * @param endedByUser the processes of which the system says that the user ended them: a launch by one of
 *     them is no strike (DEV-55)
 */
public record LaunchRequest(String name, @Nullable String binaryVersion, boolean background, Set<Long> endedByUser) {
    /** A launch that a person sees. */
    public LaunchRequest(String name, @Nullable String binaryVersion) {
        this(name, binaryVersion, false, Collections.emptySet());
    }
}
