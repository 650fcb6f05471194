package dev.slipway.ota.core.device;

import dev.slipway.ota.core.device.LaunchLog.LaunchRecord;
import dev.slipway.ota.core.format.BootState;

/**
 * When the active version goes back on trial (DEV-50): three launches of it in a row that were not
 * confirmed before the next one. The other languages count alike; {@link Boot#retrial} says what follows.
 */
final class Strikes {
    /** Launches without a confirmation that put the active version back on trial. */
    static final long MAX = 3;

    private Strikes() {}

    /**
     * Counts the strikes of a bundle at a launch that is recorded.
     *
     * @param state the state that the launch decides on
     * @param log the log as the launch before left it
     * @param endedByUser whether the user ended the process of the launch before
     */
    static long count(String name, BootState state, LaunchLog log, boolean endedByUser) {
        String active = state == null ? null : state.active().get(name);
        if (active == null || state.pending().get(name) != null) return 0;
        LaunchRecord last = log.launches().get(name);
        if (last == null || last.counted() || !last.version().equals(active)) return 0;
        // It was to be on trial, and the power went before the state was written: due again (DEV-51).
        if (last.attempt() > 0) return MAX;
        long before = log.strikes().getOrDefault(name, 0L);
        return endedByUser ? before : before + 1;
    }

    /** Whether a confirmation of the active version is noted: its launch counted strikes (DEV-50). */
    static boolean notesConfirmation(String name, LaunchLog log, BootState state) {
        LaunchRecord launched = log.launches().get(name);
        if (launched == null || launched.counted() || !log.strikes().containsKey(name)) return false;
        return state != null && launched.version().equals(state.active().get(name));
    }
}
