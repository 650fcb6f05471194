package dev.slipway.ota.core.archive;

/**
 * One record of the directory. Nothing of it was compared with the file that it describes.
 *
 * @param rawName the name as it stands in the archive
 * @param flags bit 0 encrypted, 3 sizes stand after the data, 11 the name is UTF-8
 * @param method 0 stored, 8 deflated
 * @param packedSize bytes in the archive
 * @param size bytes that come out
 * @param headerAt where its local header begins
 * @param nextAt where the next record begins, or the directory: this file ends before it
 * @param disk 0 where the archive is not split
 * @param attributes Unix mode in the upper half, those of DOS in the lowest byte
 */
record ZipRecord(
        String name,
        ByteView rawName,
        int flags,
        int method,
        long crc32,
        long packedSize,
        long size,
        long headerAt,
        long nextAt,
        long disk,
        long attributes) {}
