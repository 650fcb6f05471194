package dev.slipway.ota.core.archive;

/**
 * The packed bytes of a file, and what must come out of them.
 *
 * @param method 0 stored, 8 deflated
 * @param at where the packed bytes begin
 * @param packedSize bytes in the archive
 * @param size bytes that come out
 * @param descriptorBefore where the bytes end that may be this file's: a data descriptor is between; -1
 *     where sizes and CRC stand in the header
 */
record PackedFile(String name, int method, long at, long packedSize, long size, long crc32, long descriptorBefore) {}
