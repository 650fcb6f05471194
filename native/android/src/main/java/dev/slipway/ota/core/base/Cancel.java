package dev.slipway.ota.core.base;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Ends work that is under way, from another thread: what an {@code AbortSignal} is to the reference. */
public final class Cancel {
    private final Cancel[] parents;
    private final Set<Watch> watches = new LinkedHashSet<>();
    private boolean cancelled;

    /** @param parents any of them ends this one too; {@code null} among them counts for nothing */
    public Cancel(Cancel... parents) {
        this.parents = parents;
    }

    /** Ends the work, once. */
    public void cancel() {
        List<Watch> notified;
        synchronized (watches) {
            if (cancelled) return;
            cancelled = true;
            notified = new ArrayList<>(watches);
            watches.clear();
        }
        for (Watch watch : notified) watch.run();
    }

    public boolean isCancelled() {
        synchronized (watches) {
            if (cancelled) return true;
        }
        for (Cancel parent : parents) {
            if (parent != null && parent.isCancelled()) return true;
        }
        return false;
    }

    public void throwIfCancelled() {
        if (isCancelled()) throw new Cancelled();
    }

    /**
     * Runs {@code work} when this is cancelled, at once when it was before, never twice.
     *
     * @return ends the watching
     */
    public Watch onCancel(Runnable work) {
        Watch watch = new Watch(work);
        add(watch);
        return watch;
    }

    private void add(Watch watch) {
        boolean isLate;
        synchronized (watches) {
            isLate = cancelled;
            if (!isLate) watches.add(watch);
        }
        if (isLate) {
            watch.run();
            return;
        }
        watch.seen.add(this);
        for (Cancel parent : parents) {
            if (parent != null) parent.add(watch);
        }
    }

    /** Work that runs at a cancellation, until it is closed. */
    public static final class Watch implements AutoCloseable {
        private final Runnable work;
        private final List<Cancel> seen = new ArrayList<>();
        private boolean done;

        private Watch(Runnable work) {
            this.work = work;
        }

        private void run() {
            synchronized (this) {
                if (done) return;
                done = true;
            }
            work.run();
        }

        @Override
        public void close() {
            synchronized (this) {
                done = true;
            }
            for (Cancel cancel : seen) {
                synchronized (cancel.watches) {
                    cancel.watches.remove(this);
                }
            }
        }
    }
}
