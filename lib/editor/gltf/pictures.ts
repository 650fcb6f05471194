import type { Work } from "../../core/cooperative.ts";
import type { GltfOutline, ImageOutline } from "./outline-types.ts";
import { type Buffers, bytesOfDataUri, bytesOfView, isDataUri } from "./resources.ts";

/** Magic bytes of picture formats, with their file endings. */
const KINDS: readonly (readonly [string, readonly (number | null)[]])[] = [
  ["png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ["jpg", [0xff, 0xd8, 0xff]],
  ["webp", [0x52, 0x49, 0x46, 0x46, null, null, null, null, 0x57, 0x45, 0x42, 0x50]],
  ["ktx2", [0xab, 0x4b, 0x54, 0x58, 0x20, 0x32, 0x30, 0xbb]],
];

/** Returns a picture's file ending by its bytes; `null` for a format that no project loads. */
export function pictureKind(bytes: Uint8Array): string | null {
  const found = KINDS.find(([, start]) =>
    start.every((byte, place) => byte === null || bytes[place] === byte)
  );
  return found?.[0] ?? null;
}

/**
 * Returns the key that identifies a picture within a model: images may refer to the same bytes
 * through different views.
 */
export function pictureKey(
  { uri, bufferView }: ImageOutline,
  { bufferViews }: GltfOutline,
): string {
  const { buffer, byteOffset, byteLength } = bufferViews[bufferView ?? -1] ?? {};
  return uri ?? `${buffer} ${byteOffset} ${byteLength}`;
}

/** Returns the bytes of an embedded picture; `null` for an external or damaged one. */
export function* embeddedPicture(
  image: ImageOutline,
  { bufferViews }: GltfOutline,
  buffers: Buffers,
): Work<Uint8Array | null> {
  const { uri, bufferView } = image;
  if (uri !== undefined) return isDataUri(uri) ? yield* bytesOfDataUri(uri) : null;
  return bufferView === undefined ? null : bytesOfView(bufferViews[bufferView], buffers);
}
