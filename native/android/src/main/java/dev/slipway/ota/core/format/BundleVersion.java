package dev.slipway.ota.core.format;

/**
 * A version of a bundle.
 *
 * @param name the bundle
 * @param version {@code v<N>}
 */
public record BundleVersion(String name, String version) {
    /** {@code <name>@<version>}. */
    @Override
    public String toString() {
        return name + "@" + version;
    }
}
