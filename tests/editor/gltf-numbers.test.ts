import assert from "node:assert/strict";
import { test } from "node:test";
import { readNumbers } from "../../lib/editor/gltf/numbers.ts";
import {
  type AccessorOutline,
  COMPONENT_BYTES,
  type ComponentType,
  ELEMENT_SIZES,
  type ElementType,
} from "../../lib/editor/gltf/outline-types.ts";

/** A number that each type can hold, and what it means where numbers are normalized. */
const VALUES: Readonly<Record<ComponentType, readonly (readonly [number, number])[]>> = {
  5120: [[-128, -1], [-127, -1], [0, 0], [127, 1], [63, 63 / 127]],
  5121: [[0, 0], [255, 1], [128, 128 / 255]],
  5122: [[-32_768, -1], [32_767, 1], [-5, -5 / 32_767]],
  5123: [[65_535, 1], [1, 1 / 65_535]],
  5125: [[4_294_967_295, 1], [7, 7 / 4_294_967_295]],
  5126: [[0.5, 0.5], [-3.25, -3.25], [1024, 1024]],
};
const TYPES: readonly ComponentType[] = [5120, 5121, 5122, 5123, 5125, 5126];
const ELEMENTS: readonly ElementType[] = ["SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT3", "MAT4"];
const WRITERS: Readonly<Record<ComponentType, (to: DataView, at: number, value: number) => void>> =
  {
    5120: (to, at, value) => to.setInt8(at, value),
    5121: (to, at, value) => to.setUint8(at, value),
    5122: (to, at, value) => to.setInt16(at, value, true),
    5123: (to, at, value) => to.setUint16(at, value, true),
    5125: (to, at, value) => to.setUint32(at, value, true),
    5126: (to, at, value) => to.setFloat32(at, value, true),
  };
const COUNT = 5;
const SPARSE = [1, 4];

/** The numbers of an accessor at byte 4 of the second view of a buffer, as an import reads them. */
async function readFrom(
  accessor: Partial<AccessorOutline> & Pick<AccessorOutline, "componentType" | "type">,
  { stride, bytes }: { readonly stride?: number; readonly bytes: Uint8Array<ArrayBuffer> | null },
): Promise<{ readonly count: number; readonly elements: readonly (readonly number[])[] }> {
  const outline = {
    meshes: [{
      name: undefined,
      primitives: [{ position: 0, indices: undefined, material: undefined, mode: 4 }],
      targets: [],
      weights: undefined,
    }],
    skins: [],
    animations: [],
    accessors: [{
      bufferView: 0,
      byteOffset: 4,
      normalized: false,
      count: COUNT,
      min: undefined,
      max: undefined,
      sparse: undefined,
      compressed: false,
      ...accessor,
    }],
    bufferViews: [
      { buffer: 0, byteOffset: 8, byteLength: 1016, byteStride: stride },
      { buffer: 0, byteOffset: 1024, byteLength: 1024, byteStride: undefined },
    ],
  };
  let pauses = 0;
  const numbers = await readNumbers({ outline, buffers: [bytes] }, () => {
    pauses++;
    return Promise.resolve();
  });
  assert.ok(pauses > 0);
  const list = numbers.get(0);
  assert.ok(list !== undefined);
  return {
    count: list.count,
    elements: Array.from({ length: list.count }, (_, index) => {
      const element = list.element(index);
      assert.equal(list.scalar(index), element[0]);
      return element;
    }),
  };
}

for (const componentType of TYPES) {
  for (const type of ELEMENTS) {
    for (const normalized of [false, true]) {
      test(`readNumbers() of ${type} ${componentType}${normalized ? ", normalized" : ""}`, async () => {
        const [size, width] = [ELEMENT_SIZES[type], COMPONENT_BYTES[componentType]];
        const values = VALUES[componentType];
        const valueAt = (index: number, component: number) =>
          values[(index * size + component) % values.length] ?? [0, 0];
        const meant = (index: number) =>
          Array.from({ length: size }, (_, i) => valueAt(index, i)[normalized ? 1 : 0]);
        const bytes = new Uint8Array(2048);
        const view = new DataView(bytes.buffer);
        for (const stride of [size * width, size * width + 4]) {
          bytes.fill(0);
          for (let index = 0; index < COUNT; index++) {
            for (let component = 0; component < size; component++) {
              const at = 12 + stride * index + width * component;
              WRITERS[componentType](view, at, valueAt(index, component)[0]);
            }
          }
          // Substitutes of the elements 1 and 4: the values of those after them.
          for (const [place, index] of SPARSE.entries()) {
            view.setUint16(1024 + 2 * place, index, true);
            for (let component = 0; component < size; component++) {
              const at = 1024 + 8 + width * (size * place + component);
              WRITERS[componentType](view, at, valueAt(index + 1, component)[0]);
            }
          }
          const sparse = {
            count: SPARSE.length,
            indices: { bufferView: 1, byteOffset: 0, componentType: 5123 },
            values: { bufferView: 1, byteOffset: 8 },
          } as const;
          const accessor = { componentType, type, normalized };
          const all = Array.from({ length: COUNT }, (_, index) => meant(index));
          assert.deepEqual(await readFrom(accessor, { stride, bytes }), {
            count: COUNT,
            elements: all,
          });
          const replaced = all.map((element, i) => SPARSE.includes(i) ? meant(i + 1) : element);
          const { elements } = await readFrom({ ...accessor, sparse }, { stride, bytes });
          assert.deepEqual(elements, replaced);
          const zeros = all.map((_, i) => SPARSE.includes(i) ? meant(i + 1) : Array(size).fill(0));
          const alone = { ...accessor, sparse, bufferView: undefined, byteOffset: 0 };
          assert.deepEqual((await readFrom(alone, { stride, bytes })).elements, zeros);
        }
      });
    }
  }
}

test("readNumbers() of a buffer that only an extension could fill are zeros", async () => {
  const accessor = { componentType: 5126, type: "VEC2" } as const;
  const { elements } = await readFrom(accessor, { bytes: null });
  assert.deepEqual(elements, Array(COUNT).fill([0, 0]));
});
