package dev.slipway.ota.core.archive;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * The end of a zip, which leads to its directory (APPNOTE.TXT 6.3.10 §4.3.14 to §4.3.16).
 *
 * <pre>
 * zip64 record:  0 signature, 4 bytes that follow (8), 16 disk, 20 directory's disk,
 *                24 entries on disk (8), 32 entries (8), 40 directory's size (8), 48 its offset (8)
 * zip64 locator: 0 signature, 4 disk, 8 offset of the zip64 record (8), 16 disks
 * end record:    0 signature, 4 disk (2), 6 directory's disk (2), 8 entries on disk (2),
 *                10 entries (2), 12 directory's size, 16 its offset, 20 length of the comment (2)
 * </pre>
 */
final class ZipEnd {
    private static final int ZIP64_BYTES = 56;
    private static final int LOCATOR_BYTES = 20;
    private static final int END_BYTES = 22;
    private static final int MAX_COMMENT = 0xffff;
    private static final long WIDE = 0xffffffffL;
    private static final double MAX_SAFE = 0x1p53 - 1;
    private static final String SPLIT = "it is one part of a split archive, expected one whole file";

    /** Bytes before the end of a zip in which its end record is searched. */
    static final int SEARCH_BYTES = END_BYTES + MAX_COMMENT;

    private ZipEnd() {}

    /**
     * Position of the directory of a zip.
     *
     * @param at where its first record begins
     * @param end where its last record ends
     * @param records how many there are
     */
    record Directory(long at, long end, int records) {}

    /** One end record; {@code from} is where it begins: there the directory ends. */
    private record End(long from, double onDisk, double entries, double size, double offset) {
        /** A number that does not fit into the short record is all ones there; the rest is the same in both. */
        boolean isSame(End wide) {
            return isSame(onDisk, wide.onDisk, 0xffff)
                    && isSame(entries, wide.entries, 0xffff)
                    && isSame(size, wide.size, WIDE)
                    && isSame(offset, wide.offset, WIDE);
        }

        private static boolean isSame(double small, double large, double maxValue) {
            return small == maxValue || small == large;
        }
    }

    /**
     * Finds the directory. It must end where the end records begin, and these where the file ends: with
     * anything between or behind, two readers may take different directories for the real one.
     *
     * @param size bytes of the archive
     */
    static Directory findDirectory(ZipBlocks blocks, long size, ZipRules rules) {
        End found = shortEnd(blocks, size);
        End wide = longEnd(blocks, found.from);
        if (wide != null && !found.isSame(wide)) {
            throw unreadable("its two end records describe different directories, expected the same");
        }
        End end = wide != null ? wide : found;
        if (end.onDisk != end.entries) throw unreadable(SPLIT);
        if (end.offset + end.size != end.from) {
            throw unreadable("its end record points to another place, or bytes were inserted: it declares "
                    + text(end.size) + " bytes at " + text(end.offset) + ", expected them to end at " + end.from);
        }
        long bytes = (long) end.size; // exact: it lies within the archive
        long fit = Math.min(rules.maxEntries(), bytes / ZipDirectory.RECORD_BYTES);
        if (end.entries > fit) {
            throw unreadable("its end record declares " + text(end.entries) + " entries in " + bytes
                    + " bytes, expected at most " + fit);
        }
        return new Directory((long) end.offset, end.from, (int) end.entries);
    }

    /** A directory that cannot be read, as opposed to one of its entries. */
    static ArchiveError unreadable(String why) {
        return new ArchiveError(null, "the zip's directory cannot be read: " + why);
    }

    private static End shortEnd(ZipBlocks blocks, long size) {
        long base = Math.max(size - SEARCH_BYTES, 0);
        ByteView view = blocks.read(base, (int) (size - base));
        int found = -1;
        for (int at = view.length() - END_BYTES; at >= 0; at--) {
            if (view.u32(at) != 0x06054b50) continue;
            int overrun = at + END_BYTES + view.u16(at + 20) - view.length();
            if (found != -1) {
                if (overrun == 0) throw unreadable("it has more than one end record, expected one");
                continue;
            }
            if (overrun < 0) throw unreadable("something follows its end: " + -overrun + " bytes, expected none");
            found = at;
        }
        if (found == -1) {
            throw unreadable("it has no end record, expected a zip: it is something else, or cut short");
        }
        int disk = view.u16(found + 4);
        if ((disk != 0 && disk != 0xffff) || view.u16(found + 6) != disk) throw unreadable(SPLIT);
        return new End(
                base + found, view.u16(found + 8), view.u16(found + 10), view.u32(found + 12), view.u32(found + 16));
    }

    /** The zip64 end record, {@code null} where none is. Its numbers are no better than the file's size. */
    private static @Nullable End longEnd(ZipBlocks blocks, long endAt) {
        ByteView locator = blocks.read(endAt - LOCATOR_BYTES, LOCATOR_BYTES);
        if (locator.length() < LOCATOR_BYTES || locator.u32(0) != 0x07064b50) return null;
        long from = endAt - LOCATOR_BYTES - ZIP64_BYTES;
        double declared = locator.u64(8);
        boolean leadsBeyond = declared > endAt && declared <= MAX_SAFE;
        boolean hasRecord = declared == from || leadsBeyond;
        ByteView view = hasRecord ? blocks.read(from, ZIP64_BYTES) : ByteView.EMPTY;
        if (view.length() < ZIP64_BYTES || view.u32(0) != 0x06064b50) {
            throw unreadable("its zip64 locator points to " + text(declared)
                    + ", expected the record right before it, at " + from);
        }
        boolean isPlain = view.u64(4) == ZIP64_BYTES - 12
                && locator.u32(4) == 0
                && locator.u32(16) <= 1
                && view.u32(16) == 0
                && view.u32(20) == 0;
        if (!isPlain) {
            throw unreadable("its zip64 record is of an unknown kind, or of a split archive, expected a plain one");
        }
        return new End(from, view.u64(24), view.u64(32), view.u64(40), view.u64(48));
    }

    /** A whole number as the reference writes it, however large. */
    static String text(double number) {
        return number <= MAX_SAFE
                ? Long.toString((long) number)
                : new BigDecimal(Double.toString(number)).setScale(0).toPlainString();
    }
}
