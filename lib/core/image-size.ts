import { viewOf } from "./bytes.ts";

/** Pixels of a picture. */
export interface PixelSize {
  /** Pixels. */
  readonly width: number;
  /** Pixels. */
  readonly height: number;
}

/** Bytes of a Radiance file that are searched for its size. */
const MAX_HDR_HEAD = 16 * 1024;

/**
 * Reads the size from the first bytes of a PNG, JPEG, WebP or Radiance picture. It may be 0; `null`
 * if the bytes contain no size.
 */
export function imageSize(bytes: Uint8Array): PixelSize | null {
  const view = viewOf(bytes);
  return pngSize(view) ?? webpSize(view) ?? jpegSize(view) ?? radianceHeader(bytes)?.size ?? null;
}

// PNG (ISO/IEC 15948 §5.2, §11.2.2): 8 bytes of signature, then the chunk IHDR:
// offset 8 length (4), 12 "IHDR", 16 width (4), 20 height (4); numbers big-endian.
function pngSize(view: DataView): PixelSize | null {
  const isPng = view.byteLength >= 24 && view.getUint32(0) === 0x89504e47 &&
    view.getUint32(4) === 0x0d0a1a0a && view.getUint32(12) === 0x49484452;
  return isPng ? { width: view.getUint32(16), height: view.getUint32(20) } : null;
}

// WebP (RFC 9649 §2.3 to §2.7): "RIFF", size, "WEBP", then one of
// "VP8 " 26 width, 28 height (14 bits each, little-endian); "VP8L" 21 two times 14 bits, less 1;
// "VP8X" 24 width less 1, 27 height less 1 (24 bits each).
function webpSize(view: DataView): PixelSize | null {
  const isWebp = view.byteLength >= 30 && view.getUint32(0) === 0x52494646 &&
    view.getUint32(8) === 0x57454250;
  if (!isWebp) return null;
  switch (view.getUint32(12)) {
    case 0x56503820:
      return {
        width: view.getUint16(26, true) & 0x3fff,
        height: view.getUint16(28, true) & 0x3fff,
      };
    case 0x5650384c: {
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 0x56503858:
      return {
        width: (view.getUint32(24, true) & 0xffffff) + 1,
        height: (view.getUint16(27, true) | (view.getUint8(29) << 16)) + 1,
      };
    default:
      return null;
  }
}

// JPEG (ITU-T T.81 §B.1): "FF D8", then segments "FF", marker, length (2, big-endian, with itself).
// A frame header (SOF0 to SOF15 without DHT, JPG, DAC) has height at 5 and width at 7 of its segment.
function jpegSize(view: DataView): PixelSize | null {
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return null;
  let at = 2;
  while (at + 9 <= view.byteLength) {
    if (view.getUint8(at) !== 0xff) return null;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) { // a filler
      at++;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += 2 + view.getUint16(at + 2);
  }
  return null;
}

/** The header of a Radiance picture: its size, and the offset of its pixels. */
export interface RadianceHeader {
  readonly size: PixelSize;
  readonly end: number;
}

// Radiance (its "Picture File Formats"): "#?", then lines; the first "-Y height +X width" after one
// with the format is the size. Lines end only at "\n", as in the reader of games: a size read from
// another place would be no bound.
/** Reads the header of a Radiance picture; `null` if not every reader finds its size. */
export function radianceHeader(bytes: Uint8Array): RadianceHeader | null {
  let hasFormat = false;
  let end = 0;
  const lines = String.fromCharCode(...bytes.subarray(0, MAX_HDR_HEAD)).split("\n");
  if (!lines[0]?.startsWith("#?")) return null;
  for (const [index, line] of lines.slice(0, -1).entries()) {
    end += line.length + 1;
    if (index === 0) continue;
    hasFormat ||= /^\s*FORMAT=\S+\s*$/.test(line);
    const [found, height, width] = /^\s*-Y\s+(\d+)\s+\+X\s+(\d+)\s*$/.exec(line) ?? [];
    if (found === undefined) continue;
    return hasFormat ? { size: { width: Number(width), height: Number(height) }, end } : null;
  }
  return null;
}
