package dev.slipway.ota.core.ports;

import org.jspecify.annotations.Nullable;

/** Bytes in pieces, read once, by one thread. */
public interface ChunkSource extends AutoCloseable {
    /** The next bytes, at least one, in an array that is the caller's from now on; {@code null} at the end. */
    byte @Nullable [] read();

    /** Gives back what is open, also before the end; a second time does nothing. */
    @Override
    void close();

    /** Bytes at hand as one piece. */
    static ChunkSource of(byte[] bytes) {
        return new ChunkSource() {
            private byte @Nullable [] remaining = bytes.length == 0 ? null : bytes;

            @Override
            public byte @Nullable [] read() {
                byte[] piece = remaining;
                remaining = null;
                return piece;
            }

            @Override
            public void close() {
                remaining = null;
            }
        };
    }
}
