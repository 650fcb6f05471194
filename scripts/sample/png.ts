// PNG (ISO/IEC 15948) with a palette of up to 16 colours and 4 bits a pixel. The pixels are stored
// and not compressed: small as they are, and the same bytes from every runtime's zlib.

/** An image of palette indices, row by row. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  /** `#rrggbb` or `#rrggbbaa`, at most 16. */
  readonly palette: readonly string[];
  /** The colour of one pixel, as an index into the palette. */
  readonly at: (x: number, y: number) => number;
}

/** Encodes a picture. */
export function encodePng({ width, height, palette, at }: Picture): Uint8Array {
  const rowBytes = 1 + Math.ceil(width / 2); // a filter byte, then two pixels a byte
  const raw = new Uint8Array(rowBytes * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const index = y * rowBytes + 1 + (x >> 1);
      raw[index] = (raw[index] ?? 0) | ((at(x, y) & 15) << (x % 2 === 0 ? 4 : 0));
    }
  }
  const colours = palette.map((colour) =>
    [1, 3, 5, 7].map((at) => Number.parseInt(colour.slice(at, at + 2) || "ff", 16))
  );
  return join([
    Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    chunk("IHDR", join([u32(width), u32(height), Uint8Array.of(4, 3, 0, 0, 0)])),
    chunk("PLTE", Uint8Array.from(colours.flatMap((colour) => colour.slice(0, 3)))),
    chunk("tRNS", Uint8Array.from(colours.map((colour) => colour[3] ?? 255))),
    chunk("IDAT", zlibStored(raw)),
    chunk("IEND", new Uint8Array()),
  ]);
}

/** zlib (RFC 1950) around stored blocks (RFC 1951 §3.2.4). */
function zlibStored(bytes: Uint8Array): Uint8Array {
  const blocks: Uint8Array[] = [Uint8Array.of(0x78, 0x01)];
  for (let start = 0; start < bytes.length; start += 0xffff) {
    const block = bytes.subarray(start, start + 0xffff);
    const last = start + block.length >= bytes.length ? 1 : 0;
    const size = block.length;
    blocks.push(
      Uint8Array.of(last, size & 255, size >> 8, ~size & 255, (~size >> 8) & 255),
      block,
    );
  }
  let [a, b] = [1, 0]; // Adler-32
  for (const byte of bytes) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  return join([...blocks, u32(b * 65536 + a)]);
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const body = join([new TextEncoder().encode(type), data]);
  return join([u32(data.length), body, u32(crc32(body))]);
}

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

function u32(value: number): Uint8Array {
  return Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value);
}

/** Bytes after each other. */
export function join(parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}
