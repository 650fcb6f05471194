import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { glb, type Gltf, packed } from "../editor/glb.ts";
import { handModels } from "../editor/hand-models.ts";
import { PROFILE_MODELS } from "../editor/profile-models.ts";
import { compareWithLoader } from "../engines/compare-models.ts";
import { openChromium } from "../engines/web-views.ts";
import { withFolder } from "../support/folder.ts";

const { skip, open } = openChromium({ webgl: true });

test("a few real models are drawn as three.js' own loader has them drawn", { skip }, async () => {
  const [first = "", last = ""] = [PROFILE_MODELS[0], PROFILE_MODELS.at(-1)];
  // A skinned hand, below a mirrored parent.
  await compareWithLoader(open, [first, last, ...(await handModels()).paths.slice(0, 1)]);
});

test("a skinned hand bends as three.js' own animation bends it", { skip }, async () => {
  await compareWithLoader(open, (await handModels()).paths.slice(0, 1), 10);
});

test(
  "meshes without a material are metal, as glTF and three.js' own loader have them",
  { skip },
  async () => {
    const files = {
      "no-material": walls({}, {}),
      "default-material": walls({ materials: [{}] }, { material: 0 }),
      "one-of-two": walls({ materials: [{ pbrMetallicRoughness: { metallicFactor: 0 } }] }, {
        material: 0,
      }, {}),
    };
    await withFolder(async (folder) => {
      const pathOf = (name: string) => join(folder, `${name}.glb`);
      for (const [name, bytes] of Object.entries(files)) writeFileSync(pathOf(name), bytes);
      await compareWithLoader(open, Object.keys(files).map(pathOf));
    });
  },
);

/** A mesh of walls side by side, one for each primitive. */
function walls(json: Gltf, ...primitives: readonly Gltf[]): Uint8Array {
  const accessors = primitives.map((_one, n) =>
    [
      { data: new Float32Array([n, 0, 0, n + 1, 0, 0, n + 1, 1, 0, n, 1, 0]), type: "VEC3" },
      { data: new Float32Array([0, 0, 1, 0, 0, 1, 0.6, 0, 0.8, 0.6, 0, 0.8]), type: "VEC3" },
      { data: new Uint16Array([0, 1, 2, 0, 2, 3]), type: "SCALAR" },
    ] as const
  );
  const { json: buffers, bytes } = packed(accessors.flat());
  const meshes = [{
    primitives: primitives.map((one, n) => ({
      ...one,
      attributes: { POSITION: n * 3, NORMAL: n * 3 + 1 },
      indices: n * 3 + 2,
    })),
  }];
  return glb(
    { ...buffers, ...json, meshes, nodes: [{ mesh: 0 }], scenes: [{ nodes: [0] }] },
    bytes,
  );
}
