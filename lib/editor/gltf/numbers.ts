import { type Accessor, type GLTF, Logger, Verbosity, WebIO } from "@gltf-transform/core";
import {
  type AccessorOutline,
  COMPONENT_BYTES,
  ELEMENT_SIZES,
  type GltfOutline,
} from "./outline-types.ts";
import type { Buffers } from "./resources.ts";

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

/** Returns the accessors that an import reads: positions, their indices, skins and animations. */
export function wantedAccessors(outline: GltfOutline): readonly number[] {
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

/** Elements that are read in one go; others get their turn in between. */
const ELEMENTS_AT_ONCE = 64 * 1024;
/** Accessors that are read in one go. */
const PIECES_AT_ONCE = 256;

/** The model that numbers are read of. */
interface NumberSource {
  /** Checked. */
  readonly outline: GltfOutline;
  readonly buffers: Buffers;
}

/** A part of an accessor. */
interface Piece {
  /** The accessor's place in the file. */
  readonly of: number;
  readonly accessor: AccessorOutline;
}

/**
 * Reads the numbers of accessors, including interleaved, sparse and normalized ones. The reader
 * library receives nothing else of the file, so that no extension can confuse it, and only a little
 * at a time, long accessors in pieces.
 *
 * @param pause Yields to other work; throws to cancel the reading.
 */
export async function readNumbers(
  source: NumberSource,
  pause: () => Promise<void>,
): Promise<Numbers> {
  const read = new Map<number, Accessor[]>();
  for (const batch of batchesOf(source.outline)) {
    for (const [of, accessor] of await readPieces(source, batch)) {
      const before = read.get(of);
      if (before === undefined) read.set(of, [accessor]);
      else before.push(accessor);
    }
    await pause();
  }
  return new Map([...read].map(([of, pieces]) => [of, joined(pieces)]));
}

/** Yields the requested accessors in batches that are read at a time. */
function* batchesOf(outline: GltfOutline): Iterable<readonly Piece[]> {
  let batch: Piece[] = [];
  let elements = 0;
  for (const of of wantedAccessors(outline)) {
    for (const accessor of piecesOf(outline, of)) {
      batch.push({ of, accessor });
      elements += accessor.count;
      if (elements < ELEMENTS_AT_ONCE && batch.length < PIECES_AT_ONCE) continue;
      yield batch;
      batch = [];
      elements = 0;
    }
  }
  if (batch.length > 0) yield batch;
}

/**
 * Splits an accessor into accessors of few elements; a sparse one, or one without bytes, is not
 * split.
 */
function* piecesOf({ accessors, bufferViews }: GltfOutline, of: number): Iterable<AccessorOutline> {
  const accessor = accessors[of];
  if (accessor === undefined) return;
  const { bufferView, byteOffset, componentType, count, sparse, type } = accessor;
  if (bufferView === undefined || sparse !== undefined) return yield accessor;
  const stride = bufferViews[bufferView]?.byteStride ??
    COMPONENT_BYTES[componentType] * ELEMENT_SIZES[type];
  let start = 0;
  do {
    yield {
      ...accessor,
      byteOffset: byteOffset + start * stride,
      count: Math.min(ELEMENTS_AT_ONCE, count - start),
    };
    start += ELEMENTS_AT_ONCE;
  } while (start < count);
}

async function readPieces(
  { outline: { bufferViews }, buffers }: NumberSource,
  pieces: readonly Piece[],
): Promise<readonly (readonly [number, Accessor])[]> {
  const views: number[] = [];
  const places = new Map<number, number>();
  const placeOf = (view: number) => {
    const place = places.get(view) ?? views.length;
    if (place === views.length) views.push(view);
    places.set(view, place);
    return place;
  };
  const accessors = pieces.map(({ accessor }): GLTF.IAccessor => {
    const { bufferView, byteOffset, componentType, count, normalized, sparse, type } = accessor;
    return {
      ...(bufferView !== undefined && { bufferView: placeOf(bufferView), byteOffset }),
      componentType,
      count,
      normalized,
      type,
      ...(sparse !== undefined && {
        sparse: {
          count: sparse.count,
          indices: { ...sparse.indices, bufferView: placeOf(sparse.indices.bufferView) },
          values: { ...sparse.values, bufferView: placeOf(sparse.values.bufferView) },
        },
      }),
    };
  });
  const document = await new WebIO().setLogger(new Logger(Verbosity.SILENT)).readJSON({
    json: {
      asset: { version: "2.0" },
      buffers: buffers.map((bytes, index) => ({
        uri: resourceName(index),
        byteLength: bytes?.length ?? 0,
      })),
      bufferViews: views.map((view) => viewOf(bufferViews[view])),
      accessors,
    },
    resources: Object.fromEntries(
      buffers.map((bytes, index) => [resourceName(index), bytes ?? new Uint8Array(0)]),
    ),
  });
  const read = document.getRoot().listAccessors();
  return pieces.flatMap(({ of }, place): readonly (readonly [number, Accessor])[] => {
    const accessor = read[place];
    return accessor === undefined ? [] : [[of, accessor]];
  });
}

function viewOf(view: GltfOutline["bufferViews"][number] | undefined): GLTF.IBufferView {
  const { buffer = 0, byteOffset = 0, byteLength = 0, byteStride } = view ?? {};
  return { buffer, byteOffset, byteLength, ...(byteStride !== undefined && { byteStride }) };
}

function resourceName(index: number): string {
  return `buffer-${index}`;
}

/** Pieces of {@linkcode ELEMENTS_AT_ONCE} elements, the last shorter, or one of any length. */
function joined(pieces: readonly Accessor[]): NumberList {
  const length = pieces.length === 1 ? Infinity : ELEMENTS_AT_ONCE;
  const at = (index: number) => pieces[Math.floor(index / length)];
  return {
    count: pieces.reduce((sum, piece) => sum + piece.getCount(), 0),
    scalar: (index) => at(index)?.getScalar(index % length) ?? 0,
    element: (index, into = []) => at(index)?.getElement(index % length, into) ?? into,
  };
}
