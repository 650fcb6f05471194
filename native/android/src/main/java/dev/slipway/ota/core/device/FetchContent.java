package dev.slipway.ota.core.device;

import dev.slipway.ota.core.format.StageFailureCode;
import dev.slipway.ota.core.ports.ChunkSource;
import java.util.function.LongConsumer;

/** Fetches one content into {@code .partial}, from where an earlier process stopped (DEV-20). */
final class FetchContent {
    /** Times that a content is started at most: its bytes on disk were wrong, or another process took them. */
    private static final int MAX_STARTS = 3;

    private FetchContent() {}

    /**
     * Fetches the content. What arrived stays in {@code .partial} when it fails.
     *
     * @param onBytes called with the bytes on disk, too
     * @param onRestart called with the bytes that are fetched again: counts only grow (DEV-16)
     * @return its file, synced, with size and hash right
     */
    static String fetchContent(
            DownloadDependencies network,
            Partials partials,
            NamedContent content,
            String url,
            LongConsumer onBytes,
            LongConsumer onRestart) {
        for (int begun = 1; begun <= MAX_STARTS; begun++) {
            PartialContent partial = partials.open(content);
            if (partial.from > 0) onBytes.accept(partial.from);
            try {
                if (partial.from < content.size()) {
                    try (ChunkSource body = new Download(network, url, content.ref(), partial.from)) {
                        for (byte[] chunk = body.read(); chunk != null; chunk = body.read()) {
                            partial.append(chunk);
                            onBytes.accept(chunk.length);
                        }
                    }
                }
            } catch (RuntimeException thrown) {
                try {
                    partial.flush();
                } catch (RuntimeException ignored) {
                    // the first failure is thrown
                }
                throw thrown;
            }
            if (partial.finish()) return partial.path;
            onRestart.accept(content.size());
        }
        String found = content.label() + " was changed by another process while it was fetched";
        throw new StageError(StageFailureCode.IO, found);
    }
}
