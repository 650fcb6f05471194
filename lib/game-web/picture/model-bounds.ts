import { isRecord } from "../../core/json.ts";

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

/** Why a model must not be given to its loader, which would never come back from it; `null` for nothing. */
export function modelRefusal(json: unknown): string | null {
  if (!isRecord(json)) return "found no object";
  let empty = 0;
  for (const accessor of recordsIn(json["accessors"])) {
    const { bufferView, count, type } = accessor;
    if (bufferView === undefined) empty += Number(count) * (NUMBERS[String(type)] ?? 16);
  }
  if (!(empty <= MAX_EMPTY_NUMBERS)) {
    return `found accessors of ${empty} numbers without bytes, expected at most ${MAX_EMPTY_NUMBERS}`;
  }
  return hasRing(recordsIn(json["nodes"])) ? "found nodes that hang below themselves" : null;
}

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
