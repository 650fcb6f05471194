import { runAtOnce } from "../../lib/core/cooperative.ts";
import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createFiles } from "../../adapters/node/files.ts";
import { reachedAssets } from "../../lib/editor/assets/mod.ts";
import { meshesAlone } from "../../lib/editor/gltf/mod.ts";
import { gameModels } from "../../lib/project/building/game-models.ts";
import { PROFILE_MODELS } from "../editor/profile-models.ts";
import { skinnedGlb } from "../editor/skinned-model.ts";
import { bringIn } from "../support/bring-in.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { withProjectService } from "../support/project-service.ts";

const SCENE = "assets/scenes/main.scene.json";
const WHOLE = "00000000-0000-4000-8000-000000000001";
const PICTURED = PROFILE_MODELS.find((path) => path.includes("oculus-touch-v2/left")) ?? "";

interface Gltf {
  readonly meshes: readonly {
    readonly primitives: readonly {
      readonly attributes: Readonly<Record<string, number>>;
      readonly indices?: number;
      readonly targets?: readonly Readonly<Record<string, number>>[];
    }[];
  }[];
  readonly accessors: readonly {
    readonly bufferView: number;
    readonly byteOffset?: number;
    readonly count: number;
  }[];
  readonly bufferViews: readonly { readonly byteOffset?: number; readonly byteLength: number }[];
  readonly images?: readonly unknown[];
  readonly animations?: readonly unknown[];
}

/** A GLB's parts, read without any of the project's code. */
function partsOf(bytes: Uint8Array): { readonly json: Gltf; readonly binary: Uint8Array } {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const end = 20 + view.getUint32(12, true);
  assert.equal(view.getUint32(8, true), bytes.length);
  assert.equal(end % 4, 0);
  return {
    json: JSON.parse(new TextDecoder().decode(bytes.subarray(20, end))),
    binary: bytes.subarray(end + 8, end + 8 + view.getUint32(end, true)),
  };
}

/** What is drawn of each mesh: each attribute with its own bytes and all of its accessor. */
function drawnOf(bytes: Uint8Array, expected: (mesh: number) => boolean) {
  const { json, binary } = partsOf(bytes);
  const accessor = (index: number) => {
    const { bufferView, byteOffset = 0, ...rest } = json.accessors[index] ?? assert.fail();
    const { byteOffset: at = 0, byteLength } = json.bufferViews[bufferView] ?? assert.fail();
    const numbers = Buffer.from(binary.subarray(at + byteOffset, at + byteLength));
    return { ...rest, numbers: numbers.toString("base64") };
  };
  const attributes = (named: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(named).map(([name, index]) => [name, accessor(index)]));
  return json.meshes.map(({ primitives }, mesh) =>
    !expected(mesh) ? [] : primitives.map((primitive) => ({
      attributes: attributes(primitive.attributes),
      indices: primitive.indices === undefined ? null : accessor(primitive.indices),
      targets: (primitive.targets ?? []).map(attributes),
    }))
  );
}

test("a built game carries of imported models the vertices that are drawn, and no picture twice", () =>
  withFolder(async (root) => {
    const build = { web: { out: "dist" } };
    writeTree(root, {
      "project.config.json": JSON.stringify({ name: "Models", startScene: SCENE, build }),
      [SCENE]: JSON.stringify({ schema: 1, name: "Main", entities: [] }),
      "incoming/skinned.glb": skinnedGlb(),
      "assets/whole.glb": skinnedGlb(),
      "assets/whole.glb.meta.json": JSON.stringify({ guid: WHOLE }),
    });
    await withProjectService(root, async ({ call }) => {
      for (const file of [bringIn(root, PICTURED), "incoming/skinned.glb"]) {
        const made = await call("import_file", { file });
        assert.equal(made.status, 200, made.text);
        const placed = await call("instantiate_prefab", { prefab: made.body.prefab.guid });
        assert.equal(placed.status, 200, placed.text);
      }
      const traits = { Transform: {}, Renderable3D: { mesh: "model", model: WHOLE } };
      const edited = await call("svc_scene_edit", {
        ops: [{ op: "create", name: "Whole", layer: "3d", traits }],
      });
      assert.equal(edited.status, 200, edited.text);
      assert.equal((await call("save_scene")).status, 200);
    });
    const files = createFiles();
    const reached = await reachedAssets(files, root, SCENE);
    assert.ok(reached.ok);
    const log: string[] = [];
    const models = await gameModels({ files, root, log: (line) => log.push(line) }, reached.value);
    assert.ok(models.ok);
    const { made, assets } = models.value;
    assert.match(log.join("\n"), /^models: 2 without the pictures and animations/);
    assert.equal(made.size, 2);
    assert.equal(made.has("assets/whole.glb"), false);
    assert.ok(assets.some(({ guid }) => guid === WHOLE));
    for (const [path, bytes] of made) {
      const before = new Uint8Array(readFileSync(join(root, path)));
      assert.deepEqual(drawnOf(bytes, () => true), drawnOf(before, () => true));
      const { images, animations } = partsOf(bytes).json;
      assert.deepEqual([images, animations], [undefined, undefined]);
      assert.equal(assets.find((asset) => asset.path === path)?.size, bytes.length);
      assert.ok(bytes.length < before.length);
    }
  }));

