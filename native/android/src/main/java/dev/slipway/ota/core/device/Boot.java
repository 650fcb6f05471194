package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.JsonArray;
import dev.slipway.ota.core.base.JsonObject;
import dev.slipway.ota.core.base.JsonValue;
import dev.slipway.ota.core.base.Limits;
import dev.slipway.ota.core.base.Members;
import dev.slipway.ota.core.base.Paths;
import dev.slipway.ota.core.format.BootState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The boot watchdog as a pure function: (state, event, facts) → {state, target}. No clock, no disk,
 * nothing that can fail. Every count is kept by bundle, so that no bundle rolls another back (BOOT-18).
 * vectors/boot holds it to what the other languages decide. Where there is no usable state it is null.
 */
public final class Boot {
    private Boot() {}

    /**
     * State and target after a boot decision.
     *
     * @param state the state to write; null when there is none
     * @param target what to serve
     */
    public record BootDecision(@Nullable BootState state, BootTarget target) {}

    /**
     * Facts about the disk that a boot decision depends on.
     *
     * @param exists whether the folder of that version is staged, whole
     * @param recorded false when the attempt could not be made durable
     */
    public record BootFacts(Predicate<String> exists, boolean recorded) {}

    /**
     * Facts about the launch that a confirmation depends on.
     *
     * @param booted what that launch served
     * @param counted whether that launch was counted before
     */
    public record ConfirmFacts(BootTarget booted, boolean counted) {}

    /** Decides what this launch serves, and counts the attempt (BOOT-1 to BOOT-4, BOOT-8). */
    public static BootDecision boot(@Nullable BootState state, String bundle, BootFacts facts) {
        if (state == null) return new BootDecision(null, BootTarget.EMBEDDED); // BOOT-1
        String pending = state.pending().get(bundle);
        if (!facts.recorded) {
            return new BootDecision(state, serveActive(state, bundle, facts).target); // BOOT-10
        }
        if (pending == null) return serveActive(state, bundle, facts); // BOOT-8
        if (!facts.exists.test(pending)) {
            return serveActive(dropPending(state, bundle), bundle, facts); // BOOT-2: no quarantine
        }
        long attempts = countOf(state.bootAttempts(), bundle);
        if (attempts >= Limits.BOOT_ATTEMPTS) { // BOOT-3
            return serveActive(dropPending(quarantine(state, bundle, pending), bundle), bundle, facts);
        }
        BootState counted = state.withBootAttempts(state.bootAttempts().with(bundle, attempts + 1)); // BOOT-4
        return new BootDecision(counted, BootTarget.version(pending));
    }

    /** Counts a launch that reported fully booted; the second one makes the pending version active. */
    public static @Nullable BootState confirm(@Nullable BootState state, String bundle, ConfirmFacts facts) {
        if (state == null) return null;
        String pending = state.pending().get(bundle);
        if (pending == null) return state; // BOOT-5
        if (!pending.equals(facts.booted.version())) return state; // BOOT-6
        long confirms = countOf(state.confirmedBoots(), bundle);
        long attempts = countOf(state.bootAttempts(), bundle);
        if (facts.counted || confirms >= attempts) return state; // BOOT-7: once a launch
        if (confirms + 1 < Limits.BOOT_CONFIRMS) {
            return state.withConfirmedBoots(state.confirmedBoots().with(bundle, confirms + 1));
        }
        return dropPending(state, bundle).withActive(state.active().with(bundle, pending)); // BOOT-9
    }

    /** Makes a staged version pending, whatever was pending before (BOOT-17). */
    public static BootState activate(@Nullable BootState state, String bundle, String version) {
        BootState dropped = dropPending(state == null ? BootState.EMPTY : state, bundle);
        return dropped.withPending(dropped.pending().with(bundle, version));
    }

    /**
     * Facts for putting the active version back on trial.
     *
     * @param previous the version that was active before it; null when there was none
     * @param exists whether the folder of that version is staged, whole
     */
    public record RetrialFacts(@Nullable String previous, Predicate<String> exists) {}

    /**
     * Puts the active version back on trial (BOOT-21). The previous one takes its place when it is staged
     * and not rejected, otherwise the embedded bundle does (BOOT-22).
     */
    public static @Nullable BootState retrial(@Nullable BootState state, String bundle, RetrialFacts facts) {
        if (state == null || state.pending().get(bundle) != null) return state;
        String version = state.active().get(bundle);
        if (version == null) return state;
        String previous = facts.previous;
        boolean canServe = previous != null
                && !previous.equals(version)
                && facts.exists.test(previous)
                && mayStage(state, bundle, previous);
        Members<String> active = previous != null && canServe
                ? state.active().with(bundle, previous)
                : state.active().without(bundle);
        return activate(state.withActive(active), bundle, version);
    }

    /**
     * Options of a revert, beside dropping the pending version.
     *
     * @param quarantine quarantines what it drops (BOOT-19)
     * @param toEmbedded forgets the active version as well, so that the embedded bundle is served (BOOT-20)
     */
    public record RevertOptions(boolean quarantine, boolean toEmbedded) {}

