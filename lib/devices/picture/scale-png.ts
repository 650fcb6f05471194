import { turnsBetween } from "../../core/cooperative.ts";
import { decodePng, isOpaque, type Pixels } from "../../core/decode-png.ts";
import { pngFile } from "../../core/png-file.ts";
import type { ScreenSize } from "../screen/screen.ts";

/** A picture, and its size. */
export interface SizedPicture {
  /** A PNG file. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Its pixels. */
  readonly image: ScreenSize;
}

/** Yields to other work, if enough time has passed. */
type Turn = () => Promise<void>;

/**
 * Shrinks a PNG file whose longer side exceeds `longest` pixels: each new pixel is the mean of the
 * pixels that it covers. Yields to other work: a phone's picture takes a second.
 *
 * @param now Monotonic clock in milliseconds.
 * @returns The original if it is small enough; `null` if it is damaged or too large to decode.
 */
export async function scalePng(
  picture: SizedPicture,
  longest: number,
  now: () => number = () => performance.now(),
): Promise<SizedPicture | null> {
  const { width, height } = picture.image;
  const share = longest / Math.max(width, height);
  if (share >= 1) return picture;
  const turn = turnsBetween(now);
  const pixels = await decodePng(picture.bytes, { now });
  if (!pixels.ok) return null;
  const small = {
    width: Math.max(1, Math.round(width * share)),
    height: Math.max(1, Math.round(height * share)),
  };
  return { bytes: await encoded(await shrunk(pixels.value, small, turn), turn), image: small };
}

async function shrunk(
  { width, height, rgba }: Pixels,
  small: ScreenSize,
  turn: Turn,
): Promise<Pixels> {
  const made = new Uint8Array(small.width * small.height * 4);
  const [across, down] = [width / small.width, height / small.height];
  for (let y = 0; y < small.height; y++) {
    await turn();
    const [top, bottom] = [Math.floor(y * down), Math.max(1, Math.floor((y + 1) * down))];
    for (let x = 0; x < small.width; x++) {
      const [left, right] = [Math.floor(x * across), Math.floor((x + 1) * across)];
      const count = (bottom - top) * (right - left);
      for (let channel = 0; channel < 4; channel++) {
        let sum = 0;
        for (let row = top; row < bottom; row++) {
          for (let column = left; column < right; column++) {
            sum += rgba[(row * width + column) * 4 + channel] ?? 0;
          }
        }
        made[(y * small.width + x) * 4 + channel] = Math.round(sum / count);
      }
    }
  }
  return { ...small, rgba: made };
}

async function encoded(pixels: Pixels, turn: Turn): Promise<Uint8Array<ArrayBuffer>> {
  const { width, height, rgba } = pixels;
  const channels = isOpaque(pixels) ? 3 : 4;
  const rowBytes = width * channels;
  const raw = new Uint8Array((rowBytes + 1) * height);
  let above = new Uint8Array(rowBytes);
  for (let y = 0; y < height; y++) {
    await turn();
    const row = new Uint8Array(rowBytes);
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 4;
      row.set(rgba.subarray(at, at + channels), x * channels);
    }
    const to = y * (rowBytes + 1);
    raw[to] = y === 0 ? 0 : 2; // filter "up": on screens, the row above is the best prediction
    for (let i = 0; i < rowBytes; i++) raw[to + 1 + i] = (row[i] ?? 0) - (above[i] ?? 0);
    above = row;
  }
  const packed = new Blob([raw]).stream().pipeThrough(new CompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  return pngFile({ width, height, channels }, bytes);
}