test("meshesAlone() keeps the numbers of meshes, leaves out those that are not drawn, and the same bytes give the same", () => {
  const bytes = new Uint8Array(readFileSync(PICTURED));
  const count = partsOf(bytes).json.meshes.length;
  assert.ok(count > 2);
  const last = new Set([count - 1]);
  const one = runAtOnce(meshesAlone(bytes, last));
  const every = new Set(Array.from({ length: count }, (_, mesh) => mesh));
  const all = runAtOnce(meshesAlone(bytes, every));
  assert.ok(one !== null && all !== null && one.length < all.length);
  assert.deepEqual(drawnOf(one, () => true), drawnOf(bytes, (mesh) => last.has(mesh)));
  assert.deepEqual(runAtOnce(meshesAlone(bytes, last)), one);
  assert.equal(runAtOnce(meshesAlone(one, last)), null, "nothing is left to leave out");
});

const glb = (model: object): Uint8Array<ArrayBuffer> => {
  const text = JSON.stringify(model);
  const json = new TextEncoder().encode(text.padEnd(Math.ceil(text.length / 4) * 4));
  const bytes = new Uint8Array(28 + json.length + 64);
  const view = new DataView(bytes.buffer);
  const words = [0x46546c67, 2, bytes.length, json.length, 0x4e4f534a];
  for (const [index, word] of words.entries()) view.setUint32(index * 4, word, true);
  bytes.set(json, 20);
  view.setUint32(20 + json.length, 64, true);
  view.setUint32(24 + json.length, 0x004e4942, true);
  return bytes;
};

const GOOD = {
  asset: { version: "2.0", generator: "x".repeat(500) },
  meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
  accessors: [{ bufferView: 0, componentType: 5126, type: "VEC3", count: 3 }],
  bufferViews: [{ buffer: 0, byteLength: 36 }],
  buffers: [{ byteLength: 64 }],
};

for (
  const [title, change, isMade] of [
    ["takes a good one", {}, true],
    ["keeps quantization said", { extensionsUsed: ["KHR_mesh_quantization"] }, true],
    ["leaves one that is packed", { extensionsUsed: ["EXT_meshopt_compression"] }, false],
    ["leaves one packed by Draco", { extensionsUsed: ["KHR_draco_mesh_compression"] }, false],
    ["leaves one in several buffers", { buffers: [{ byteLength: 64 }, { byteLength: 1 }] }, false],
    ["leaves one with a file beside", { buffers: [{ uri: "a.bin", byteLength: 64 }] }, false],
    ["leaves one without its accessor", { accessors: [] }, false],
    ["leaves one whose view ends behind it", {
      bufferViews: [{ buffer: 0, byteOffset: 60, byteLength: 36 }],
    }, false],
    ["leaves one with a view of no size", { bufferViews: [{ buffer: 0 }] }, false],
    ["leaves one with a mesh that is none", { meshes: [null] }, false],
  ] as const
) {
  test(`meshesAlone() ${title}`, () => {
    const made = runAtOnce(meshesAlone(glb({ ...GOOD, ...change }), new Set([0])));
    assert.equal(made !== null, isMade);
    if (made === null || !("extensionsUsed" in change)) return;
    const text = new TextDecoder().decode(made);
    assert.match(text, /"extensionsRequired":\["KHR_mesh_quantization"\]/);
  });
}
