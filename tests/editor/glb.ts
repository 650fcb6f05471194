/** A glTF document as tests write it: nothing about it is checked. */
export type Gltf = Record<string, unknown>;

/** Numbers with what an accessor says of them. */
export interface TestAccessor {
  readonly data: Float32Array | Uint16Array | Uint8Array | Int16Array | Uint32Array;
  readonly type: "SCALAR" | "VEC2" | "VEC3" | "VEC4" | "MAT4";
  readonly normalized?: boolean;
  readonly min?: readonly number[];
  readonly max?: readonly number[];
}

const COMPONENTS: readonly (readonly [string, number])[] = [
  ["Float32Array", 5126],
  ["Uint32Array", 5125],
  ["Uint16Array", 5123],
  ["Int16Array", 5122],
  ["Uint8Array", 5121],
];
const SIZES = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };

/** The accessors, buffer views and bytes of a model. */
export function packed(
  accessors: readonly TestAccessor[],
): { readonly json: Gltf; readonly bytes: Uint8Array } {
  const parts: Uint8Array[] = [];
  let offset = 0;
  const views = accessors.map(({ data }) => {
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    const view = { buffer: 0, byteOffset: offset, byteLength: bytes.length };
    const padded = new Uint8Array(Math.ceil(bytes.length / 4) * 4);
    padded.set(bytes);
    parts.push(padded);
    offset += padded.length;
    return view;
  });
  const bytes = new Uint8Array(offset);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return {
    json: {
      buffers: [{ byteLength: offset }],
      bufferViews: views,
      accessors: accessors.map(({ data, type, normalized, min, max }, index) => ({
        bufferView: index,
        componentType: COMPONENTS.find(([name]) => name === data.constructor.name)?.[1],
        count: data.length / SIZES[type],
        type,
        ...(normalized && { normalized }),
        ...(min && { min }),
        ...(max && { max }),
      })),
    },
    bytes,
  };
}

/** A GLB of a document and a binary chunk. */
export function glb(json: Gltf, binary?: Uint8Array): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(JSON.stringify({ asset: { version: "2.0" }, ...json }));
  const jsonLength = Math.ceil(text.length / 4) * 4;
  const binLength = binary === undefined ? 0 : Math.ceil(binary.length / 4) * 4;
  const total = 20 + jsonLength + (binary === undefined ? 0 : 8 + binLength);
  const bytes = new Uint8Array(total);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 0x46546c67, true);
  view.setUint32(4, 2, true);
  view.setUint32(8, total, true);
  view.setUint32(12, jsonLength, true);
  view.setUint32(16, 0x4e4f534a, true);
  bytes.fill(0x20, 20, 20 + jsonLength);
  bytes.set(text, 20);
  if (binary !== undefined) {
    view.setUint32(20 + jsonLength, binLength, true);
    view.setUint32(24 + jsonLength, 0x004e4942, true);
    bytes.set(binary, 28 + jsonLength);
  }
  return bytes;
}

/** One triangle: corners at the origin, 1 m along x, 2 m along y. */
export const TRIANGLE: TestAccessor = {
  data: new Float32Array([0, 0, 0, 1, 0, 0, 0, 2, 0]),
  type: "VEC3",
};

/** A model whose one mesh is {@linkcode TRIANGLE}, with these nodes. */
export function triangleGlb(nodes: readonly Gltf[], more: Gltf = {}): Uint8Array<ArrayBuffer> {
  const { json, bytes } = packed([TRIANGLE]);
  return glb({
    ...json,
    meshes: [{ name: "Triangle", primitives: [{ attributes: { POSITION: 0 } }] }],
    nodes,
    ...more,
  }, bytes);
}
