import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { AnimationMixer, Euler, MathUtils, type Object3D, Quaternion, Vector3 } from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import type { Entity } from "../../lib/editor/ports/mod.ts";
import { bringIn } from "../support/bring-in.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { withProjectService } from "../support/project-service.ts";
import { emoteModels } from "./emote-models.ts";

const SCENE = "assets/scenes/main.scene.json";
/** Steps that are played; the first of them is the beginning of each animation. */
const STEPS = [1, 20, 47, 90];
/** How far a joint may be from where three.js has it: in metres, as a share of its scale, in degrees. */
const MOST = { position: 1e-5, scale: 1e-5, turn: 0.01 };

const { paths, skip } = await emoteModels();

/** A node of a file, by the names on the way to it. */
function nodesOf(root: Object3D): ReadonlyMap<string, Object3D> {
  const found = new Map<string, Object3D>();
  const visit = (node: Object3D, way: string) => {
    for (const child of node.children) {
      found.set(`${way}/${child.name}`, child);
      visit(child, `${way}/${child.name}`);
    }
  };
  visit(root, "");
  return found;
}

/** The same of an instance; names as three.js leaves them. */
function entitiesOf(all: readonly Entity[], root: number): ReadonlyMap<string, Entity> {
  const below = new Map<number | null, Entity[]>();
  for (const entity of all) {
    const siblings = below.get(entity.parentId);
    if (siblings === undefined) below.set(entity.parentId, [entity]);
    else siblings.push(entity);
  }
  const found = new Map<string, Entity>();
  const visit = (id: number, way: string) => {
    for (const child of below.get(id) ?? []) {
      const path = `${way}/${child.name.replace(/\s/g, "_").replace(/[[\].:/]/g, "")}`;
      found.set(path, child);
      visit(child.id, path);
    }
  };
  visit(root, "");
  return found;
}

/** How far an entity is from a node, in each of the ways of `MOST`. */
function distances({ traits }: Entity, { position, quaternion, scale }: Object3D) {
  const { x = 0, y = 0, z = 0, rx = 0, ry = 0, rz = 0, sx = 1, sy = 1, sz = 1 } = Object
    .fromEntries(
      Object.entries(traits["Transform"] ?? {}).map(([name, value]) => [name, Number(value)]),
    );
  const [a = 0, b = 0, c = 0] = [rx, ry, rz].map(MathUtils.degToRad);
  const turned = new Quaternion().setFromEuler(new Euler(a, b, c, "XYZ"));
  return {
    position: position.distanceTo(new Vector3(x, y, z)),
    scale: scale.distanceTo(new Vector3(sx, sy, sz)) / scale.length(),
    turn: MathUtils.radToDeg(turned.angleTo(quaternion.normalize())),
  };
}

/** A file, as an entity of the scene, and as three.js has it. */
interface Played {
  readonly file: string;
  readonly id: number;
  readonly nodes: ReadonlyMap<string, Object3D>;
  readonly mixer: AnimationMixer;
}

test(
  "16 real animations move every joint as three.js' own mixer does",
  { skip },
  () =>
    withFolder(async (root) => {
      writeTree(root, {
        "project.config.json": JSON.stringify({
          name: "Emotes",
          startScene: SCENE,
          build: { web: { out: "dist" } },
        }),
        [SCENE]: JSON.stringify({ schema: 1, name: "Main", entities: [] }),
      });
      await withProjectService(root, async ({ call, editor }) => {
        const all: Played[] = [];
        for (const file of paths) {
          const made = await call("import_file", { file: bringIn(root, file) });
          assert.equal(made.status, 200, made.text);
          const placed = await call("instantiate_prefab", { prefab: made.body.prefab.guid });
          assert.equal(placed.status, 200, placed.text);
          const bytes = new Uint8Array(readFileSync(file));
          const { scene, animations: [clip] } = await new GLTFLoader().parseAsync(bytes.buffer, "");
          assert.ok(clip !== undefined);
          const mixer = new AnimationMixer(scene);
          mixer.clipAction(clip).play();
          all.push({ file, id: placed.body.created[0].id, nodes: nodesOf(scene), mixer });
        }
        let [played, compared] = [0, 0];
        const far: string[] = [];
        for (const steps of STEPS) {
          assert.equal((await call("step_play", { ticks: steps - played })).status, 200);
          played = steps;
          const { entities } = await editor.sceneState();
          for (const { file, id, nodes, mixer } of all) {
            mixer.setTime((steps - 1) / 60);
            const mine = entitiesOf(entities, id);
            for (const [path, node] of nodes) {
              const entity = mine.get(path);
              assert.ok(entity !== undefined, `${file}: ${path}`);
              const found = distances(entity, node);
              compared++;
              const isFar = found.position > MOST.position || found.scale > MOST.scale ||
                found.turn > MOST.turn;
              if (isFar) far.push(`${file} ${path} at ${steps}: ${JSON.stringify(found)}`);
            }
          }
        }
        assert.deepEqual(far.slice(0, 10), [], `${far.length} of ${compared}`);
        assert.equal(compared, STEPS.length * 1_014);
      });
    }),
);
