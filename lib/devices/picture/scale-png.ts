import { concatBytes, encodeUtf8, viewOf } from "../../core/bytes.ts";
import { turnsBetween } from "../../core/cooperative.ts";
import { crc32 } from "../../core/crc32.ts";
import { inflateAtMost } from "../../core/inflate.ts";
import { pngSize } from "../../core/png.ts";
import type { Size } from "../screen/screen.ts";

/** A picture, and its size. */
export interface Picture {
  /** A PNG file. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Its pixels. */
  readonly image: Size;
}

/** Channels by the kind of colour, of the kinds that screens are saved in: RGB, and with opacity. */
const CHANNELS: ReadonlyMap<number, number> = new Map([[2, 3], [6, 4]]);
const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

/** Pixels of the longest side that is read: a row is worked on at once. */
const MAX_SIDE = 16_384;

/** Lets others have their turn, where enough was done since. */
type Turn = () => Promise<void>;

/**
 * Makes a PNG file smaller whose longer side is longer than `longest` pixels: each new pixel is the
 * mean of those that it covers. Others have their turn meanwhile: a phone's picture takes a second.
 *
 * @param now Milliseconds of a clock that never goes back.
 * @returns The file itself where it is small enough; `null` where it is damaged, or of a kind in which
 * no screen is saved: eight bits a channel, RGB or RGBA, not interlaced, of sides of at most 16,384
 * pixels are read.
 */
export async function scalePng(
  picture: Picture,
  longest: number,
  now: () => number = () => performance.now(),
): Promise<Picture | null> {
  const { width, height } = picture.image;
  const share = longest / Math.max(width, height);
  if (share >= 1) return picture;
  const turn = turnsBetween(now);
  const pixels = await decoded(picture.bytes, turn);
  if (pixels === null) return null;
  const small = {
    width: Math.max(1, Math.round(width * share)),
    height: Math.max(1, Math.round(height * share)),
  };
  return { bytes: await encoded(await shrunk(pixels, small, turn), turn), image: small };
}

interface Pixels extends Size {
  readonly channels: number;
  readonly bytes: Uint8Array;
}

async function decoded(file: Uint8Array<ArrayBuffer>, turn: Turn): Promise<Pixels | null> {
  const size = pngSize(file);
  const [depth, color = -1, , , interlaced] = file.subarray(24, 29);
  const channels = CHANNELS.get(color);
  if (size === null || depth !== 8 || channels === undefined || interlaced !== 0) return null;
  const { width, height } = size;
  if (Math.max(width, height) > MAX_SIDE) return null;
  const rowBytes = width * channels;
  const raw = await inflateAtMost(dataOf(file), (rowBytes + 1) * height);
  if (raw?.length !== (rowBytes + 1) * height) return null;
  const bytes = new Uint8Array(rowBytes * height);
  for (let y = 0; y < height; y++) {
    await turn();
    const filter = raw[y * (rowBytes + 1)] ?? 0;
    if (filter > 4) return null;
    const from = y * (rowBytes + 1) + 1;
    const to = y * rowBytes;
    for (let i = 0; i < rowBytes; i++) {
      const left = i < channels ? 0 : bytes[to + i - channels] ?? 0;
      const above = y === 0 ? 0 : bytes[to + i - rowBytes] ?? 0;
      const corner = y === 0 || i < channels ? 0 : bytes[to + i - rowBytes - channels] ?? 0;
      bytes[to + i] = (raw[from + i] ?? 0) + guess(filter, { left, above, corner });
    }
  }
  return { ...size, channels, bytes };
}

/** What a filter takes a byte for (PNG §9.2). */
function guess(
  filter: number,
  { left, above, corner }: {
    readonly left: number;
    readonly above: number;
    readonly corner: number;
  },
): number {
  switch (filter) {
    case 1:
      return left;
    case 2:
      return above;
    case 3:
      return left + above >> 1;
    case 4: {
      const [a, b, c] = [
        Math.abs(above - corner),
        Math.abs(left - corner),
        Math.abs(left + above - 2 * corner),
      ];
      return a <= b && a <= c ? left : b <= c ? above : corner;
    }
    default:
      return 0;
  }
}

/** The packed pixels: the `IDAT` chunks, each length (4), type (4), data, checksum (4). */
function dataOf(file: Uint8Array<ArrayBuffer>): readonly Uint8Array<ArrayBuffer>[] {
  const view = viewOf(file);
  const data: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 8; at + 12 <= file.length;) {
    const length = view.getUint32(at);
    if (view.getUint32(at + 4) === 0x49444154) data.push(file.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  return data;
}

async function shrunk(
  { width, height, channels, bytes }: Pixels,
  small: Size,
  turn: Turn,
): Promise<Pixels> {
  const made = new Uint8Array(small.width * small.height * channels);
  const [across, down] = [width / small.width, height / small.height];
  for (let y = 0; y < small.height; y++) {
    await turn();
    const [top, bottom] = [Math.floor(y * down), Math.max(1, Math.floor((y + 1) * down))];
    for (let x = 0; x < small.width; x++) {
      const [left, right] = [Math.floor(x * across), Math.floor((x + 1) * across)];
      const count = (bottom - top) * (right - left);
      for (let channel = 0; channel < channels; channel++) {
        let sum = 0;
        for (let row = top; row < bottom; row++) {
          for (let column = left; column < right; column++) {
            sum += bytes[(row * width + column) * channels + channel] ?? 0;
          }
        }
        made[(y * small.width + x) * channels + channel] = Math.round(sum / count);
      }
    }
  }
  return { ...small, channels, bytes: made };
}

async function encoded(
  { width, height, channels, bytes }: Pixels,
  turn: Turn,
): Promise<Uint8Array<ArrayBuffer>> {
  const rowBytes = width * channels;
  const raw = new Uint8Array((rowBytes + 1) * height);
  for (let y = 0; y < height; y++) {
    await turn();
    const to = y * (rowBytes + 1);
    raw[to] = y === 0 ? 0 : 2; // what stands above is the best guess of a screen
    for (let i = 0; i < rowBytes; i++) {
      const above = y === 0 ? 0 : bytes[(y - 1) * rowBytes + i] ?? 0;
      raw[to + 1 + i] = (bytes[y * rowBytes + i] ?? 0) - above;
    }
  }
  const packed = new Blob([raw]).stream().pipeThrough(new CompressionStream("deflate"));
  // 0: width; 4: height; 8: bits of a channel; 9: kind of colour; 10: compression, filters, interlace.
  const header = Uint8Array.of(...u32(width), ...u32(height), 8, channels === 3 ? 2 : 6, 0, 0, 0);
  return concatBytes([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("IDAT", new Uint8Array(await new Response(packed).arrayBuffer())),
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
