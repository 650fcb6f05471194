import { DataTexture, HalfFloatType } from "three";
import { radianceHeader } from "../../core/image-size.ts";

/**
 * Decodes a Radiance picture whose size has been checked. Ignores bytes after its pixels.
 *
 * @throws {Error} For a truncated file, for which three.js would draw black.
 */
export async function readRadiance(bytes: Uint8Array<ArrayBuffer>): Promise<DataTexture> {
  const { HDRLoader } = await import("three/addons/loaders/HDRLoader.js");
  const header = radianceHeader(bytes);
  if (header === null || !hasAllRuns(bytes.subarray(header.end), header.size)) {
    throw new TypeError("found no size, or fewer pixels than declared");
  }
  const { width, height } = header.size;
  const { data, type = HalfFloatType, ...rest } = new HDRLoader().parse(bytes.buffer);
  const count = width * height * 4;
  if (rest.width !== width || rest.height !== height || data === undefined || data.length < count) {
    throw new TypeError("found fewer pixels than declared");
  }
  const texture = new DataTexture(data.subarray(0, count), width, height, undefined, type);
  texture.flipY = true;
  return texture;
}

/** Whether the pixels of every row are there: its runs, in a picture that has runs. */
function hasAllRuns(
  bytes: Uint8Array,
  { width, height }: { readonly width: number; readonly height: number },
): boolean {
  const hasRuns = width >= 8 && width < 0x8000 && bytes[0] === 2 && bytes[1] === 2 &&
    (bytes[2] ?? 0) < 128;
  if (!hasRuns) return bytes.length >= width * height * 4;
  let at = 0;
  for (let row = 0; row < height; row++) {
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
