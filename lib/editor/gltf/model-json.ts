import type { Work } from "../../core/cooperative.ts";
import { jsonParsing } from "../../core/json-pieces.ts";
import { isRecord } from "../../core/json.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Files } from "../../ports/files.ts";
import { type GltfFailure, isGlb, openContainer } from "./container.ts";
import { isDataUri, pathOfUri } from "./resources.ts";

/** Bytes of a GLB up to its first chunk's content: magic, version, length, the chunk's size and type. */
const HEADER_BYTES = 20;

/**
 * Reads the JSON of a model without its buffers: of a GLB, its header and first chunk.
 *
 * @returns `null` if the file is missing, truncated, or longer than `maxBytes`.
 */
export async function readModelJson(
  files: Files,
  location: string,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const head = await files.readRange(location, 0, HEADER_BYTES);
  if (head === null || (isGlb(head) && head.length < HEADER_BYTES)) return null;
  if (!isGlb(head)) {
    const size = (await files.stat(location))?.size ?? 0;
    return size > maxBytes ? null : await files.read(location, maxBytes);
  }
  const size = new DataView(head.buffer, head.byteOffset).getUint32(12, true);
  const json = size > maxBytes ? null : await files.readRange(location, HEADER_BYTES, size);
  return json?.length === size ? json : null;
}

/** Returns the files that a model references, or why it must not reference one. */
export function* filesBeside(
  json: Uint8Array<ArrayBuffer>,
): Work<Result<readonly string[], GltfFailure>> {
  const container = openContainer(json);
  if (!container.ok) return container;
  const root = yield* jsonParsing(container.value.json);
  const { buffers, images } = isRecord(root) ? root : {};
  const paths = new Set<string>();
  for (const list of [buffers, images]) {
    for (const item of Array.isArray(list) ? list : []) {
      const uri = isRecord(item) ? item["uri"] : undefined;
      if (typeof uri !== "string" || isDataUri(uri)) continue;
      const path = pathOfUri(uri);
      if (!path.ok) return path;
      paths.add(path.value);
    }
  }
  return ok([...paths]);
}
