package dev.slipway.ota.core.device;

import dev.slipway.ota.core.format.StageFailureCode;
import dev.slipway.ota.core.ports.ChunkSource;
import java.util.function.LongConsumer;

/** Fetches one content into {@code .partial}, from where an earlier process stopped (DEV-20). */
final class FetchContent {
    /** Most beginnings of a content: what lay there of it was wrong, or another process took it. */
    private static final int MOST_BEGINNINGS = 3;

    private FetchContent() {}

    /**
     * Fetches the content. What arrived stays in {@code .partial} when it fails.
     *
     * @param onBytes given the bytes that lay there too
     * @param onRestart given the bytes that have to be fetched besides, for counts only grow (DEV-16)
     * @return its file, synced, with size and hash right
     */
    static String fetchContent(
            DownloadDependencies network,
            Partials partials,
            NamedContent content,
            String url,
            LongConsumer onBytes,
            LongConsumer onRestart) {
        for (int begun = 1; begun <= MOST_BEGINNINGS; begun++) {
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
                    // what failed first is told
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
