package dev.slipway.ota.core.format;

import dev.slipway.ota.core.base.Paths;
import org.jspecify.annotations.Nullable;

/**
 * Facts about the bundle in an app's binary.
 *
 * @param embedded {@code v<N>}, or {@code embedded} where it has no number; null where there is none
 * @param released what was released when the binary was built (MAN-7): a bundle without a number is newer;
 *     null where nothing was
 */
public record BinaryBundle(
        @Nullable String embedded, @Nullable String released) {
    /** Of an app whose binary holds no such bundle. */
    public static final BinaryBundle NONE = new BinaryBundle(null, null);

    /**
     * Whether a release names an older version of a bundle than the app's binary holds, and does not say
     * that going back is meant (CHECK-14).
     */
    public boolean isOlderThanBinary(Release release, String name) {
        String named = release.bundles().get(name);
        if (named == null || named.equals(release.backTo().get(name))) return false;
        if (embedded != null && Paths.isVersion(embedded)) return order(named, embedded) < 0;
        return released != null && Paths.isVersion(released) && order(named, released) <= 0;
    }

    private static int order(String version, String other) {
        return Paths.versionNumber(version).compareTo(Paths.versionNumber(other));
    }
}
