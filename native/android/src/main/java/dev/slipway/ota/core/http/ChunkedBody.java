package dev.slipway.ota.core.http;

import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** A body in chunks (RFC 9112 §7.1). Extensions and trailers are read over. */
final class ChunkedBody extends InputStream {
    /** Of the line before a chunk, and of all trailers. */
    private static final int MAX_LINE_BYTES = 8 * 1024;

    private final String asked;
    private final InputStream sent;
    /** Rest of the chunk that is being read; null between two chunks. */
    private @Nullable MeasuredBody chunk;

    private boolean isFirst = true;
    private boolean hasEnded;

    ChunkedBody(String asked, InputStream sent) {
        this.asked = asked;
        this.sent = sent;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int at, int most) throws IOException {
        while (!hasEnded) {
            if (chunk == null) begin();
            int count = chunk == null ? -1 : chunk.read(into, at, most);
            if (count >= 0) return count;
            chunk = null;
        }
        return -1;
    }

    private void begin() throws IOException {
        Lines lines = new Lines(asked, sent, MAX_LINE_BYTES);
        if (!isFirst && !lines.next().isEmpty()) throw new IOException(asked + " sent a chunk without an end");
        isFirst = false;
        String size = lines.next().split("[; \t]", 2)[0];
        if (!size.matches("[0-9A-Fa-f]{1,15}")) throw new IOException(asked + " sent a chunk of the size " + size);
        long length = Long.parseLong(size, 16);
        if (length > 0) {
            chunk = new MeasuredBody(asked, sent, length);
            return;
        }
        while (!lines.next().isEmpty()) continue;
        hasEnded = true;
    }

    @Override
    public void close() throws IOException {
        sent.close();
    }
}
