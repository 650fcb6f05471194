package dev.slipway.ota.core.format;

import dev.slipway.ota.core.base.Paths;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The rule that says which versions a device keeps. */
public final class Keep {
    private Keep() {}

    /**
     * Versions that a device holds, and those of them that it needs.
     *
     * @param state what boots; null when there is no usable one
     * @param previous the version to go back to, by bundle
     * @param rejected every version that is quarantined, by bundle
     * @param staged every version that lies on the device, by bundle
     * @param young versions that were staged in the last seven days, as {@code <name>@<version>}
     * @param busy versions that are served, staged or copied from, as {@code <name>@<version>}
     */
    public record HeldVersions(
            @Nullable BootState state,
            Map<String, String> previous,
            Map<String, List<String>> rejected,
            Map<String, List<String>> staged,
            Collection<String> young,
            Collection<String> busy) {}

    /**
     * The versions that nothing needs any more, in the order in which they go: quarantined ones first,
     * then by bundle and number (DEV-22). A quarantined version is what the next one is copied from, so
     * it stays until a newer one is active, a new app binary was launched, or it goes {@code forRoom}. Where
     * nothing is active or pending, as after a new binary, the newest good version that is young stays, but
     * for room: the next check may want it.
     */
    public static List<BundleVersion> deadVersions(HeldVersions held, boolean forRoom, boolean newBinary) {
        BootState state = held.state() == null ? BootState.EMPTY : held.state();
        List<BundleVersion> dead = new ArrayList<>();
        List<BundleVersion> others = new ArrayList<>();
        for (Map.Entry<String, List<String>> bundle : new TreeMap<>(held.staged()).entrySet()) {
            String name = bundle.getKey();
            String active = state.active().get(name);
            List<String> rejected = held.rejected().get(name);
            String wanted = forRoom ? null : wantedOf(held, state, name, bundle.getValue());
            for (String version : inOrder(bundle.getValue())) {
                BundleVersion one = new BundleVersion(name, version);
                boolean isNeeded = version.equals(active)
                        || version.equals(wanted)
                        || version.equals(state.pending().get(name))
                        || held.busy().contains(one.toString());
                if (isNeeded) continue;
                if (rejected != null && rejected.contains(version)) {
                    if (forRoom || newBinary || (active != null && isOlder(version, active))) dead.add(one);
                } else if (!version.equals(held.previous().get(name))) {
                    others.add(one);
                }
            }
        }
        dead.addAll(others);
        return dead;
    }

    private static @Nullable String wantedOf(HeldVersions held, BootState state, String name, List<String> staged) {
        if (state.active().get(name) != null || state.pending().get(name) != null) return null;
        List<String> rejected = held.rejected().get(name);
        String wanted = null;
        for (String version : inOrder(staged)) {
            boolean isGood = rejected == null || !rejected.contains(version);
            if (isGood && held.young().contains(name + "@" + version)) wanted = version;
        }
        return wanted;
    }

    private static List<String> inOrder(List<String> versions) {
        List<String> ordered = new ArrayList<>(versions);
        ordered.sort((a, b) -> Paths.versionNumber(a).compareTo(Paths.versionNumber(b)));
        return ordered;
    }

    private static boolean isOlder(String version, String other) {
        return Paths.versionNumber(version).compareTo(Paths.versionNumber(other)) < 0;
    }
}
