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
    private static final long REPORT_MS = 200;

    private final Consumer<OtaProgress> onProgress;
    private final Clock clock;
    private final Manifest manifest;
    private long bytesDone;
    private long bytesTotal;
    private long filesDone;
    private boolean hasReported;
    private long reportedAt;

    Progress(StageDependencies dependencies, Manifest manifest) {
        onProgress = dependencies.onProgress();
        clock = dependencies.network().clock();
        this.manifest = manifest;
    }

    /** Adds bytes that arrived. */
    synchronized void addBytes(long count) {
        bytesDone += count;
        report();
    }

    /** Adds bytes that are still to be fetched. */
    synchronized void addTotal(long count) {
        bytesTotal += count;
    }

    /** Starts an archive again, whatever arrived before; {@code known} bytes will be reported again. */
    synchronized void beginAgain(long size, long known) {
        bytesDone -= known;
        bytesTotal = bytesDone + size;
    }

    /** Adds files that are in place. */
    synchronized void addFiles(int count) {
        filesDone += count;
        report();
    }

    private void report() {
        long filesTotal = manifest.files().size();
        long now = clock.monotonic();
        if (filesDone < filesTotal && hasReported && now - reportedAt < REPORT_MS) return;
        hasReported = true;
        reportedAt = now;
        onProgress.accept(
                new OtaProgress(manifest.name(), manifest.version(), bytesDone, bytesTotal, filesDone, filesTotal));
    }
}
