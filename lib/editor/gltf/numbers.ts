import {
  type AccessorOutline,
  COMPONENT_BYTES,
  type ComponentType,
  ELEMENT_SIZES,
  type GltfOutline,
  type SparseOutline,
} from "./outline-types.ts";
import { type Buffers, bytesOfView } from "./resources.ts";

/** The numbers of an accessor. */
export interface NumberList {
  /** Elements. */
  readonly count: number;
  /** The only number of an element. */
  scalar(index: number): number;
  /** Reads all numbers of an element. @param into Filled and returned. */
  element(index: number, into?: number[]): number[];
}

/** The numbers of the requested accessors, by index. */
export type Numbers = ReadonlyMap<number, NumberList>;

/** The parts of a model that say what its numbers are. */
type NumberOutline = Pick<
  GltfOutline,
  "meshes" | "skins" | "animations" | "accessors" | "bufferViews"
>;

/** Returns the accessors that an import reads: positions, their indices, skins and animations. */
export function wantedAccessors(outline: NumberOutline): readonly number[] {
  const { meshes, skins, animations, accessors } = outline;
  const used = new Set(skins.map(({ inverseBindMatrices }) => inverseBindMatrices));
  for (const { primitives } of meshes) {
    for (const { position, indices } of primitives) used.add(position).add(indices);
  }
  for (const { channels } of animations) {
    for (const { input, output } of channels) used.add(input).add(output);
  }
  return accessors.flatMap(({ compressed }, index) =>
    used.has(index) && !compressed ? [index] : []
  );
}

/** Accessors that are opened in one go. */
const ACCESSORS_AT_ONCE = 256;
/** Substitutes that are read in one go. */
const SUBSTITUTES_AT_ONCE = 64 * 1024;

/** The model that numbers are read of. */
interface NumberSource {
  /** Checked: every accessor is within its buffer view, and every view within its buffer. */
  readonly outline: NumberOutline;
  readonly buffers: Buffers;
}

/**
 * Opens the numbers of accessors, including interleaved, sparse and normalized ones. They are read
 * from the buffers when asked for.
 *
 * @param pause Yields to other work; throws to cancel the reading.
 */
export async function readNumbers(
  source: NumberSource,
  pause: () => Promise<void>,
): Promise<Numbers> {
  const read = new Map<number, NumberList>();
  for (const index of wantedAccessors(source.outline)) {
    const accessor = source.outline.accessors[index];
    if (accessor === undefined) continue;
    const { sparse } = accessor;
    const substitutes = sparse && await substitutesOf(source, sparse, { accessor, pause });
    read.set(index, numbersOf(source, accessor, substitutes));
    if (read.size % ACCESSORS_AT_ONCE === 0) await pause();
  }
  await pause();
  return read;
}

/** Bytes with the position of each of their elements. */
interface Elements {
  readonly bytes: DataView;
  readonly start: number;
  /** Bytes from one element to the next. */
  readonly stride: number;
}

/** The values of a sparse accessor that replace others, by the index of the replaced element. */
interface Substitutes {
  readonly values: Elements;
  readonly places: ReadonlyMap<number, number>;
}

function numbersOf(
  source: NumberSource,
  { bufferView, byteOffset, componentType, normalized, count, type }: AccessorOutline,
  substitutes: Substitutes | undefined,
): NumberList {
  const bytes = viewOf(source, bufferView);
  const size = ELEMENT_SIZES[type];
  const width = COMPONENT_BYTES[componentType];
  const view = bufferView === undefined ? undefined : source.outline.bufferViews[bufferView];
  const base = bytes && { bytes, start: byteOffset, stride: view?.byteStride ?? size * width };
  const number = NUMBERS[componentType];
  const full = normalized ? LARGEST[componentType] : undefined;
  const read = (index: number, component: number): number => {
    const place = substitutes?.places.get(index);
    const elements = place === undefined ? base : substitutes?.values;
    if (elements === undefined || elements === null || index >= count) return 0;
    const { start, stride } = elements;
    const value = number(elements.bytes, start + stride * (place ?? index) + width * component);
    return full === undefined ? value : Math.max(value / full, -1);
  };
  return {
    count,
    scalar: (index) => read(index, 0),
    element(index, into = []) {
      for (let component = 0; component < size; component++) {
        into[component] = read(index, component);
      }
      return into;
    },
  };
}

async function substitutesOf(
  source: NumberSource,
  { count, indices, values }: SparseOutline,
  { accessor, pause }: {
    readonly accessor: AccessorOutline;
    readonly pause: () => Promise<void>;
  },
): Promise<Substitutes | undefined> {
  const replaced = viewOf(source, indices.bufferView);
  const bytes = viewOf(source, values.bufferView);
  if (replaced === null || bytes === null) return undefined;
  const places = new Map<number, number>();
  for (let place = 0; place < count; place++) {
    const at = indices.byteOffset + COMPONENT_BYTES[indices.componentType] * place;
    places.set(NUMBERS[indices.componentType](replaced, at), place);
    if (place % SUBSTITUTES_AT_ONCE === SUBSTITUTES_AT_ONCE - 1) await pause();
  }
  const stride = COMPONENT_BYTES[accessor.componentType] * ELEMENT_SIZES[accessor.type];
  return { values: { bytes, start: values.byteOffset, stride }, places };
}

function viewOf(
  { outline, buffers }: NumberSource,
  bufferView: number | undefined,
): DataView | null {
  if (bufferView === undefined) return null;
  const bytes = bytesOfView(outline.bufferViews[bufferView], buffers);
  return bytes && new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Readers of a number at a byte, by glTF's code of its type. */
const NUMBERS: Readonly<Record<ComponentType, (bytes: DataView, at: number) => number>> = {
  5120: (bytes, at) => bytes.getInt8(at),
  5121: (bytes, at) => bytes.getUint8(at),
  5122: (bytes, at) => bytes.getInt16(at, true),
  5123: (bytes, at) => bytes.getUint16(at, true),
  5125: (bytes, at) => bytes.getUint32(at, true),
  5126: (bytes, at) => bytes.getFloat32(at, true),
};

/** The largest integer of a type, which means 1 where numbers are normalized. */
const LARGEST: Readonly<Record<ComponentType, number | undefined>> = {
  5120: 127,
  5121: 255,
  5122: 32_767,
  5123: 65_535,
  5125: 4_294_967_295,
  5126: undefined,
};
