package dev.slipway.ota.core.archive;

import dev.slipway.ota.core.ports.ChunkSource;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of one file, inflated and compared with its CRC and size. At the end exactly the packed bytes
 * were used: neither fewer nor more.
 */
public final class ZipBytes implements ChunkSource {
    /** Before the name of a local header (APPNOTE.TXT 6.3.10 §4.3.7). */
    static final int HEADER_BYTES = 30;

    /** The flag of a file whose sizes and CRC stand after it. */
    static final int SIZES_AFTER = 0x0008;

    /** The flags that change nothing for a reader: how hard it was deflated. */
    private static final int DEFLATE_FLAGS = 0x0006;

    /** The longest data descriptor. */
    private static final int DESCRIPTOR_BYTES = 24;

    private static final long WIDE = 0xffffffffL;

    /** Packed bytes that are given to the inflater at once. */
    private static final int PIECE_BYTES = 32 * 1024;

    /** Bytes of one chunk: each costs a trip to the disk. */
    private static final int CHUNK_BYTES = 256 * 1024;

    private final PackedFile file;
    private final PackedBytes bytes;
    private final Inflater inflater;
    private final CRC32 crc = new CRC32();
    /** Of a stored file the bytes that were read and not handed on. */
    private ByteView stored = ByteView.EMPTY;

    private long used;
    private long seen;
    private boolean ended;

    /** @param inflater raw, ended by the reader of the archive; one file at a time uses it */
    ZipBytes(PackedFile file, PackedBytes bytes, Inflater inflater) {
        this.file = file;
        this.bytes = bytes;
        this.inflater = inflater;
        inflater.reset();
    }

    @Override
    public byte @Nullable [] read() {
        if (ended) return null;
        long left = file.size() - seen;
        if (left == 0) {
            requireEnd();
            ended = true;
            return null;
        }
        byte[] chunk = new byte[(int) Math.min(CHUNK_BYTES, left)];
        fill(chunk);
        return chunk;
    }

    /** All bytes at once, of a file that the caller knows to be small. */
    public byte[] readWhole() {
        byte[] whole = new byte[Math.toIntExact(file.size())];
        fill(whole);
        requireEnd();
        ended = true;
        return whole;
    }

    @Override
    public void close() {
        ended = true;
    }

    private void fill(byte[] chunk) {
        for (int filled = 0; filled < chunk.length; ) {
            int count = unpack(chunk, filled);
            if (count == 0) throw damaged("it ends after " + (seen + filled));
            filled += count;
        }
        crc.update(chunk, 0, chunk.length);
        seen += chunk.length;
    }

    private void requireEnd() {
        if (unpack(new byte[1], 0) > 0) {
            throw new ArchiveError(
                    file.name(), "has more bytes, expected the " + file.size() + " that the directory says");
        }
        if (file.method() == 8) {
            if (!inflater.finished()) throw damaged("its deflated bytes are cut short");
            if (inflater.getRemaining() > 0 || used < file.packedSize()) {
                throw damaged("something follows its deflated bytes");
            }
        }
        if (crc.getValue() != file.crc32()) throw damaged("the CRC is " + hex(crc.getValue()));
        requireDescriptor();
    }

    /** Unpacks at least one byte; 0 when no more come. */
    private int unpack(byte[] into, int at) {
        int most = into.length - at;
        if (file.method() == 0) {
            if (stored.length() == 0) stored = nextPiece();
            ByteView piece = stored.part(0, most);
            System.arraycopy(piece.array(), piece.from(), into, at, piece.length());
            stored = stored.part(piece.length(), stored.length());
            return piece.length();
        }
        try {
            while (true) {
                int count = inflater.inflate(into, at, most);
                if (count > 0) return count;
                if (!inflater.needsInput()) return 0;
                ByteView piece = nextPiece();
                if (piece.length() == 0) return 0;
                inflater.setInput(piece.array(), piece.from(), piece.length());
            }
        } catch (DataFormatException thrown) {
            throw damaged(thrown.getMessage() == null ? "it is not deflated" : thrown.getMessage());
        }
    }

