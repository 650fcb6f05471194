import { glb, packed, TRIANGLE } from "./glb.ts";

/**
 * A small model with everything that bends: a joint that turns by half a turn in a second, and a body
 * of one triangle that wears it and smiles meanwhile.
 */
export function skinnedGlb(): Uint8Array<ArrayBuffer> {
  const { json, bytes } = packed([
    TRIANGLE,
    { data: new Float32Array([0, 1]), type: "SCALAR" },
    { data: new Float32Array([0, 0, 0, 1, 0, 1, 0, 0]), type: "VEC4" },
    { data: new Float32Array([0, 0, 1, 0.5]), type: "SCALAR" },
    {
      data: new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1]),
      type: "MAT4",
    },
    { data: new Uint8Array(12), type: "VEC4" },
    { data: new Float32Array([1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]), type: "VEC4" },
  ]);
  const attributes = { POSITION: 0, JOINTS_0: 5, WEIGHTS_0: 6 };
  return glb({
    ...json,
    scene: 0,
    scenes: [{ nodes: [0, 1] }],
    nodes: [
      { name: "Neck", translation: [0, 1, 0] },
      { name: "Face", mesh: 0, skin: 0 },
    ],
    skins: [{ joints: [0], inverseBindMatrices: 4 }],
    meshes: [{
      primitives: [{ attributes, targets: [{ POSITION: 0 }, { POSITION: 0 }] }],
      extras: { targetNames: ["Smile", "Blink"] },
    }],
    animations: [{
      name: "Greet",
      samplers: [{ input: 1, output: 2 }, { input: 1, output: 3 }],
      channels: [
        { sampler: 0, target: { node: 0, path: "rotation" } },
        { sampler: 1, target: { node: 1, path: "weights" } },
      ],
    }],
  }, bytes);
}
