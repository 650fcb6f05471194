package dev.slipway.ota;

import dev.slipway.ota.core.base.Cancel;

/** Whether the app is visible. Downloads wait while it is not. */
final class Foreground {
    private static final Object LOCK = new Object();
    private static boolean isShown = true;

    private Foreground() {}

    static void set(boolean shown) {
        synchronized (LOCK) {
            isShown = shown;
            LOCK.notifyAll();
        }
    }

    /** Returns once the app is seen; throws {@code Cancelled} as soon as it is cancelled. */
    static void await(Cancel cancel) {
        Cancel.Watch watch = cancel.onCancel(Foreground::wake);
        try {
            synchronized (LOCK) {
                while (!isShown && !cancel.isCancelled()) LOCK.wait();
            }
        } catch (InterruptedException thrown) {
            Thread.currentThread().interrupt();
        } finally {
            watch.close();
        }
        cancel.throwIfCancelled();
    }

    private static void wake() {
        synchronized (LOCK) {
            LOCK.notifyAll();
        }
    }
}
