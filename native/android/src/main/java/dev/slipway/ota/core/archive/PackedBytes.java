package dev.slipway.ota.core.archive;

/** Bytes of an archive, from whichever end it is read. */
interface PackedBytes {
    /** Bytes from {@code at} on: at least one, and no more than {@code most}; none at the archive's end. */
    ByteView read(long at, int most);
}
