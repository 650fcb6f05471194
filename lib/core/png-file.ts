import { concatBytes, encodeUtf8 } from "./bytes.ts";
import { crc32 } from "./crc32.ts";
import { PNG_SIGNATURE } from "./png.ts";

/**
 * A PNG file of eight bits a channel.
 *
 * @param channels 3 for RGB, 4 with opacity.
 * @param packed Its filtered rows as a zlib stream.
 */
export function pngFile(
  { width, height, channels }: {
    readonly width: number;
    readonly height: number;
    readonly channels: 3 | 4;
  },
  packed: Uint8Array,
): Uint8Array<ArrayBuffer> {
  // 0: width; 4: height; 8: bits of a channel; 9: kind of colour; 10: compression, filters, interlace.
  const header = Uint8Array.of(...u32(width), ...u32(height), 8, channels === 3 ? 2 : 6, 0, 0, 0);
  return concatBytes([
    PNG_SIGNATURE,
    chunk("IHDR", header),
    chunk("IDAT", packed),
    chunk("IEND", new Uint8Array()),
  ]);
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const body = concatBytes([encodeUtf8(type), data]);
  return concatBytes([u32(data.length), body, u32(crc32(body))]);
}

function u32(value: number): Uint8Array {
  return Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value);
}
