package dev.slipway.ota.core.archive;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The parts of an archive that are looked at again with its directory: every local header, what follows
 * the last entry, and as much before that as an end record is looked for in.
 */
final class Kept implements ArchiveSource.Ranges {
    /** The most of an archive that is kept in memory until its directory was read. */
    private static final int KEPT_BYTES = 32 * 1024 * 1024;

    private final List<Piece> pieces = new ArrayList<>();
    private final Deque<Piece> recent = new ArrayDeque<>();
    private long size;
    private @Nullable List<Piece> ordered;

    /** A piece of an archive. */
    private record Piece(long at, ByteView bytes) {
        long end() {
            return at + bytes.length();
        }
    }

    /** Keeps a copy of a piece until the end: a piece of a chunk would keep all of it. */
    byte[] keep(long at, ByteView bytes) {
        size += bytes.length();
        if (size > KEPT_BYTES) throw new ArchiveError(null, "its headers have more than " + KEPT_BYTES + " bytes");
        byte[] copy = bytes.copy();
        pieces.add(new Piece(at, new ByteView(copy, 0, copy.length)));
        return copy;
    }

    /** Keeps a piece while an end record might reach back into it. */
    void keepRecent(long at, ByteView bytes) {
        recent.add(new Piece(at, bytes));
        long before = at + bytes.length() - ZipEnd.SEARCH_BYTES;
        while (!recent.isEmpty() && recent.peek().end() < before) recent.remove();
    }

    /** Of the kept pieces: shorter where the next one is not kept. */
    @Override
    public byte[] readRange(String path, long at, int length) {
        if (ordered == null) {
            ordered = new ArrayList<>(pieces);
            ordered.addAll(recent);
            ordered.sort(Comparator.comparingLong(Piece::at));
        }
        int low = 0;
        for (int high = ordered.size(); low < high; ) {
            int middle = (low + high) >>> 1;
            if (ordered.get(middle).end() <= at) low = middle + 1;
            else high = middle;
        }
        byte[] joined = new byte[length];
        int filled = 0;
        for (; low < ordered.size() && filled < length; low++) {
            Piece piece = ordered.get(low);
            if (piece.at > at + filled) break;
            ByteView part = piece.bytes.part((int) (at + filled - piece.at), length - filled);
            System.arraycopy(part.array(), part.from(), joined, filled, part.length());
            filled += part.length();
        }
        return filled == length ? joined : Arrays.copyOf(joined, filled);
    }
}
