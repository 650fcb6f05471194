/** Bytes per step. */
const STRIDE = 8;

/** Lookup tables of the reversed polynomial 0x04c11db7: table `n` is for a byte with `n` bytes after it. */
const TABLES = createTables();

function createTables(): Uint32Array {
  const tables = new Uint32Array(STRIDE * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
    tables[byte] = crc;
  }
  for (let at = 256; at < tables.length; at++) {
    const before = tables[at - 256] ?? 0;
    tables[at] = (before >>> 8) ^ (tables[before & 255] ?? 0);
  }
  return tables;
}

/**
 * The checksum of a PNG's chunk and of a zip's file (ISO/IEC 15948 annex D).
 *
 * @param before The checksum of the preceding bytes; 0 for none.
 * @returns 32 bits, unsigned.
 */
export function crc32(bytes: Uint8Array, before = 0): number {
  const strided = bytes.length - bytes.length % STRIDE;
  const effect = (distance: number, byte: number) => TABLES[distance << 8 | byte & 255] ?? 0;
  let crc = ~before;
  let at = 0;
  for (; at < strided; at += STRIDE) {
    const byte = (index: number) => bytes[at + index] ?? 0;
    const first = crc ^ (byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24);
    crc = effect(7, first) ^ effect(6, first >>> 8) ^ effect(5, first >>> 16) ^
      effect(4, first >>> 24) ^ effect(3, byte(4)) ^ effect(2, byte(5)) ^ effect(1, byte(6)) ^
      effect(0, byte(7));
  }
  for (; at < bytes.length; at++) crc = (crc >>> 8) ^ effect(0, crc ^ (bytes[at] ?? 0));
  return ~crc >>> 0;
}
