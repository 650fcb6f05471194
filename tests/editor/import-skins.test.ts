import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ok } from "../../lib/core/result.ts";
import { fileName } from "../../lib/editor/gltf/names.ts";
import { type ImportedModel, importModel } from "../../lib/editor/gltf/model.ts";
import { type Clip, readClip, sample } from "../../lib/game/assets/clips.ts";
import { ROTATION_FIELD } from "../../lib/game/traits/motion.ts";
import type { Entity } from "../../lib/editor/ports/mod.ts";
import { worldPlaces } from "../../lib/game/scene/transforms.ts";
import { bringIn } from "../support/bring-in.ts";
import { withSampleService } from "../support/project-service.ts";
import { type Random, runSeed, seededRandom } from "../support/random.ts";
import { rounds } from "../support/rounds.ts";
import { glb, type Gltf, packed, type TestAccessor, TRIANGLE } from "./glb.ts";
import { apart, type Matrix, posesAt, read, times, worldOf } from "./gltf-poses.ts";
import { handModels } from "./hand-models.ts";

const LENGTHS = { translation: 3, scale: 3, rotation: 4, weights: 2 } as const;
type Path = keyof typeof LENGTHS;

async function imported(bytes: Uint8Array<ArrayBuffer>): Promise<ImportedModel> {
  let guids = 0;
  const outcome = await importModel({
    name: "thing",
    bytes,
    newGuid: () => `00000000-0000-4000-8000-${String(++guids).padStart(12, "0")}`,
    now: () => 0,
    readBeside: () => Promise.resolve(ok(new Uint8Array(0))),
  });
  if (!outcome.ok) throw new Error(outcome.error.message);
  return outcome.value;
}

// deno-lint-ignore no-explicit-any
function contentOf({ files }: ImportedModel, ending: string): any {
  const file = files.find(({ path }) => path.endsWith(ending));
  return JSON.parse(new TextDecoder().decode(file?.bytes));
}

function between(random: Random, low: number, high: number): number {
  return low + random.next() * (high - low);
}

function unit(random: Random): readonly number[] {
  const parts = [0, 1, 2, 3].map(() => between(random, -1, 1));
  const length = Math.hypot(...parts);
  return length < 0.1 ? [0, 0, 0, 1] : parts.map((part) => part / length);
}

/** A model of random joints in a tree, a mesh that they bend, and channels of every kind. */
function randomModel(random: Random): Uint8Array<ArrayBuffer> {
  const accessors: TestAccessor[] = [TRIANGLE];
  const add = (data: readonly number[], type: TestAccessor["type"]) =>
    accessors.push({ data: new Float32Array(data), type }) - 1;
  const count = 1 + random.below(6);
  const nodes: Gltf[] = Array.from({ length: count }, (_none, index) => ({
    name: `Joint ${index}`,
    translation: [0, 1, 2].map(() => between(random, -2, 2)),
    rotation: unit(random),
    scale: [0, 1, 2].map(() => between(random, 0.5, 2)),
  }));
  const children = nodes.map((): number[] => []);
  for (let index = 1; index < count; index++) children[random.below(index)]?.push(index);
  for (const [index, own] of children.entries()) {
    const node = nodes[index];
    if (node !== undefined && own.length > 0) node["children"] = own;
  }
  nodes.push({ name: "Body", mesh: 0, skin: 0, weights: [0.25, 0] });
  const joints = nodes.slice(0, count).map((_node, index) => index).reverse();
  const matrices = add(
    joints.flatMap(() => times(randomMatrix(random), randomMatrix(random))),
    "MAT4",
  );
  const samplers: Gltf[] = [];
  const channels: Gltf[] = [];
  for (const path of ["translation", "rotation", "scale", "weights"] as const) {
    for (const interpolation of ["LINEAR", "STEP", "CUBICSPLINE"]) {
      const keys = 1 + random.below(5);
      const perKey = interpolation === "CUBICSPLINE" ? 3 : 1;
      const times = Array.from({ length: keys }, (_none, key) => key * 0.5 + random.next() * 0.4);
      const values = Array.from(
        { length: keys * perKey },
        (_none, at) => valueOf(random, path, perKey === 3 && at % 3 !== 1),
      ).flat();
      const node = path === "weights" ? count : random.below(count);
      if (channels.some(({ target }) => isTarget(target, node, path))) continue;
      samplers.push({
        input: add(times, "SCALAR"),
        output: add(values, path === "rotation" ? "VEC4" : path === "weights" ? "SCALAR" : "VEC3"),
        interpolation,
      });
      channels.push({ sampler: samplers.length - 1, target: { node, path } });
    }
  }
  const { json, bytes } = packed(accessors);
  const target = { POSITION: 0 };
  return glb({
    ...json,
    scene: 0,
    scenes: [{ nodes: [0, count] }],
    nodes,
    skins: [{ joints, inverseBindMatrices: matrices }],
    meshes: [{
      primitives: [{ attributes: { POSITION: 0 }, targets: [target, target] }],
      weights: [0.5, 0.5],
      extras: { targetNames: ["Smile"] },
    }],
    animations: [{ name: "All", samplers, channels }],
  }, bytes);
}

