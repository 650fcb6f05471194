import { isRecord } from "../../core/json.ts";

/** The loader's data for each extension; for `KHR_binary_glTF`, the bytes of a GLB. */
type GltfExtensions = Readonly<
  Record<string, { readonly body?: ArrayBuffer | null } | undefined>
>;

/** Nodes and primitives of all meshes together: as many of both as an import takes. */
const MAX_PARTS = 200_000;
/** Numbers that accessors may have without bytes in the file: 64 MB of them. */
const MAX_EMPTY_NUMBERS = 16 * 1024 * 1024;
/** Maximum numbers per element: those of a matrix. */
const NUMBERS: Readonly<Record<string, number>> = {
  SCALAR: 1,
  VEC2: 2,
  VEC3: 3,
  VEC4: 4,
  MAT2: 4,
  MAT3: 9,
};

/**
 * Returns why a model must not be passed to the loader, which would never return or would silently
 * omit a required part; otherwise `null`.
 *
 * @param known The extensions that the loader supports, by name.
 */
export function modelRefusal(json: unknown, known: GltfExtensions): string | null {
  if (!isRecord(json)) return "found no object";
  const required = json["extensionsRequired"];
  const unknown = Array.isArray(required) &&
    required.find((name) => known[String(name)] === undefined);
  if (unknown) return `it requires the extension ${unknown}, which is not known here`;
  const nodes = recordsIn(json["nodes"]);
  let parts = nodes.length;
  for (const { primitives } of recordsIn(json["meshes"])) parts += recordsIn(primitives).length;
  if (parts > MAX_PARTS) {
    return `found ${parts} nodes and primitives, expected at most ${MAX_PARTS}`;
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

/** Returns whether a node is its own descendant. */
function hasRing(nodes: readonly Readonly<Record<string, unknown>>[]): boolean {
  const parents = nodes.map(() => 0);
  const children = nodes.map(({ children }) => Array.isArray(children) ? children.map(Number) : []);
  for (const below of children) {
    for (const child of below) parents[child] = (parents[child] ?? 0) + 1;
  }
  // Repeatedly removes nodes without a parent; the rest forms a cycle.
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
