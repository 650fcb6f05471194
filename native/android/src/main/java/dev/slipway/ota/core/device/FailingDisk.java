package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.FileError;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the disk fails at counts as missing: it would fail at each launch, staging and sweep (DEV-72). Each
 * operation runs once more if the disk fails, because that may pass.
 */
final class FailingDisk {
    private FailingDisk() {}

    /** Runs a read; null if the disk fails at it twice. */
    static <T> @Nullable T orNull(Supplier<T> reading) {
        for (int tries = 0; tries < 2; tries++) {
            try {
                return reading.get();
            } catch (FileError thrown) {
                if (!PartialContent.isUnreadable(thrown)) throw thrown;
            }
        }
        return null;
    }

    /** Runs a change. Returns whether the disk made it. */
    static boolean isDone(Runnable change) {
        Boolean done = orNull(() -> {
            change.run();
            return true;
        });
        return done != null;
    }
}
