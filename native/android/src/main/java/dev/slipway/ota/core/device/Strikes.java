package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.JsonObject;
import dev.slipway.ota.core.base.JsonValue;
import dev.slipway.ota.core.base.Paths;
import dev.slipway.ota.core.device.LaunchLog.LaunchRecord;
import dev.slipway.ota.core.format.BootState;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * When the active version goes back on trial (DEV-50): three launches of it in a row that were not
 * confirmed before the next one. The other languages count alike; {@link Boot#retrial} says what follows.
 *
 * @param count launches in a row that were not confirmed
 * @param forgiven launches in a row that the user ended, and that are no strikes for that (DEV-55)
 */
record Strikes(long count, long forgiven) {
    /** Launches without a confirmation that put the active version back on trial. */
    private static final long MAX = 3;
    /** Launches in a row that are forgiven; after more, no player is impatient: the game does not come up. */
    private static final long MAX_FORGIVEN = 6;

    private static final Strikes NONE = new Strikes(0, 0);

    /**
     * The part of a launch's record that the next launch counts by.
     *
     * @param pid the process of a launch that may be a strike: the system tells how it ended (DEV-50); or null
     * @param forgiven launches in a row before it that were no strikes, because the user ended them (DEV-55)
     * @param retrial whether it puts its version back on trial, once the state says so too (DEV-51)
     */
    record Marks(@Nullable Long pid, long forgiven, boolean retrial) {
        /** Marks of a launch that cannot be a strike. */
        static final Marks NONE = new Marks(null, 0, false);

        static Marks of(JsonValue record) {
            Long forgiven = Guard.countOf(JsonValue.memberOf(record, "forgiven"));
            return new Marks(
                    Guard.countOf(JsonValue.memberOf(record, "pid")),
                    forgiven == null ? 0 : forgiven,
                    JsonValue.is(JsonValue.memberOf(record, "retrial"), true));
        }

        JsonObject putInto(JsonObject record) {
            if (pid != null) record.put("pid", pid);
            if (forgiven > 0) record.put("forgiven", forgiven);
            return retrial ? record.put("retrial", true) : record;
        }
    }

    /**
     * Counts the strikes of a bundle at a launch that is recorded.
     *
     * @param state the state that the launch decides on
     * @param log the log as the launch before left it
     * @param endedByUser processes of the app that the user ended
     */
    static Strikes count(String name, @Nullable BootState state, LaunchLog log, Set<Long> endedByUser) {
        if (state == null || state.pending().get(name) != null) return NONE;
        String active = state.active().get(name);
        if (active == null) return NONE;
        LaunchRecord last = log.launches().get(name);
        if (last == null || last.counted() || !last.version().equals(active)) return NONE;
        Marks marks = last.marks();
        // It was to be on trial, and the state could not be written: due again (DEV-51).
        if (marks.retrial) return new Strikes(MAX, 0);
        long count = log.strikes().getOrDefault(name, 0L);
        boolean isForgiven = marks.pid != null && endedByUser.contains(marks.pid) && marks.forgiven < MAX_FORGIVEN;
        return isForgiven ? new Strikes(count, marks.forgiven + 1) : new Strikes(count + 1, marks.forgiven);
    }

    /** Whether so many put the version back on trial. */
    boolean isDue() {
        return count >= MAX;
    }

    /** Returns the part of a launch's record that the next launch counts by. */
    Marks marks(long pid, long attempt) {
        // Without an attempt the files of what was due are gone: the version before it is served (BOOT-2).
        return new Marks(pid, forgiven, isDue() && attempt > 0);
    }

    /**
     * The version that a trial of the active one may go back to: the one that was active before it; or null.
     * A higher one was left for the active one by a release that went back, so it is not run again (DEV-56).
     */
    static @Nullable String versionBefore(String name, @Nullable BootState state, LaunchLog log) {
        String active = state == null ? null : state.active().get(name);
        String before = log.previous().get(name);
        if (active == null || before == null) return null;
        return Paths.versionNumber(before).compareTo(Paths.versionNumber(active)) < 0 ? before : null;
    }

    /** Whether a confirmation of the active version is noted: its launch counted strikes (DEV-50). */
    static boolean notesConfirmation(String name, LaunchLog log, @Nullable BootState state) {
        LaunchRecord launched = log.launches().get(name);
        if (launched == null || launched.counted() || !log.strikes().containsKey(name)) return false;
        return state != null && launched.version().equals(state.active().get(name));
    }
}
