package dev.slipway.ota.core.archive;

import static dev.slipway.ota.core.archive.ZipBytes.HEADER_BYTES;
import static dev.slipway.ota.core.archive.ZipBytes.SIZES_AFTER;

import dev.slipway.ota.core.base.FileError;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/**
 * Walks the files of a zip while it comes in. Nothing of an entry is to be trusted before the last one was
 * asked for: only then the directory is there, which is read by the same rules as that of
 * {@link ZipEntries}, over the same local headers, and must name exactly the entries that were handed on.
 * So this takes no archive that {@link ZipEntries} refuses.
 *
 * <p>It takes fewer: not what declares its sizes after its data or in zip64 fields, and not what has
 * anything between two entries or before the directory. Such an archive is to be read by its directory.
 */
public final class ZipForward implements ArchiveEntries<ForwardEntry> {
    /** Bytes before the end of an archive in which its end record is searched. */
    public static final int END_SEARCH_BYTES = ZipEnd.SEARCH_BYTES;

    /** Bytes of an entry that was not opened are skipped in pieces of this size. */
    private static final int SKIP_CHUNK_BYTES = 64 * 1024;

    /** All ones: the number stands in a zip64 field. */
    private static final long WIDE = 0xffffffffL;

    // Signatures of what may follow the last entry: the directory, or the end of an archive without one.
    private static final long DIRECTORY = 0x02014b50L;
    private static final long WIDE_END = 0x06064b50L;
    private static final long END = 0x06054b50L;

    private final ForwardSource source;
    private final ZipRules rules;
    private final Kept kept = new Kept();
    private final ForwardBytes bytes;
    private final Inflater inflater = new Inflater(true);
    private final Map<Long, PackedFile> read = new HashMap<>();
    private long end;

    public ZipForward(ForwardSource source, ZipRules rules) {
        this.source = source;
        this.rules = rules;
        bytes = new ForwardBytes(source, kept);
    }

    @Override
    public @Nullable ForwardEntry next() {
        while (bytes.at() < end) bytes.read(bytes.at(), (int) Math.min(SKIP_CHUNK_BYTES, end - bytes.at()));
        long headerAt = bytes.at();
        byte[] header = readHeader();
        if (header == null) {
            requireEndOfEntries();
            bytes.readRest();
            requireDirectory();
            return null;
        }
        if (read.size() == rules.maxEntries()) {
            throw new ArchiveError(null, "it has more than " + rules.maxEntries() + " entries");
        }
        PackedFile file = fileOf(new ByteView(header, 0, header.length), headerAt);
        end = file.at() + file.packedSize();
        if (end > source.size() || (headerAt < source.from() && end > source.from())) {
            throw new ArchiveError(file.name(), "ends at " + end + ", expected it to end within the archive");
        }
        read.put(headerAt, file);
        boolean isPassed = end <= source.from();
        if (isPassed) bytes.pass(end);
        return new ForwardEntry(
                file.name(), file.size(), isPassed, header, end, () -> new ZipBytes(file, bytes, inflater));
    }

    @Override
    public void close() {
        inflater.end();
        bytes.close();
    }

    // A local header (APPNOTE.TXT 6.3.10 §4.3.7): 0 signature, 4 version (2), 6 flags (2), 8 method (2),
    // 10 time (2), 12 date (2), 14 CRC, 18 packed size, 22 size, 26 length of the name (2), 28 of the
    // extra fields (2); then the name and the extra fields.

    /** A local header with its name and extra fields; {@code null} where none begins. */
    private byte @Nullable [] readHeader() {
        ByteView head = bytes.peek(HEADER_BYTES);
        if (head.length() < HEADER_BYTES || head.u32(0) != 0x04034b50) return null;
        int length = HEADER_BYTES + head.u16(26) + head.u16(28);
        byte[] header = bytes.readHeader(length);
        if (header.length == length) return header;
        throw new ArchiveError(null, "it is cut short in the header of an entry");
    }

    /** Refuses what is not an archive as soon as its first bytes show it, before the rest arrives. */
    private void requireEndOfEntries() {
        ByteView next = bytes.peek(4);
        if (next.length() < 4) return;
        long signature = next.u32(0);
        if (signature == DIRECTORY || signature == WIDE_END || signature == END) return;
        throw new ArchiveError(null, "at " + bytes.at() + " it has other bytes than an entry or its directory");
    }

    private PackedFile fileOf(ByteView header, long headerAt) {
        int flags = header.u16(6);
        int method = header.u16(8);
        long packedSize = header.u32(18);
        long size = header.u32(22);
        String name = ZipDirectory.nameOf(header.part(HEADER_BYTES, header.u16(26)), flags);
        // Disk and attributes stand in the directory alone, and are looked at there.
        String wrong = rules.refusal(name, flags, method, 0, 0);
        if (wrong != null) throw new ArchiveError(name, wrong);
        if ((flags & SIZES_AFTER) != 0 || packedSize == WIDE || size == WIDE) {
            throw new ArchiveError(name, "has its sizes elsewhere, expected them in its local header");
        }
        long at = headerAt + header.length();
        return new PackedFile(name, method, at, packedSize, size, header.u32(14), -1);
    }

    /** The directory must name what was read, each entry once, at its place, and nothing else. */
    private void requireDirectory() {
        ArchiveSource parts = new ArchiveSource(kept, "the archive", source.size());
        ZipBlocks blocks = new ZipBlocks(parts);
        int named = 0;
        try {
            ZipDirectory directory = new ZipDirectory(parts, rules);
            for (ZipRecord record = directory.next(); record != null; record = directory.next()) {
                String wrong = rules.refusal(
                        record.name(), record.flags(), record.method(), record.disk(), record.attributes());
                if (wrong != null) throw new ArchiveError(record.name(), wrong);
                if (!ZipBytes.locate(record, blocks).equals(read.get(record.headerAt()))) {
                    throw new ArchiveError(record.name(), "is not what was read, expected the same entries");
                }
                named++;
            }
        } catch (FileError thrown) {
            throw new ArchiveError(null, "its directory leads to where no entry begins", thrown);
        }
        if (named != read.size()) {
            throw new ArchiveError(null, "its directory names " + named + " entries, it has " + read.size());
        }
    }
}
