package dev.slipway.ota.core.archive;

import static dev.slipway.ota.core.archive.ZipEnd.unreadable;

import dev.slipway.ota.core.base.Bytes;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads the directory of a zip twice: first to see that it is complete and where the files begin, then to
 * hand them on. Of all records only a number each is kept.
 *
 * <p>A record (APPNOTE.TXT 6.3.10 §4.3.12): 0 signature, 4 made by (2), 6 version (2), 8 flags (2), 10
 * method (2), 12 time (2), 14 date (2), 16 CRC, 20 packed size, 24 size, 28 length of the name (2), 30 of
 * the extra fields (2), 32 of the comment (2), 34 disk (2), 36 internal attributes (2), 38 attributes, 42
 * offset; then the name, the extra fields, the comment.
 */
final class ZipDirectory {
    /** The shortest record. */
    static final int RECORD_BYTES = 46;

    /** Extra fields: sizes that do not fit (§4.5.3), and the name in UTF-8 (§4.6.9). */
    private static final int ZIP64_FIELD = 0x0001;

    private static final int NAME_FIELD = 0x7075;

    /** The flag of a name in UTF-8. */
    private static final int UTF8 = 0x0800;

    private static final long WIDE = 0xffffffffL;

    /** The characters from 0x80 on in a name that is not UTF-8 (code page 437, APPNOTE §D.1). */
    private static final String CP437 = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐"
            + "└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0";

    private final ZipBlocks blocks;
    private final ZipEnd.Directory directory;
    private final long[] starts;
    private long at;
    private int taken;

    ZipDirectory(ArchiveSource source, ZipRules rules) {
        blocks = new ZipBlocks(source); // of its own: the files' bytes are read meanwhile
        directory = ZipEnd.findDirectory(blocks, source.size(), rules);
        starts = new long[directory.records()];
        rewind();
        for (ZipRecord record = read(); record != null; record = read()) starts[taken - 1] = record.headerAt();
        Arrays.sort(starts);
        if (starts.length > 0 && starts[0] != 0) {
            throw unreadable("something stands before its first entry: that is at " + starts[0] + ", expected at 0");
        }
        for (int i = 1; i < starts.length; i++) {
            if (starts[i] == starts[i - 1]) {
                throw unreadable("two of its entries are in one place, expected one each");
            }
        }
        rewind();
    }

    /** The next record; {@code null} after the last. */
    @Nullable
    ZipRecord next() {
        ZipRecord record = read();
        if (record == null) return null;
        int after = Arrays.binarySearch(starts, record.headerAt()) + 1;
        long nextAt = after < starts.length ? starts[after] : directory.at();
        return new ZipRecord(
                record.name(),
                record.rawName(),
                record.flags(),
                record.method(),
                record.crc32(),
                record.packedSize(),
                record.size(),
                record.headerAt(),
                nextAt,
                record.disk(),
                record.attributes());
    }

    private void rewind() {
        at = directory.at();
        taken = 0;
    }

    /** A record of which it is not known yet where the next entry begins. */
    private @Nullable ZipRecord read() {
        int records = directory.records();
        if (taken == records) {
            if (at == directory.end()) return null;
            throw unreadable("it holds more than the " + records + " entries that are declared, expected no others");
        }
        ByteView head = blocks.read(at, RECORD_BYTES);
        if (at + RECORD_BYTES > directory.end() || head.u32(0) != 0x02014b50) {
            throw unreadable("it holds " + taken + " entries, expected " + records);
        }
        int nameLength = head.u16(28);
        int extraLength = head.u16(30);
        int length = RECORD_BYTES + nameLength + extraLength + head.u16(32);
        if (at + length > directory.end()) {
            throw unreadable("its last record is cut short, expected it to end before the end record");
        }
        ByteView record = blocks.read(at, length);
        at += length;
        taken++;
        return recordOf(
                record, record.part(RECORD_BYTES, nameLength), record.part(RECORD_BYTES + nameLength, extraLength));
    }

