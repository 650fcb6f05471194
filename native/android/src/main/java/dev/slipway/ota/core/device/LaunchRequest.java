package dev.slipway.ota.core.device;

/**
 * What the boot hook is told.
 *
 * @param name which bundle this app runs
 * @param binaryVersion the app binary's own version; null where the app does not tell it
 * @param background whether no person sees this launch (a push, a widget, a prefetch): it decides as one
 *     that cannot be recorded, writes nothing, and nothing confirms it (DEV-34)
 * @param endedByUser whether the system says that the user ended the process of the launch before: that one
 *     is no strike (DEV-50)
 */
public record LaunchRequest(String name, String binaryVersion, boolean background, boolean endedByUser) {
    /** A launch that a person sees. */
    public LaunchRequest(String name, String binaryVersion) {
        this(name, binaryVersion, false, false);
    }
}
