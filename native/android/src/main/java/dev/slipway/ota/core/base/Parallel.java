package dev.slipway.ota.core.base;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Several threads over one list of work. */
public final class Parallel {
    private Parallel() {}

    /**
     * Runs {@code work} on every item, at most {@code limit} at a time, in order of start. The first
     * failure stops new work from starting; it is thrown once what runs has ended, so nothing is left
     * behind. One of the threads is the caller's.
     */
    public static <T> void forEachParallel(Collection<? extends T> items, int limit, Consumer<? super T> work) {
        if (limit < 1) {
            throw new IllegalArgumentException("Cannot run at most " + limit + " at a time: expected >= 1");
        }
        Lanes<T> lanes = new Lanes<>(items.iterator(), work);
        List<Thread> threads = new ArrayList<>();
        try {
            for (int lane = 1; lane < Math.min(limit, items.size()); lane++) {
                Thread thread = new Thread(lanes, "ota-lane");
                thread.setDaemon(true);
                thread.start();
                threads.add(thread);
            }
        } catch (OutOfMemoryError noThread) {
            // fewer at a time then
        }
        lanes.run();
        boolean interrupted = false;
        for (Thread thread : threads) {
            while (true) {
                try {
                    thread.join();
                    break;
                } catch (InterruptedException again) {
                    interrupted = true; // what runs must end first
                }
            }
        }
        if (interrupted) Thread.currentThread().interrupt();
        lanes.throwFailure();
    }

    private static final class Lanes<T> implements Runnable {
        private final Iterator<? extends T> items;
        private final Consumer<? super T> work;
        private @Nullable Throwable failure;

        Lanes(Iterator<? extends T> items, Consumer<? super T> work) {
            this.items = items;
            this.work = work;
        }

        @Override
        public void run() {
            while (true) {
                T item;
                synchronized (this) {
                    if (failure != null || !items.hasNext()) return;
                    item = items.next();
                }
                try {
                    work.accept(item);
                } catch (Throwable thrown) {
                    synchronized (this) {
                        if (failure == null) failure = thrown;
                    }
                }
            }
        }

        void throwFailure() {
            synchronized (this) {
                if (failure instanceof RuntimeException thrown) throw thrown;
                if (failure instanceof Error thrown) throw thrown;
            }
        }
    }
}
