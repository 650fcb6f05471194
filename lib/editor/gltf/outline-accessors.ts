import {
  type AccessorOutline,
  type BufferViewOutline,
  ELEMENT_SIZES,
  type ElementType,
} from "./outline-types.ts";
import type { Members } from "./members.ts";

/** What all accessors of a model may hold together, in bytes. */
export const MAX_ACCESSOR_BYTES: number = 1024 * 1024 * 1024;

/** Bytes of a number, by glTF's code of its type. */
const COMPONENT_BYTES: ReadonlyMap<number, number> = new Map([
  [5120, 1],
  [5121, 1],
  [5122, 2],
  [5123, 2],
  [5125, 4],
  [5126, 4],
]);

/** What an accessor is read with. */
export interface AccessorParts {
  /** All of the file. */
  readonly bufferViews: readonly BufferViewOutline[];
  /** Their strides; 0 where they have none. */
  readonly strides: readonly number[];
  /** Those whose bytes an extension has packed. */
  readonly packed: ReadonlySet<number>;
  /** What all accessors up to now hold; counted here. */
  readonly budget: { bytes: number };
  /** Whether an extension has packed what it holds, unless it lies in a buffer view as well. */
  readonly draco: boolean;
}

/** Reads an accessor, and complains unless all of it lies in its buffer view. */
export function readAccessor(accessor: Members, parts: AccessorParts): AccessorOutline {
  const { bufferViews, strides, packed, budget, draco } = parts;
  const typeName = accessor.text("type") ?? "";
  const type = isElementType(typeName) ? typeName : "SCALAR";
  if (type !== typeName) {
    const known = Object.keys(ELEMENT_SIZES).join(", ");
    accessor.complain(`has the type ${JSON.stringify(typeName.slice(0, 40))}, expected ${known}`);
  }
  const size = ELEMENT_SIZES[type];
  const code = accessor.neededCount("componentType");
  const bytes = COMPONENT_BYTES.get(code);
  if (bytes === undefined) {
    accessor.complain(`has the component type ${code}, expected 5120 to 5123, 5125 or 5126`);
  }
  const count = accessor.neededCount("count");
  const element = (bytes ?? 1) * size;
  budget.bytes += count * element;
  if (budget.bytes > MAX_ACCESSOR_BYTES) {
    accessor.complain(`makes all accessors hold more than ${MAX_ACCESSOR_BYTES} bytes`);
  }
  const view = accessor.index("bufferView", "bufferViews", bufferViews.length);
  const isPacked = view !== undefined && packed.has(view);
  if (view !== undefined && !isPacked) {
    const stride = strides[view] === 0 ? element : strides[view] ?? element;
    const end = count === 0
      ? 0
      : (accessor.count("byteOffset") ?? 0) + stride * (count - 1) + element;
    const length = bufferViews[view]?.byteLength ?? 0;
    if (end > length) {
      accessor.complain(`ends at byte ${end} of bufferViews[${view}], which has ${length}`);
    }
  }
  const sparse = accessor.object("sparse");
  const sparsePacked = sparse !== undefined &&
    readSparse(sparse, { bufferViews, packed, count, element });
  return {
    bufferView: view,
    count,
    type,
    min: accessor.numbers("min", size),
    max: accessor.numbers("max", size),
    compressed: (draco && view === undefined) || isPacked || sparsePacked,
  };
}

interface SparseParts {
  readonly bufferViews: readonly BufferViewOutline[];
  readonly packed: ReadonlySet<number>;
  /** Elements of the accessor. */
  readonly count: number;
  /** Bytes of one. */
  readonly element: number;
}

/** Checks where the exceptions of an accessor lie. @returns Whether they are compressed. */
function readSparse(
  sparse: Members,
  { bufferViews, packed, count, element }: SparseParts,
): boolean {
  const exceptions = sparse.neededCount("count");
  if (exceptions > count) {
    sparse.complain(`has ${exceptions} exceptions for ${count} elements`);
  }
  const indices = sparse.object("indices");
  const values = sparse.object("values");
  if (indices === undefined || values === undefined) {
    sparse.complain("has no indices or no values");
    return false;
  }
  const code = indices.neededCount("componentType");
  const parts: readonly (readonly [Members, number])[] = [
    [indices, COMPONENT_BYTES.get(code) ?? 4],
    [values, element],
  ];
  let isPacked = false;
  for (const [part, bytes] of parts) {
    const view = part.neededIndex("bufferView", "bufferViews", bufferViews.length);
    if (packed.has(view)) {
      isPacked = true;
      continue;
    }
    const end = (part.count("byteOffset") ?? 0) + exceptions * bytes;
    const length = bufferViews[view]?.byteLength ?? 0;
    if (end > length) {
      part.complain(`ends at byte ${end} of bufferViews[${view}], which has ${length}`);
    }
  }
  return isPacked;
}

function isElementType(name: string): name is ElementType {
  return Object.hasOwn(ELEMENT_SIZES, name);
}
