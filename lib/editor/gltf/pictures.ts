import type { Work } from "../../core/cooperative.ts";
import type { GltfOutline, ImageOutline } from "./outline-types.ts";
import { type Buffers, bytesOfDataUri, bytesOfView, isDataUri } from "./resources.ts";

/** How a picture's bytes begin, and how its file ends. */
const KINDS: readonly (readonly [string, readonly (number | null)[]])[] = [
  ["png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ["jpg", [0xff, 0xd8, 0xff]],
  ["webp", [0x52, 0x49, 0x46, 0x46, null, null, null, null, 0x57, 0x45, 0x42, 0x50]],
  ["ktx2", [0xab, 0x4b, 0x54, 0x58, 0x20, 0x32, 0x30, 0xbb]],
];

/** The file name ending of a picture, by its bytes; `null` for what no project loads. */
export function pictureKind(bytes: Uint8Array): string | null {
  const found = KINDS.find(([, start]) =>
    start.every((byte, place) => byte === null || bytes[place] === byte)
  );
  return found?.[0] ?? null;
}

/** The key that tells two pictures of one model apart: images may name the same bytes, in views of their own. */
export function pictureKey(
  { uri, bufferView }: ImageOutline,
  { bufferViews }: GltfOutline,
): string {
  const { buffer, byteOffset, byteLength } = bufferViews[bufferView ?? -1] ?? {};
  return uri ?? `${buffer} ${byteOffset} ${byteLength}`;
}

/** The bytes of a picture that lies in the model itself; `null` for one beside it, or damaged. */
export function* embeddedPicture(
  image: ImageOutline,
  { bufferViews }: GltfOutline,
  buffers: Buffers,
): Work<Uint8Array | null> {
  const { uri, bufferView } = image;
  if (uri !== undefined) return isDataUri(uri) ? yield* bytesOfDataUri(uri) : null;
  return bufferView === undefined ? null : bytesOfView(bufferViews[bufferView], buffers);
}
