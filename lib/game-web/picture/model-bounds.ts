import { MAX_HEADER_BYTES, pixelSize } from "../../core/image-size.ts";
import { isRecord } from "../../core/json.ts";
import { MAX_PIXELS } from "../content/mod.ts";

/** What the loader has for each extension; of `KHR_binary_glTF`, the bytes of a GLB. */
type GltfExtensions = Readonly<
  Record<string, { readonly body?: ArrayBuffer | null } | undefined>
>;

/** The most pixels of all pictures together, in pictures of {@linkcode MAX_PIXELS}: 1 GB in memory. */
const MAX_SUM = 4;
/** Nodes, and primitives of all meshes together: what an import takes. */
const MAX_PARTS = 100_000;
/** Numbers that accessors may have without bytes in the file: 64 MB of them. */
const MAX_EMPTY_NUMBERS = 16 * 1024 * 1024;
/** Numbers of one element, at most: those of a matrix. */
const NUMBERS: Readonly<Record<string, number>> = {
  SCALAR: 1,
  VEC2: 2,
  VEC3: 3,
  VEC4: 4,
  MAT2: 4,
  MAT3: 9,
};

/**
 * Why a model must not be given to its loader, which would never come back from it, or leave out what the
 * model cannot be shown without; `null` for nothing.
 *
 * @param known The extensions that the loader knows, by name.
 */
export function modelRefusal(json: unknown, known: GltfExtensions): string | null {
  if (!isRecord(json)) return "found no object";
  const required = json["extensionsRequired"];
  const unknown = Array.isArray(required) &&
    required.find((name) => known[String(name)] === undefined);
  if (unknown) return `it requires the extension ${unknown}, which is not known here`;
  const pictures = pictureRefusal(json, known["KHR_binary_glTF"]?.body ?? null);
  if (pictures !== null) return pictures;
  const nodes = recordsIn(json["nodes"]);
  const primitives = recordsIn(json["meshes"])
    .reduce((sum, { primitives }) => sum + recordsIn(primitives).length, 0);
  for (const [what, count] of [["nodes", nodes.length], ["primitives", primitives]] as const) {
    if (count > MAX_PARTS) return `found ${count} ${what}, expected at most ${MAX_PARTS}`;
  }
  let empty = 0;
  for (const accessor of recordsIn(json["accessors"])) {
    const { bufferView, count, type } = accessor;
    if (bufferView === undefined) empty += Number(count) * (NUMBERS[String(type)] ?? 16);
  }
  if (!(empty <= MAX_EMPTY_NUMBERS)) {
    return `found accessors of ${empty} numbers without bytes, expected at most ${MAX_EMPTY_NUMBERS}`;
  }
  return hasRing(nodes) ? "found nodes that hang below themselves" : null;
}

/** Why the pictures of a model are not decoded: one is too large, or all of them, or tells no size. */
function pictureRefusal(
  json: Readonly<Record<string, unknown>>,
  body: ArrayBuffer | null,
): string | null {
  const views = recordsIn(json["bufferViews"]);
  const buffers = recordsIn(json["buffers"]);
  let sum = 0;
  for (const [index, { bufferView, uri }] of recordsIn(json["images"]).entries()) {
    const view = views[Number(bufferView)];
    const bytes = typeof uri === "string"
      ? bytesOf(uri)
      : view && viewed(view, { body, uri: buffers[Number(view["buffer"])]?.["uri"] });
    if (bytes === undefined) continue; // another file, or none: the loader says so
    const size = pixelSize(bytes);
    if (size === null) return `images[${index}] is not a PNG, JPEG, WebP or KTX2 with a size`;
    const pixels = size.width * size.height;
    sum += pixels;
    if (pixels > MAX_PIXELS) {
      return `found a picture of ${pixels} pixels, expected at most ${MAX_PIXELS}`;
    }
  }
  if (sum <= MAX_SUM * MAX_PIXELS) return null;
  return `found pictures of ${sum} pixels together, expected at most ${MAX_SUM * MAX_PIXELS}`;
}

/** The beginning of a picture that lies in a buffer. */
function viewed(
  view: Readonly<Record<string, unknown>>,
  { body, uri }: { readonly body: ArrayBuffer | null; readonly uri: unknown },
): Uint8Array | undefined {
  const [at, length] = [Number(view["byteOffset"] ?? 0), Number(view["byteLength"] ?? 0)];
  if (!(at >= 0) || !(length >= 0)) return undefined;
  const end = at + Math.min(length, MAX_HEADER_BYTES);
  if (typeof uri === "string") return bytesOf(uri, at, end);
  return body === null || at > body.byteLength ? undefined : new Uint8Array(body).subarray(at, end);
}

/** Some of what a data URI holds; `undefined` for any other address. */
function bytesOf(uri: string, from = 0, to = MAX_HEADER_BYTES): Uint8Array | undefined {
  if (!/^data:/i.test(uri)) return undefined;
  const comma = uri.indexOf(",");
  if (!/;base64$/i.test(uri.slice(Math.max(0, comma - 7), comma))) return NOTHING;
  const first = Math.floor(from / 3); // four characters are three bytes
  const text = uri.slice(comma + 1 + first * 4, comma + 1 + Math.ceil(to / 3) * 4);
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return bytes.subarray(from - first * 3, to - first * 3);
  } catch {
    return NOTHING;
  }
}

/** What tells no size. */
const NOTHING = new Uint8Array();

/** Whether a node is among those below it. */
function hasRing(nodes: readonly Readonly<Record<string, unknown>>[]): boolean {
  const parents = nodes.map(() => 0);
  const children = nodes.map(({ children }) => Array.isArray(children) ? children.map(Number) : []);
  for (const below of children) {
    for (const child of below) parents[child] = (parents[child] ?? 0) + 1;
  }
  // Takes away, again and again, those that hang below none; what is left hangs in a ring.
  const free = [...nodes.keys()].filter((node) => parents[node] === 0);
  let left = nodes.length;
  for (let node = free.pop(); node !== undefined; node = free.pop()) {
    left--;
    for (const child of children[node] ?? []) {
      const others = (parents[child] ?? 0) - 1;
      parents[child] = others;
      if (others === 0 && child < nodes.length) free.push(child);
    }
  }
  return left > 0;
}

function recordsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map((one) => isRecord(one) ? one : {}) : [];
}