function isTarget(target: unknown, node: number, path: string): boolean {
  return JSON.stringify(target) === JSON.stringify({ node, path });
}

function valueOf(random: Random, path: Path, isTangent: boolean): readonly number[] {
  if (path === "rotation" && !isTangent) return unit(random);
  return Array.from({ length: LENGTHS[path] }, () => between(random, -2, 2));
}

function randomMatrix(random: Random): Matrix {
  return [0, 1, 2].flatMap(() => [0, 1, 2].map(() => between(random, -1, 1)).concat(0)).concat(
    [0, 1, 2].map(() => between(random, -1, 1)),
    1,
  );
}

/** What a clip gives one path of a node at a time; `null` for what it does not move. */
function sampled(clip: Clip, target: string, path: Path, t: number): readonly number[] | null {
  const names = {
    translation: ["Transform.x", "Transform.y", "Transform.z"],
    scale: ["Transform.sx", "Transform.sy", "Transform.sz"],
    rotation: [ROTATION_FIELD],
    weights: ["Morph.w0", "Morph.w1"],
  };
  const values = names[path].flatMap((name) => {
    const track = clip.tracks.find((one) =>
      one.target === target && `${one.trait}.${one.field}` === name
    );
    return track === undefined ? [] : [sample(track, t)].flat();
  }).map(Number);
  if (values.length === 0) return null;
  const length = path === "rotation" ? Math.hypot(...values) : 1;
  return values.map((value) => value / length);
}

/** The matrix of an affine place, column by column. */
function columns(
  { linear: [a, b, c, d, e, f, g, h, i], offset: [x, y, z] }: {
    readonly linear: readonly number[];
    readonly offset: readonly number[];
  },
): Matrix {
  return [a, d, g, 0, b, e, h, 0, c, f, i, 0, x, y, z, 1].map((value) => value ?? 0);
}

// deno-lint-ignore no-explicit-any
function entitiesOf(root: any): readonly Entity[] {
  const entities: Entity[] = [];
  // deno-lint-ignore no-explicit-any
  const add = ({ guid = "", name, layer, traits, children = [] }: any, parentId: number | null) => {
    const id = entities.length + 1;
    entities.push({ id, guid, name, parentId, layer, traits });
    for (const child of children) add(child, id);
  };
  add(root, null);
  return entities;
}

