package dev.slipway.ota.core.base;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** Runs work one after another, in the order in which it was asked for. */
public final class Turns {
    private final ReentrantLock lock = new ReentrantLock(true);

    /** Runs {@code work} when all that was asked for before has ended. What it throws is its caller's alone. */
    public <T> T take(Supplier<T> work) {
        if (lock.isHeldByCurrentThread()) {
            throw new IllegalStateException("Cannot wait for a turn inside of one: it would never come");
        }
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }
}
