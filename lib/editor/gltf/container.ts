import { viewOf } from "../../core/bytes.ts";
import { fail, type Failure, ok, type Result } from "../../core/result.ts";

import { MODEL_LIMITS, overLimit } from "./limits.ts";

/** Why a glTF file was refused. */
export type GltfFailure = Failure<"bad-model">;

/** Refuses a file; `found` names the place and the fault. */
export function badModel(found: string, next?: string): Result<never, GltfFailure> {
  return fail(
    "bad-model",
    found,
    next ?? "Export the model again, or fix it with a glTF validator",
  );
}

/** The parts of a glTF file. */
export interface GltfContainer {
  /** The bytes of the JSON, not decoded. */
  readonly json: Uint8Array<ArrayBuffer>;
  /** The binary chunk of a GLB; `null` without one. */
  readonly binary: Uint8Array<ArrayBuffer> | null;
}

export const GLB_MAGIC = 0x46546c67; // "glTF"
export const CHUNK_JSON = 0x4e4f534a; // "JSON"
export const CHUNK_BIN = 0x004e4942; // "BIN\0"

/** Whether bytes begin like a GLB. */
export function isGlb(bytes: Uint8Array<ArrayBuffer>): boolean {
  return bytes.length >= 4 && viewOf(bytes).getUint32(0, true) === GLB_MAGIC;
}

/**
 * Takes a glTF file apart: a GLB into its chunks, a `.gltf` is its own text. GLB layout (glTF 2.0
 * §4.4), all numbers little-endian 32 bits: 0 magic, 4 version, 8 length of the file; then chunks of
 * 0 length, 4 type, 8 bytes. The first is the JSON, the second may be the binary one.
 */
export function openContainer(bytes: Uint8Array<ArrayBuffer>): Result<GltfContainer, GltfFailure> {
  if (!isGlb(bytes)) return isJsonObject(bytes) ? withJson(bytes, null) : neither(bytes);
  const view = viewOf(bytes);
  if (bytes.length < 20) {
    return badModel(
      `the GLB ends in its header: found ${bytes.length} bytes, expected at least 20`,
    );
  }
  const version = view.getUint32(4, true);
  if (version !== 2) return badModel(`the GLB is of version ${version}, expected 2`);
  const length = view.getUint32(8, true);
  if (length !== bytes.length) {
    const words = length > bytes.length ? "it is truncated" : "something follows it";
    return badModel(
      `the GLB says that it has ${length} bytes and has ${bytes.length}: ${words}`,
    );
  }
  let json: Uint8Array<ArrayBuffer> | null = null;
  let binary: Uint8Array<ArrayBuffer> | null = null;
  for (let at = 12, index = 0; at < bytes.length; index++) {
    if (index === MODEL_LIMITS.chunks) {
      return badModel(`the GLB has more than ${MODEL_LIMITS.chunks} chunks`);
    }
    if (at + 8 > bytes.length) return badModel(`GLB chunk ${index} ends in its header`);
    const size = view.getUint32(at, true);
    const type = view.getUint32(at + 4, true);
    const end = at + 8 + size;
    if (end > bytes.length) {
      return badModel(
        `GLB chunk ${index} says that it has ${size} bytes, ${bytes.length - at - 8} are left`,
      );
    }
    const content = bytes.subarray(at + 8, end);
    if (index === 0 && type !== CHUNK_JSON) {
      return badModel("the first chunk of the GLB is not JSON");
    }
    if (index === 0) json = content;
    else if (type === CHUNK_BIN && binary === null) binary = content;
    at = end;
  }
  return json === null ? badModel("the GLB has no chunk") : withJson(json, binary);
}

/** Whether bytes can be a `.gltf`: an object of JSON, perhaps behind white space. */
function isJsonObject(bytes: Uint8Array<ArrayBuffer>): boolean {
  return bytes.find((byte) => ![0x20, 0x09, 0x0a, 0x0d].includes(byte)) === 0x7b; // {
}

function neither(bytes: Uint8Array<ArrayBuffer>): Result<never, GltfFailure> {
  const found = bytes.length === 0 ? "it is empty" : "it begins like neither glTF nor GLB";
  return badModel(
    `${found}, expected "glTF" or a JSON object`,
    "Export the model as .glb or .gltf",
  );
}

function withJson(
  bytes: Uint8Array<ArrayBuffer>,
  binary: Uint8Array<ArrayBuffer> | null,
): Result<GltfContainer, GltfFailure> {
  if (bytes.length > MODEL_LIMITS.jsonBytes) {
    return badModel(
      overLimit("bytes of JSON", bytes.length, MODEL_LIMITS.jsonBytes),
      "Export it as GLB: its buffers and pictures are then no part of its JSON",
    );
  }
  return ok({ json: bytes, binary });
}
