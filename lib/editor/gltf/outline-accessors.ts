import {
  type AccessorOutline,
  type BufferViewOutline,
  COMPONENT_BYTES,
  type ComponentType,
  ELEMENT_SIZES,
  type ElementType,
  type SparseOutline,
  type SparsePart,
} from "./outline-types.ts";
import type { Members } from "./members.ts";

/** The most bytes that all accessors of a model may hold together. */
const MAX_ACCESSOR_BYTES: number = 1024 * 1024 * 1024;

/** The model that an accessor is read with. */
export interface AccessorParts {
  /** All buffer views of the file. */
  readonly bufferViews: readonly BufferViewOutline[];
  /** Indices of the buffer views whose bytes an extension has compressed. */
  readonly packed: ReadonlySet<number>;
  /** The bytes of all accessors up to now; counted here. */
  readonly budget: { bytes: number };
  /** Whether an extension has compressed its data, unless it also has a buffer view. */
  readonly draco: boolean;
}

/** Reads an accessor, and complains unless its buffer view contains all of it. */
export function readAccessor(accessor: Members, parts: AccessorParts): AccessorOutline {
  const { bufferViews, packed, budget, draco } = parts;
  const typeName = accessor.text("type") ?? "";
  const type = isElementType(typeName) ? typeName : "SCALAR";
  if (type !== typeName) {
    const known = Object.keys(ELEMENT_SIZES).join(", ");
    accessor.complain(`has the type ${JSON.stringify(typeName.slice(0, 40))}, expected ${known}`);
  }
  const size = ELEMENT_SIZES[type];
  const componentType = readComponent(accessor);
  const count = accessor.neededCount("count");
  const element = COMPONENT_BYTES[componentType] * size;
  budget.bytes += count * element;
  if (budget.bytes > MAX_ACCESSOR_BYTES) {
    accessor.complain(`makes all accessors hold more than ${MAX_ACCESSOR_BYTES} bytes`);
  }
  const view = accessor.index("bufferView", "bufferViews", bufferViews.length);
  const isPacked = view !== undefined && packed.has(view);
  const byteOffset = accessor.count("byteOffset") ?? 0;
  if (view !== undefined && !isPacked) {
    const stride = bufferViews[view]?.byteStride ?? element;
    const end = count === 0 ? 0 : byteOffset + stride * (count - 1) + element;
    const length = bufferViews[view]?.byteLength ?? 0;
    if (end > length) {
      accessor.complain(`ends at byte ${end} of bufferViews[${view}], which has ${length}`);
    }
  }
  const sparse = accessor.object("sparse");
  const exceptions = sparse && readSparse(sparse, { bufferViews, packed, count, element });
  return {
    bufferView: view,
    byteOffset,
    componentType,
    normalized: accessor.isOn("normalized"),
    count,
    type,
    min: accessor.numbers("min", size),
    max: accessor.numbers("max", size),
    sparse: exceptions,
    compressed: (draco && view === undefined) || isPacked || isPackedSparse(exceptions, packed),
  };
}

function readComponent(holder: Members): ComponentType {
  const code = holder.neededCount("componentType");
  if (isComponentType(code)) return code;
  holder.complain(`has the component type ${code}, expected 5120 to 5123, 5125 or 5126`);
  return 5126;
}

function isPackedSparse(
  sparse: SparseOutline | undefined,
  packed: ReadonlySet<number>,
): boolean {
  return sparse !== undefined &&
    (packed.has(sparse.indices.bufferView) || packed.has(sparse.values.bufferView));
}

interface SparseParts {
  readonly bufferViews: readonly BufferViewOutline[];
  readonly packed: ReadonlySet<number>;
  /** Elements of the accessor. */
  readonly count: number;
  /** Bytes of one. */
  readonly element: number;
}

/** Reads the substitutes of a sparse accessor, and complains unless their views contain them. */
function readSparse(
  sparse: Members,
  { bufferViews, packed, count, element }: SparseParts,
): SparseOutline | undefined {
  const exceptions = sparse.neededCount("count");
  if (exceptions > count) {
    sparse.complain(`has ${exceptions} exceptions for ${count} elements`);
  }
  const indices = sparse.object("indices");
  const values = sparse.object("values");
  if (indices === undefined || values === undefined) {
    sparse.complain("has no indices or no values");
    return undefined;
  }
  const componentType = readComponent(indices);
  const placeOf = (part: Members, bytes: number): SparsePart => {
    const bufferView = part.neededIndex("bufferView", "bufferViews", bufferViews.length);
    const byteOffset = part.count("byteOffset") ?? 0;
    const end = byteOffset + exceptions * bytes;
    const length = bufferViews[bufferView]?.byteLength ?? 0;
    if (!packed.has(bufferView) && end > length) {
      part.complain(`ends at byte ${end} of bufferViews[${bufferView}], which has ${length}`);
    }
    return { bufferView, byteOffset };
  };
  return {
    count: exceptions,
    indices: { ...placeOf(indices, COMPONENT_BYTES[componentType]), componentType },
    values: placeOf(values, element),
  };
}

function isComponentType(code: number): code is ComponentType {
  return Object.hasOwn(COMPONENT_BYTES, code);
}

function isElementType(name: string): name is ElementType {
  return Object.hasOwn(ELEMENT_SIZES, name);
}