    private ByteView nextPiece() {
        long left = file.packedSize() - used;
        if (left == 0) return ByteView.EMPTY;
        ByteView piece = bytes.read(file.at() + used, (int) Math.min(PIECE_BYTES, left));
        if (piece.length() == 0) {
            throw new ArchiveError(
                    file.name(), "is cut short at " + used + " of its " + file.packedSize() + " bytes in the archive");
        }
        used += piece.length();
        return piece;
    }

    private ArchiveError damaged(String why) {
        return new ArchiveError(
                file.name(),
                "is damaged, or has another CRC or size than the directory says (" + why + "), expected " + file.size()
                        + " bytes with the CRC " + hex(file.crc32()));
    }

    private static String hex(long crc32) {
        return String.format("%08x", crc32);
    }

    /**
     * Sizes and CRC that stand after the data (§4.3.9) must be those of the directory: a reader who
     * streams knows no others. They are of four or eight bytes, with a signature or without.
     */
    private void requireDescriptor() {
        if (file.descriptorBefore() < 0) return;
        long from = file.at() + file.packedSize();
        ByteView found = bytes.read(from, (int) Math.min(DESCRIPTOR_BYTES, file.descriptorBefore() - from));
        boolean isSigned = found.length() >= 4 && found.u32(0) == 0x08074b50;
        if (isSigned && isDescriptor(found.part(4, found.length()))) return;
        if (isDescriptor(found)) return; // a CRC may look like the signature
        throw new ArchiveError(
                file.name(),
                "has other sizes or another CRC after its data than the directory, or none, expected the same");
    }

    private boolean isDescriptor(ByteView found) {
        if (found.length() < 12 || found.u32(0) != file.crc32()) return false;
        if (found.u32(4) == file.packedSize() && found.u32(8) == file.size()) return true;
        return found.length() >= 20 && found.u64(4) == file.packedSize() && found.u64(12) == file.size();
    }

    /**
     * Finds a file's bytes. Its local header must describe the same file as the directory, under the same
     * name, and its bytes must not reach into what follows them.
     */
    static PackedFile locate(ZipRecord record, ZipBlocks blocks) {
        String name = record.name();
        int flags = record.flags();
        int nameLength = record.rawName().length();
        ByteView head = blocks.read(record.headerAt(), HEADER_BYTES + nameLength);
        if (head.length() < HEADER_BYTES + nameLength || head.u32(0) != 0x04034b50) {
            throw new ArchiveError(
                    name, "has no header where the directory says, expected one at " + record.headerAt());
        }
        boolean isSame = head.u16(26) == nameLength
                && head.part(HEADER_BYTES, nameLength).hasSameBytes(record.rawName())
                && ((flags & SIZES_AFTER) != 0 || hasSizesOf(record, head))
                && head.u16(8) == record.method()
                && ((head.u16(6) ^ flags) & ~DEFLATE_FLAGS) == 0;
        if (!isSame) {
            throw new ArchiveError(
                    name,
                    "has a header that names another file than the directory, expected the same "
                            + "name, flags, method, sizes and CRC");
        }
        long extraAt = record.headerAt() + head.length();
        int extra = head.u16(28);
        if (extra > 0) ZipDirectory.checkNameField(name, blocks.read(extraAt, extra));
        long at = extraAt + extra;
        if (at + record.packedSize() > record.nextAt()) {
            throw new ArchiveError(
                    name,
                    "reaches into the entry that follows it, or into the directory: its " + record.packedSize()
                            + " bytes begin at " + at + ", expected them to end by " + record.nextAt());
        }
        long descriptorBefore = (flags & SIZES_AFTER) == 0 ? -1 : record.nextAt();
        return new PackedFile(
                name, record.method(), at, record.packedSize(), record.size(), record.crc32(), descriptorBefore);
    }

    private static boolean hasSizesOf(ZipRecord record, ByteView head) {
        return head.u32(14) == record.crc32()
                && (head.u32(18) == record.packedSize() || head.u32(18) == WIDE)
                && (head.u32(22) == record.size() || head.u32(22) == WIDE);
    }
}
