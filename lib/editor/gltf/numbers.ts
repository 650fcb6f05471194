import { type Accessor, type GLTF, Logger, Verbosity, WebIO } from "@gltf-transform/core";
import type { GltfOutline } from "./outline-types.ts";
import type { Buffers } from "./resources.ts";

/** The numbers of the accessors that were asked for, by their places in the file. */
export type Numbers = ReadonlyMap<number, Accessor>;

/** The accessors whose numbers an import looks at: positions, their indices, skins and animations. */
export function wantedAccessors(outline: GltfOutline): readonly number[] {
  const { meshes, skins, animations, accessors } = outline;
  const wanted = new Set(skins.map(({ inverseBindMatrices }) => inverseBindMatrices));
  for (const { primitives } of meshes) {
    for (const { position, indices } of primitives) wanted.add(position).add(indices);
  }
  for (const { channels } of animations) {
    for (const { input, output } of channels) wanted.add(input).add(output);
  }
  return accessors.flatMap(({ compressed }, index) =>
    wanted.has(index) && !compressed ? [index] : []
  );
}

/**
 * Reads the numbers of accessors: interleaved, sparse, normalized ones as well. Nothing else of the
 * file is given to the reader, so what an extension put there cannot trouble it.
 *
 * @param text The JSON of a file whose outline has been checked.
 */
export async function readNumbers(
  text: string,
  buffers: Buffers,
  wanted: readonly number[],
): Promise<Numbers> {
  const json: GLTF.IGLTF = JSON.parse(text);
  const accessors = wanted.flatMap((index) => json.accessors?.[index] ?? []);
  const views = new Set<number | undefined>(
    accessors.flatMap(({ bufferView, sparse }) => [
      bufferView,
      sparse?.indices.bufferView,
      sparse?.values.bufferView,
    ]),
  );
  const document = await new WebIO().setLogger(new Logger(Verbosity.SILENT)).readJSON({
    json: {
      asset: { version: "2.0" },
      buffers: buffers.map((bytes, index) => ({
        uri: resourceName(index),
        byteLength: bytes?.length ?? 0,
      })),
      bufferViews: (json.bufferViews ?? []).map((view, index) =>
        views.has(index) ? view : { buffer: view.buffer, byteOffset: 0, byteLength: 0 }
      ),
      accessors,
    },
    resources: Object.fromEntries(
      buffers.map((bytes, index) => [resourceName(index), bytes ?? new Uint8Array(0)]),
    ),
  });
  const read = document.getRoot().listAccessors();
  return new Map(
    wanted.flatMap((index, place): readonly (readonly [number, Accessor])[] => {
      const accessor = read[place];
      return accessor === undefined ? [] : [[index, accessor]];
    }),
  );
}

function resourceName(index: number): string {
  return `buffer-${index}`;
}
