package dev.slipway.ota.core.ports;

import dev.slipway.ota.core.base.Cancel;
import dev.slipway.ota.core.base.Cancelled;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The machine's time: the same on a phone and on a desktop. */
public final class SystemClock implements Clock {
    @Override
    public long now() {
        return System.currentTimeMillis();
    }

    @Override
    public long monotonic() {
        return System.nanoTime() / 1_000_000;
    }

    @Override
    public void sleep(long ms, Cancel cancel) {
        CountDownLatch cancelled = new CountDownLatch(1);
        Cancel.Watch watch = cancel.onCancel(cancelled::countDown);
        try {
            if (cancelled.await(ms, TimeUnit.MILLISECONDS)) throw new Cancelled();
        } catch (InterruptedException thrown) {
            Thread.currentThread().interrupt();
            throw new Cancelled();
        } finally {
            watch.close();
        }
    }
}
