package dev.slipway.ota.core.format;

/** Names of the update records' layout (PUB-8) that a device needs. */
public final class Layout {
    /** The name of the embedded manifest in the app's assets. */
    public static final String EMBEDDED_MANIFEST_FILE = "ota-embedded-manifest.json";

    private Layout() {}
}