test("importModel() of random skinned, morphed, animated models is what the file means", async () => {
  const seed = runSeed();
  for (let round = 0; round < rounds(60, 2_000); round++) {
    const label = `SLIPWAY_SEED=${seed} round ${round}`;
    const random = seededRandom(seed + round);
    const bytes = randomModel(random);
    const model = await imported(bytes);
    const document = await read(bytes);
    const [animation = null] = document.getRoot().listAnimations();
    const [skin] = document.getRoot().listSkins();
    assert.deepEqual(model.warnings, [], label);

    // Every joint, by its guid, with its matrix in the mesh, gives the matrix that bends.
    const entities = entitiesOf(contentOf(model, ".prefab.json").root);
    const places = worldPlaces(entities);
    const body = entities.find(({ name }) => name === "Body");
    const joints = String(body?.traits["Skin"]?.["joints"]).split(" ");
    const { binds, targets } = contentOf(model, ".mesh.json");
    assert.deepEqual(targets, ["Smile", "Target 1"], label);
    assert.deepEqual(body?.traits["Morph"], { w0: 0.25 }, "a node's weights come first");
    assert.equal(joints.length, skin?.listJoints().length, label);
    const rest = posesAt(document, null, 0);
    for (const [place, joint] of (skin?.listJoints() ?? []).entries()) {
      const entity = entities.find(({ guid }) => guid === joints[place]);
      assert.equal(entity?.name, joint.getName(), label);
      const affine = places.get(entity?.id ?? 0)?.affine;
      assert.ok(affine !== undefined, label);
      const inverse = skin?.getInverseBindMatrices()?.getElement(place, []) ?? [];
      const found = times(columns(affine), binds[0][place]);
      const expected = times(worldOf(joint, rest), inverse);
      assert.ok(apart(expected, found) < 1e-4, `${label}: ${joint.getName()} bends alike`);
    }

    // And every channel, between its keys, before the first and after the last.
    const clip = readClip(contentOf(model, ".anim.json"));
    assert.ok(clip !== null, label);
    for (let t = 0; t < 3; t += 0.0731) {
      const poses = posesAt(document, animation, t);
      for (const channel of animation?.listChannels() ?? []) {
        const [node, path] = [channel.getTargetNode(), channel.getTargetPath()];
        if (node === null || path === null) continue;
        const names: string[] = [];
        for (let at = node;;) {
          names.unshift(at.getName());
          const parent = at.getParentNode();
          if (parent === null) break;
          at = parent;
        }
        const expected = poses.get(node)?.[path] ?? [];
        const found = sampled(clip, names.join("/"), path, t);
        const kind = channel.getSampler()?.getInterpolation();
        assert.ok(
          found !== null && apart(expected, found) < 2e-5,
          `${label}: ${path} ${kind} at ${t}`,
        );
      }
    }
  }
});

const { paths: hands, skip } = await handModels();

test(
  "real hands bend while they play as glTF says, joint by joint",
  { skip },
  () =>
    withSampleService(async ({ call, editor, root }) => {
      for (const path of hands) {
        const document = await read(readFileSync(path));
        const skins = document.getRoot().listSkins();
        const made = (await call("import_file", { file: bringIn(root, path) })).body;
        const placed = (await call("instantiate_prefab", { prefab: made.prefab.guid })).body;
        const [{ id, guid }] = placed.created;
        const below = new Set<number>(placed.created.map((one: { id: number }) => one.id));
        const own = async () =>
          (await editor.sceneState()).entities.filter((entity) => below.has(entity.id));
        const worn = (await own()).filter(({ traits }) => traits["Skin"] !== undefined);
        const wearers = document.getRoot().listNodes().filter((node) => node.getSkin() !== null);
        assert.equal(worn.length, wearers.length);
        assert.ok(worn.length > 0, "the hands are skinned");
        const guids = String(worn[0]?.traits["Skin"]?.["joints"]).split(" ");
        const meshGuid = String(worn[0]?.traits["Renderable3D"]?.["model"]);
        const mesh = (await call("get_asset", { asset: meshGuid, content: true })).body.content;
        const joints = skins[0]?.listJoints() ?? [];
        assert.equal(guids.length, joints.length);
        assert.equal(mesh.binds[0].length, joints.length);

        await call("step_play", { ticks: 1 });
        for (const animation of document.getRoot().listAnimations()) {
          const played = await call("play_clip", { guid, clip: fileName(animation.getName(), "") });
          assert.equal(played.status, 200, played.text);
          const length = Math.max(
            ...animation.listSamplers().map((one) => one.getInput()?.getMax([])[0] ?? 0),
          );
          const ticks = 1 + Math.floor(Math.min(length * 60 - 1, 7));
          await call("step_play", { ticks });
          const time = (ticks - 1) / 60;
          const poses = posesAt(document, animation, time);
          const now = await own();
          const places = worldPlaces(
            now.map((one) => one.id === id ? { ...one, parentId: null } : one),
          );
          for (const [place, joint] of joints.entries()) {
            const entity = now.find((one) => one.guid === guids[place]);
            const affine = places.get(entity?.id ?? 0)?.affine;
            assert.ok(affine !== undefined, `joint ${place} is in the scene`);
            const inverse = skins[0]?.getInverseBindMatrices()?.getElement(place, []) ?? [];
            const expected = times(worldOf(joint, poses), inverse);
            const found = times(columns(affine), mesh.binds[0][place]);
            const label = `${path} ${animation.getName()} at ${time}: ${joint.getName()}`;
            assert.ok(
              apart(expected, found) < 1e-4,
              `${label} is off by ${apart(expected, found)}`,
            );
          }
        }
        await call("play_control", { action: "stop" });
      }
    }),
);
