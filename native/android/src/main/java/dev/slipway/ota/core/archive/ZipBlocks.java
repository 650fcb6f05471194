package dev.slipway.ota.core.archive;

import dev.slipway.ota.core.base.FileError;

/** Random access to an archive, within the file and within bounds; the last block is remembered. */
final class ZipBlocks implements PackedBytes {
    /** Bytes that are read ahead: headers and data of small files lie next to each other. */
    private static final int BLOCK_BYTES = 64 * 1024;

    private final ArchiveSource source;
    private byte[] block = new byte[0];
    private long blockAt;

    ZipBlocks(ArchiveSource source) {
        this.source = source;
    }

    /**
     * Shorter than {@code length} only at the archive's end. No field of a zip declares more than a few
     * times 64 KiB; the caller bounds the rest.
     */
    @Override
    public ByteView read(long at, int length) {
        long left = source.size() - at;
        int wanted = (int) Math.min(length, left);
        if (at < 0 || wanted <= 0) return ByteView.EMPTY;
        if (at < blockAt || at + wanted > blockAt + block.length) {
            int ahead = (int) Math.min(Math.max(wanted, BLOCK_BYTES), left);
            byte[] read = source.files().readRange(source.path(), at, ahead);
            if (read == null || read.length < wanted) {
                String found = "Cannot read " + source.path() + ": it became shorter while it was read";
                throw new FileError(FileError.Code.MISSING, source.path(), found);
            }
            block = read;
            blockAt = at;
        }
        return new ByteView(block, (int) (at - blockAt), wanted);
    }
}
