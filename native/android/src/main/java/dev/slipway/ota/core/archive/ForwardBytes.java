package dev.slipway.ota.core.archive;

import java.io.ByteArrayOutputStream;

/** Reads a stream of chunks in pieces of any size, once, from the first byte to the last. */
final class ForwardBytes implements PackedBytes {
    /** Size of the pieces in which the bytes after the last entry are kept, whatever their chunks. */
    private static final int REST_BYTES = 64 * 1024;

    /** Smaller chunks are joined: a server may send byte by byte. */
    private static final int JOINED_BYTES = 4 * 1024;

    private final ForwardSource source;
    private final Kept kept;
    private ByteView chunk = ByteView.EMPTY;
    private long at;

    ForwardBytes(ForwardSource source, Kept kept) {
        this.source = source;
        this.kept = kept;
    }

    /** Offset of the next byte in the archive. */
    long at() {
        return at;
    }

    /** The next bytes, which stay the next ones. Shorter only at the end. */
    ByteView peek(int length) {
        if (chunk.length() < length) join(length);
        return chunk.part(0, length);
    }

    private void join(int length) {
        byte[] next = source.bytes().read();
        if (next == null) return;
        if (chunk.length() == 0 && next.length >= length) {
            chunk = new ByteView(next, 0, next.length);
            return;
        }
        ByteArrayOutputStream joined = new ByteArrayOutputStream(Math.max(length, chunk.length() + next.length));
        joined.write(chunk.array(), chunk.from(), chunk.length());
        for (; next != null; next = joined.size() < length ? source.bytes().read() : null) {
            joined.write(next, 0, next.length);
        }
        byte[] bytes = joined.toByteArray();
        chunk = new ByteView(bytes, 0, bytes.length);
    }

    /** Packed bytes. {@code from} is where they lie: the next ones. */
    @Override
    public ByteView read(long from, int most) {
        if (from != at) throw new IllegalStateException("Cannot read at " + from + ": the next byte is " + at);
        int least = Math.min(most, JOINED_BYTES);
        peek(least);
        ByteView bytes = take(most);
        kept.keepRecent(from, bytes);
        if (bytes.length() < least) throw new ArchiveError(null, "it ends at " + at);
        return bytes;
    }

    /** A local header, which is kept. Shorter only at the end. */
    byte[] readHeader(int length) {
        long from = at;
        peek(length);
        return kept.keep(from, take(length));
    }

    /** Goes on to {@code at}: what lies before is not among the bytes. */
    void pass(long to) {
        at = to;
    }

    /** Reads to the archive's end, and keeps what there is. */
    void readRest() {
        while (true) {
            long from = at;
            peek(REST_BYTES);
            ByteView bytes = take(REST_BYTES);
            if (bytes.length() == 0) break;
            kept.keep(from, bytes);
        }
        if (at != source.size()) {
            throw new ArchiveError(null, "it ends at " + at + ", expected " + source.size() + " bytes");
        }
    }

    /** Ends the source. */
    void close() {
        source.bytes().close();
    }

    /** Takes at most {@code most} of the bytes that are there already. */
    private ByteView take(int most) {
        ByteView bytes = chunk.part(0, most);
        chunk = chunk.part(bytes.length(), chunk.length());
        long from = at;
        at += bytes.length();
        source.onRead().onRead(bytes, from);
        return bytes;
    }
}
