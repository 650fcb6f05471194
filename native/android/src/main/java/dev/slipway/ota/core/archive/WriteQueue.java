package dev.slipway.ota.core.archive;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** Runs the writes of small files side by side, while the next ones are unpacked. */
public final class WriteQueue implements AutoCloseable {
    /** Files that are written at once: each waits for the disk most of its time. */
    private static final int CONCURRENCY = 8;

    /** Bytes that wait to be written. */
    private static final int WAITING_BYTES = 8 * 1024 * 1024;

    private final ExecutorService threads = Executors.newFixedThreadPool(CONCURRENCY, work -> {
        Thread thread = new Thread(work, "ota-write");
        thread.setDaemon(true);
        return thread;
    });
    private int running;
    private long waiting;
    private @Nullable Throwable failure;

    /**
     * Starts a write as soon as there is room. Throws what an earlier one failed with.
     *
     * @param bytes how much it holds in memory until it has ended
     */
    public void start(long bytes, Runnable write) {
        synchronized (this) {
            waitWhileFull(bytes);
            throwIfFailed();
            running++;
            waiting += bytes;
        }
        threads.execute(() -> {
            Throwable thrown = null;
            try {
                write.run();
            } catch (Throwable caught) {
                thrown = caught;
            }
            ended(bytes, thrown);
        });
    }

    private synchronized void ended(long bytes, @Nullable Throwable thrown) {
        if (failure == null) failure = thrown;
        running--;
        waiting -= bytes;
        notifyAll();
    }

    /** Waits for all that were started. Throws what the first of them failed with. */
    public synchronized void settle() {
        waitWhile(() -> running > 0);
        throwIfFailed();
    }

    /** Gives the threads back. To be called when all is settled. */
    @Override
    public void close() {
        threads.shutdown();
    }

    private void waitWhileFull(long bytes) {
        waitWhile(() -> running >= CONCURRENCY || (waiting > 0 && waiting + bytes > WAITING_BYTES));
    }

    private interface Condition {
        boolean holds();
    }

    private void waitWhile(Condition condition) {
        boolean wasInterrupted = false;
        while (condition.holds()) {
            try {
                wait();
            } catch (InterruptedException thrown) {
                wasInterrupted = true; // what runs must end first
            }
        }
        if (wasInterrupted) Thread.currentThread().interrupt();
    }

    private void throwIfFailed() {
        if (failure instanceof RuntimeException thrown) throw thrown;
        if (failure instanceof Error thrown) throw thrown;
    }
}
