import { DataTexture, HalfFloatType } from "three";

/** The last line of the header; the size is in it. */
const SIZE_LINE = /\n[-+]Y \d+ [-+]X \d+\n/;
/** More than a header has, in bytes. */
const HEADER_BYTES = 64 * 1024;

/**
 * Decodes a Radiance picture whose size has been checked. Ignores bytes after its pixels.
 *
 * @throws {Error} For a truncated file, for which three.js would draw black.
 */
export async function readRadiance(bytes: Uint8Array<ArrayBuffer>): Promise<DataTexture> {
  const { HDRLoader } = await import("three/addons/loaders/HDRLoader.js");
  const { data, width = 0, height = 0, type = HalfFloatType } = new HDRLoader().parse(bytes.buffer);
  const count = width * height * 4;
  if (data === undefined || data.length < count || !hasAllRuns(bytes, { width, height })) {
    throw new TypeError("found fewer pixels than declared");
  }
  const texture = new DataTexture(data.subarray(0, count), width, height, undefined, type);
  texture.flipY = true;
  return texture;
}

/** Whether the runs of every row are there, in a picture that has runs. */
function hasAllRuns(
  bytes: Uint8Array,
  { width, height }: { readonly width: number; readonly height: number },
): boolean {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, HEADER_BYTES)); // a byte is a character
  const line = SIZE_LINE.exec(head);
  let at = line === null ? 0 : line.index + line[0].length;
  const hasRuns = width >= 8 && width < 0x8000 && bytes[at] === 2 && bytes[at + 1] === 2 &&
    (bytes[at + 2] ?? 0) < 128;
  for (let row = 0; hasRuns && row < height; row++) {
    at += 4;
    let left = width * 4;
    while (left > 0 && at < bytes.length) {
      const count = bytes[at] ?? 0;
      const isRun = count > 128;
      at += isRun ? 2 : 1 + count;
      left -= isRun ? count - 128 : count;
    }
    if (left > 0 || at > bytes.length) return false;
  }
  return true;
}
