package dev.slipway.ota.core.device;

import dev.slipway.ota.core.format.Manifest;
import dev.slipway.ota.core.format.OtaProgress;
import dev.slipway.ota.core.ports.Clock;
import java.util.function.Consumer;

/**
 * The counts of a staging, told at most once in 200 ms, and when every file is in place (DEV-16). Counted
 * from many threads; told of one after another, so that no count goes back.
 */
final class Progress {
    /** Each event crosses a bridge. */
    private static final long TOLD_MS = 200;

    private final Consumer<OtaProgress> onProgress;
    private final Clock clock;
    private final Manifest manifest;
    private long bytesDone;
    private long bytesTotal;
    private long filesDone;
    private boolean wasTold;
    private long toldAt;

    Progress(StageDependencies dependencies, Manifest manifest) {
        onProgress = dependencies.onProgress();
        clock = dependencies.network().clock();
        this.manifest = manifest;
    }

    /** Bytes came in. */
    synchronized void addBytes(long count) {
        bytesDone += count;
        tell();
    }

    /** Bytes are to come in besides. */
    synchronized void addTotal(long count) {
        bytesTotal += count;
    }

    /** All of an archive is to come in, whatever came in before; {@code known} bytes will be told again. */
    synchronized void beginAgain(long size, long known) {
        bytesDone -= known;
        bytesTotal = bytesDone + size;
    }

    /** Files are in place. */
    synchronized void addFiles(int count) {
        filesDone += count;
        tell();
    }

    private void tell() {
        long filesTotal = manifest.files().size();
        long now = clock.monotonic();
        if (filesDone < filesTotal && wasTold && now - toldAt < TOLD_MS) return;
        wasTold = true;
        toldAt = now;
        onProgress.accept(
                new OtaProgress(manifest.name(), manifest.version(), bytesDone, bytesTotal, filesDone, filesTotal));
    }
}
