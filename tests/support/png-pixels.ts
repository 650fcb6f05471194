import { inflateSync } from "node:zlib";

/** A picture, four bytes a pixel. */
export interface PngPixels {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8Array;
}

/** Decodes a PNG of eight bits a channel, RGB or RGBA, not interlaced (ISO/IEC 15948). */
export function pngPixels(file: Uint8Array): PngPixels {
  const bytes = Buffer.from(file);
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const channels = bytes[25] === 6 ? 4 : 3;
  if (bytes[24] !== 8 || (bytes[25] !== 2 && bytes[25] !== 6)) {
    throw new Error("another kind of PNG");
  }
  const data: Uint8Array[] = [];
  for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    const body = bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at));
    if (bytes.toString("latin1", at + 4, at + 8) === "IDAT") data.push(body);
  }
  const raw = inflateSync(Buffer.concat(data));
  const rowBytes = width * channels;
  const rows = new Uint8Array(rowBytes * height);
  const rgba = new Uint8Array(width * height * 4).fill(255);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (rowBytes + 1)] ?? 0;
    for (let i = 0; i < rowBytes; i++) {
      const at = y * rowBytes + i;
      const a = i < channels ? 0 : rows[at - channels] ?? 0;
      const b = y === 0 ? 0 : rows[at - rowBytes] ?? 0;
      const c = y === 0 || i < channels ? 0 : rows[at - rowBytes - channels] ?? 0;
      let guess = 0;
      if (filter === 1) guess = a;
      else if (filter === 2) guess = b;
      else if (filter === 3) guess = (a + b) >> 1;
      else if (filter === 4) {
        const [pa, pb, pc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
        guess = pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
      }
      rows[at] = (raw[y * (rowBytes + 1) + 1 + i] ?? 0) + guess;
    }
  }
  for (let pixel = 0; pixel < width * height; pixel++) {
    for (let c = 0; c < channels; c++) rgba[pixel * 4 + c] = rows[pixel * channels + c] ?? 0;
  }
  return { width, height, rgba };
}
