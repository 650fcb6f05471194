package dev.slipway.ota.jvm;

/**
 * A transfer so far. Only the web view decides by it; it is here so that one program can replay all vectors.
 *
 * @param awakeMs since it began, in milliseconds that the device was awake
 * @param idleMs since its last piece, likewise
 * @param bytes bytes that arrived
 * @param isLoading whether bytes are still to arrive; work of the device without any is not slow
 */
record Pace(double awakeMs, double idleMs, double bytes, boolean isLoading) {
    /** From here on the mean counts, in milliseconds: a connection that was just made says little. */
    private static final double MEAN_FROM_MS = 60_000;

    /** The slowest mean at which a record is read, in bytes a second. */
    private static final double READ_BYTES_PER_SECOND = 512;

    /** The slowest mean at which a game waits for an update, in bytes a second. */
    private static final double HOLD_BYTES_PER_SECOND = 4096;

    /** Whether a record is read on: it pauses for less than the deadline, and does not trickle (CHECK-10). */
    boolean mayRead(double deadlineMs) {
        return idleMs < deadlineMs && !isBelow(READ_BYTES_PER_SECOND);
    }

    /**
     * Whether a game that could start waits on for a mandatory update: for less than {@code holdMs} in
     * all, and while bytes are to come only as long as they come at a pace (CHECK-11).
     */
    boolean mayHold(double holdMs) {
        return awakeMs < holdMs && !(isLoading && isBelow(HOLD_BYTES_PER_SECOND));
    }

    private boolean isBelow(double bytesPerSecond) {
        return awakeMs >= MEAN_FROM_MS && bytes * 1000 < bytesPerSecond * awakeMs;
    }
}
