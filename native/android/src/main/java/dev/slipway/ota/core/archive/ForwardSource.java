package dev.slipway.ota.core.archive;

import dev.slipway.ota.core.ports.ChunkSource;

/**
 * An archive as it comes in.
 *
 * @param bytes its bytes in order; of the entries that end by {@code from} their local headers alone
 * @param size bytes of the whole archive
 * @param from where an entry begins from which on all bytes come; 0 for the whole archive
 * @param onRead called with bytes of {@code bytes} as they are read, and their offset in the archive
 */
public record ForwardSource(ChunkSource bytes, long size, long from, OnRead onRead) {
    /** Hears of bytes, which are not changed afterwards. */
    public interface OnRead {
        void onRead(ByteView bytes, long at);
    }
}