    /** Drops the pending version (BOOT-11); when there is nothing to drop nothing changes. */
    public static @Nullable BootState revert(@Nullable BootState state, String bundle, RevertOptions options) {
        if (state == null) return null;
        String pending = state.pending().get(bundle);
        boolean isForgotten = options.toEmbedded && state.active().containsKey(bundle);
        if (pending == null && !isForgotten) return state;
        BootState kept = options.quarantine && pending != null ? quarantine(state, bundle, pending) : state;
        if (isForgotten) kept = kept.withActive(kept.active().without(bundle));
        return dropPending(kept, bundle);
    }

    /** Notes which app binary runs; another one than last time starts afresh (BOOT-12, BOOT-13). */
    public static BootState newBinary(@Nullable BootState state, String binaryVersion) {
        BootState known = state == null ? BootState.EMPTY : state;
        String seen = known.lastSeenBinaryVersion();
        BootState kept =
                seen == null || seen.equals(binaryVersion) ? known : BootState.EMPTY.withRejected(known.rejected());
        return kept.withLastSeenBinaryVersion(binaryVersion);
    }

    /** Whether quarantine lets a version be staged; it never keeps one from booting (BOOT-14). */
    public static boolean mayStage(@Nullable BootState state, String bundle, String version) {
        List<String> rejected = state == null ? null : state.rejected().get(bundle);
        return rejected == null || !rejected.contains(version);
    }

    /**
     * Reads {@code state.json}. It is damaged as a whole when any of the six fields has a wrong type, a
     * count is not a whole number ≥ 0, or a name or version breaks the rules; other fields are ignored
     * (BOOT-15).
     *
     * @return null when damaged, which every decision treats as no state at all
     */
    public static @Nullable BootState parseBootState(@Nullable JsonValue value) {
        if (!(value instanceof JsonObject object)) return null;
        Members<String> active = readMap(object.get("active"), Boot::readVersion);
        Members<String> pending = readMap(object.get("pending"), Boot::readVersion);
        Members<Long> bootAttempts = readMap(object.get("bootAttempts"), Boot::readCount);
        Members<Long> confirmedBoots = readMap(object.get("confirmedBoots"), Boot::readCount);
        Members<List<String>> rejected = readMap(object.get("rejected"), Boot::readVersions);
        JsonValue binary = object.get("lastSeenBinaryVersion");
        if (active == null || pending == null || rejected == null) return null;
        if (bootAttempts == null || confirmedBoots == null) return null;
        if (binary != null && JsonValue.textOf(binary) == null) return null;
        rejected.values().removeIf(List::isEmpty); // so that equal states have equal texts
        return new BootState(active, pending, bootAttempts, confirmedBoots, rejected, JsonValue.textOf(binary));
    }

    private static BootDecision serveActive(BootState state, String bundle, BootFacts facts) {
        String version = state.active().get(bundle);
        if (version == null) return new BootDecision(state, BootTarget.EMBEDDED);
        if (facts.exists.test(version)) return new BootDecision(state, BootTarget.version(version));
        BootState forgotten = state.withActive(state.active().without(bundle));
        return new BootDecision(forgotten, BootTarget.EMBEDDED);
    }

    private static BootState dropPending(BootState state, String bundle) {
        return state.withPending(state.pending().without(bundle))
                .withBootAttempts(state.bootAttempts().without(bundle))
                .withConfirmedBoots(state.confirmedBoots().without(bundle));
    }

    private static BootState quarantine(BootState state, String bundle, String version) {
        List<String> known = state.rejected().get(bundle);
        List<String> listed = known == null ? new ArrayList<>() : new ArrayList<>(known);
        if (!listed.contains(version)) listed.add(version); // an entry keeps its place
        int surplus = Math.max(0, listed.size() - Limits.REJECTED_VERSIONS); // BOOT-16
        List<String> kept = new ArrayList<>(listed.subList(surplus, listed.size()));
        return state.withRejected(state.rejected().with(bundle, kept));
    }

    private static long countOf(Members<Long> counts, String bundle) {
        Long count = counts.get(bundle);
        return count == null ? 0 : count;
    }

    /** The map, empty when absent; null when it is not one or a member is wrong. */
    private static <T> @Nullable Members<T> readMap(@Nullable JsonValue value, Function<JsonValue, T> read) {
        Members<T> map = new Members<>();
        if (value == null) return map;
        if (!(value instanceof JsonObject object)) return null;
        for (Map.Entry<String, JsonValue> entry : object.members().entrySet()) {
            T parsed = Paths.isBundleName(entry.getKey()) ? read.apply(entry.getValue()) : null;
            if (parsed == null) return null;
            map.put(entry.getKey(), parsed);
        }
        return map;
    }

    private static @Nullable String readVersion(JsonValue value) {
        String version = JsonValue.textOf(value);
        return version != null && Paths.isVersion(version) ? version : null;
    }

    private static @Nullable Long readCount(JsonValue value) {
        Long count = JsonValue.integerOf(value);
        return count != null && count >= 0 ? count : null;
    }

    private static @Nullable List<String> readVersions(JsonValue value) {
        if (!(value instanceof JsonArray array)) return null;
        List<String> versions = new ArrayList<>();
        for (JsonValue item : array.items()) {
            String version = readVersion(item);
            if (version == null) return null;
            versions.add(version);
        }
        return versions;
    }
}
