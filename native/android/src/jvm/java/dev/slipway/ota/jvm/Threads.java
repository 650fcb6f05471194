package dev.slipway.ota.jvm;

import java.util.concurrent.locks.LockSupport;

/** The threads of operations that are asked for one after another, without waiting for their answers. */
final class Threads {
    /** Longest wait for a thread to take its place in a queue; one that takes longer waits in none. */
    private static final long PLACE_NS = 200_000_000;

    /**
     * Starts a thread, and returns when it waits, for its turn or for the other end, or is done. The
     * reference gives turns in the order in which it is asked, and so must who asks by threads.
     */
    void startInTurn(Runnable work) {
        Thread thread = new Thread(null, work, "operation", 4 << 20);
        thread.setDaemon(true);
        thread.start();
        long until = System.nanoTime() + PLACE_NS;
        while (thread.getState() == Thread.State.RUNNABLE && System.nanoTime() < until) {
            LockSupport.parkNanos(100_000);
        }
    }
}