    private static ZipRecord recordOf(ByteView head, ByteView rawName, ByteView extra) {
        int flags = head.u16(8);
        String name = nameOf(rawName, flags);
        checkNameField(name, extra);
        WideNumbers wide = new WideNumbers(name, extra);
        long size = wide.orWide(head.u32(24), WIDE, 8); // in the order of the zip64 field
        long packedSize = wide.orWide(head.u32(20), WIDE, 8);
        long headerAt = wide.orWide(head.u32(42), WIDE, 8);
        long disk = wide.orWide(head.u16(34), 0xffff, 4);
        return new ZipRecord(
                name, rawName, flags, head.u16(10), head.u32(16), packedSize, size, headerAt, -1, disk, head.u32(38));
    }

    /** UTF-8, flagged as such beyond ASCII. Other bytes are shown as code page 437. */
    static String nameOf(ByteView raw, int flags) {
        String utf8 = Bytes.decodeUtf8(raw.copy());
        String text = utf8 != null ? utf8 : cp437(raw);
        boolean isFlagged = (flags & UTF8) != 0;
        if (isFlagged && utf8 == null) {
            throw new ArchiveError(text, "has a name that is not UTF-8, expected what its flags say");
        }
        if (!isFlagged && !isAscii(raw)) {
            throw new ArchiveError(
                    text, "has another name for other readers: it is not flagged as UTF-8, expected that beyond ASCII");
        }
        return text;
    }

    private static boolean isAscii(ByteView raw) {
        for (int at = 0; at < raw.length(); at++) {
            if (raw.u8(at) >= 0x80) return false;
        }
        return true;
    }

    private static String cp437(ByteView raw) {
        StringBuilder text = new StringBuilder(raw.length());
        for (int at = 0; at < raw.length(); at++) {
            int unit = raw.u8(at);
            text.append(unit < 0x80 ? (char) unit : CP437.charAt(unit - 0x80));
        }
        return text.toString();
    }

    /**
     * The name that some readers take in place of the header's must be the same (a version, a CRC, then
     * the name).
     */
    static void checkNameField(String name, ByteView extra) {
        ByteView other = fieldOf(name, extra, NAME_FIELD);
        if (other == null) return;
        String found = Bytes.decodeUtf8(other.part(5, other.length()).copy());
        if (name.equals(found)) return;
        String said = found == null ? "one that is not UTF-8" : ArchiveError.shown(found);
        throw new ArchiveError(name, "has another name in its extra fields (" + said + "), expected the same");
    }

    /** Reads the zip64 field from its beginning; it holds what did not fit elsewhere, and only that. */
    private static final class WideNumbers {
        private final String name;
        private final ByteView extra;
        private int at;

        WideNumbers(String name, ByteView extra) {
            this.name = name;
            this.extra = extra;
        }

        long orWide(long value, long maxValue, int width) {
            if (value != maxValue) return value;
            ByteView field = fieldOf(name, extra, ZIP64_FIELD);
            if (field == null || field.length() < at + width) {
                throw new ArchiveError(name, "has no zip64 field, expected one for the sizes it refers to");
            }
            double wide = width == 4 ? field.u32(at) : field.u64(at);
            at += width;
            if (wide >= 0x1p53) {
                throw new ArchiveError(name, "declares " + ZipEnd.text(wide) + " bytes, expected less than 2^53");
            }
            return (long) wide;
        }
    }

    /** An extra field's data; what follows a field that is cut off is padding. */
    private static @Nullable ByteView fieldOf(String name, ByteView extra, int wanted) {
        ByteView found = null;
        for (int at = 0; at + 4 <= extra.length(); ) {
            int length = extra.u16(at + 2);
            if (at + 4 + length > extra.length()) break;
            if (extra.u16(at) == wanted) {
                if (found != null) throw new ArchiveError(name, "has an extra field twice, expected it once");
                found = extra.part(at + 4, length);
            }
            at += 4 + length;
        }
        return found;
    }
}
