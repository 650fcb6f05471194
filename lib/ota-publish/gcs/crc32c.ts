import type { ObjectBody } from "../store/bucket.ts";

// Checksum that Google Cloud Storage keeps of every object, also of a composed one: CRC-32C
// (RFC 3720, B.4), its four bytes in base64, the highest first.

/** Tables for four bytes at once: a loop over single ones takes three times as long. */
const TABLES: readonly Uint32Array[] = makeTables();

/** A running CRC-32C. */
export interface Crc32c {
  /** Feeds more bytes. */
  update(bytes: Uint8Array): void;
  /** Returns it as the store spells it. */
  base64(): string;
}

/** Begins a sum. */
export function createCrc32c(): Crc32c {
  const [t0, t1, t2, t3] = TABLES;
  if (!t0 || !t1 || !t2 || !t3) throw new TypeError("four tables are made");
  let crc = 0xffff_ffff;
  return {
    update(bytes) {
      let at = 0;
      for (; at + 4 <= bytes.length; at += 4) {
        crc ^= (bytes[at] ?? 0) | (bytes[at + 1] ?? 0) << 8 | (bytes[at + 2] ?? 0) << 16 |
          (bytes[at + 3] ?? 0) << 24;
        crc = (t3[crc & 0xff] ?? 0) ^ (t2[crc >>> 8 & 0xff] ?? 0) ^
          (t1[crc >>> 16 & 0xff] ?? 0) ^ (t0[crc >>> 24] ?? 0);
      }
      for (; at < bytes.length; at++) {
        crc = crc >>> 8 ^ (t0[(crc ^ (bytes[at] ?? 0)) & 0xff] ?? 0);
      }
    },
    base64() {
      const sum = ~crc >>> 0;
      return btoa(String.fromCharCode(...[24, 16, 8, 0].map((shift) => sum >>> shift & 0xff)));
    },
  };
}

/** Computes the sum of a body by reading it. @throws Errors of reading. */
export async function crc32cOf(body: ObjectBody): Promise<string> {
  const crc = createCrc32c();
  await (await body.open()).pipeTo(new WritableStream({ write: (chunk) => crc.update(chunk) }));
  return crc.base64();
}

function makeTables(): readonly Uint32Array[] {
  const first = Uint32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc >>> 1 ^ (crc & 1 ? 0x82f6_3b78 : 0);
    return crc >>> 0;
  });
  const tables = [first];
  for (let i = 1; i < 4; i++) {
    const before = tables[i - 1] ?? first;
    tables.push(before.map((crc) => (crc >>> 8 ^ (first[crc & 0xff] ?? 0)) >>> 0));
  }
  return tables;
}
