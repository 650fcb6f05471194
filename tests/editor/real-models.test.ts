import { test } from "node:test";
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bringIn } from "../support/bring-in.ts";
import { withFolder } from "../support/folder.ts";
import { withProjectService } from "../support/project-service.ts";
import { handModels } from "./hand-models.ts";
import { PROFILE_MODELS } from "./profile-models.ts";
import { skinnedGlb } from "./skinned-model.ts";

const SCENE = "assets/scenes/all.scene.json";

/** What the JSON chunk of a GLB says, read without any of the project's code. */
function chunkOf(file: string): {
  readonly nodes?: readonly {
    readonly name?: string;
    readonly mesh?: number;
    readonly skin?: number;
  }[];
  readonly meshes?: readonly unknown[];
  readonly images?: readonly unknown[];
} {
  const bytes = readFileSync(file);
  return JSON.parse(bytes.subarray(20, 20 + bytes.readUInt32LE(12)).toString("utf8"));
}

/** A project with an empty scene. */
function emptyProject(root: string): void {
  mkdirSync(join(root, "assets/scenes"), { recursive: true });
  const build = { web: { command: ["true"], out: "dist" } };
  const config = { name: "Real", startScene: SCENE, build };
  writeFileSync(join(root, "project.config.json"), JSON.stringify(config));
  writeFileSync(join(root, SCENE), JSON.stringify({ schema: 1, name: "All", entities: [] }));
}

test("82 real models become one scene that tools read, edit, save, validate and play", () =>
  withFolder(async (root) => {
    emptyProject(root);
    await withProjectService(root, async ({ call, editor }) => {
      assert.equal(PROFILE_MODELS.length, 82);
      const counts = { nodes: 0, drawn: 0, skinned: 0, meshes: 0, images: 0 };
      for (const [index, file] of PROFILE_MODELS.entries()) {
        const { nodes = [], meshes = [], images = [] } = chunkOf(file);
        counts.nodes += nodes.length;
        counts.drawn += nodes.filter(({ mesh }) => mesh !== undefined).length;
        counts.skinned += nodes.filter(({ skin }) => skin !== undefined).length;
        counts.meshes += meshes.length;
        counts.images += images.length;
        const made = await call("import_file", { file: bringIn(root, file) });
        assert.equal(made.status, 200, made.text);
        assert.equal(made.body.byType.mesh, meshes.length);
        const placed = await editor.prefabs.instantiate({
          prefab: made.body.prefab.guid,
          transform: { x: (index % 10) * 0.3, y: Math.floor(index / 10) * 0.3 },
          source: "agent",
        });
        if (!placed.ok) throw new Error(placed.error.detail);
        assert.equal(placed.value.created.length, nodes.length + 1, file);
      }
      assert.equal(counts.nodes, 2_643);

      const index = (await call("svc_get_scene_state")).body;
      assert.equal(index.entityCount, counts.nodes + 82);
      assert.equal(index.truncated, true);
      const drawn = (await call("svc_get_scene_state", { trait: "Renderable3D", limit: 1 })).body;
      assert.equal(drawn.matched, counts.drawn);
      const far =
        (await call("svc_get_scene_state", { where: "Transform.x > 2.6", limit: 3 })).body;
      assert.ok(far.matched >= 8 && far.matched < 82, String(far.matched));

      const assets = (await call("list_assets")).body;
      assert.deepEqual(
        [assets.byType.model, assets.byType.prefab, assets.byType.mesh, assets.byType.texture],
        [82, 82, counts.meshes, counts.images],
      );
      const unused = (await call("find_asset_uses")).body;
      assert.equal(unused.byType.prefab ?? 0, 0, "the scene names every prefab");

      const edit = await call("svc_scene_edit", {
        ops: [
          {
            op: "create",
            name: "Eye",
            layer: "3d",
            traits: { Transform: { x: 1.35, y: 1.2, z: 5 }, Camera: { fov: 60 } },
          },
          { op: "rename", id: 1, name: "First" },
        ],
      });
      assert.equal(edit.status, 200, edit.text);
      assert.equal(edit.body.changed, 2);
      const layout = (await call("svc_get_layout_bounds")).body;
      assert.equal(layout.layerCounts["3d"], counts.drawn);
      assert.ok(layout.offScreenCount < 82, `${layout.offScreenCount} are off the screen`);
      const complete = await editor.layoutBounds();
      const seen = complete.entries.filter(({ rect }) => rect !== null && rect.w > 0 && rect.h > 0);
      assert.ok(seen.length > counts.drawn * 0.9, `${seen.length} of ${counts.drawn} have a size`);

      const saved = await call("save_scene");
      assert.equal(saved.status, 200, saved.text);
      const checked = await call("validate_scene", { path: SCENE });
      assert.equal(checked.status, 200, checked.text);
      assert.deepEqual(checked.body.errors ?? [], []);
      const before = (await editor.sceneState()).entities.map(({ guid }) => guid);
      const reopened = await editor.editing.openScene(SCENE, { source: "agent" });
      assert.equal(reopened.ok, true);
      assert.deepEqual((await editor.sceneState()).entities.map(({ guid }) => guid), before);
      // Something skinned and morphed among them, and the hands where they can be had.
      const bent: { readonly id: number; readonly guid: string }[] = [];
      const hands = (await handModels()).paths.map((path) => readFileSync(path));
      for (const bytes of [skinnedGlb(), ...hands]) {
        writeFileSync(join(root, "model.glb"), bytes);
        const made = await call("import_file", { file: "model.glb" });
        assert.equal(made.status, 200, made.text);
        assert.equal(made.body.warnings ?? undefined, undefined, "nothing of it is lost");
        const placed = await call("instantiate_prefab", { prefab: made.body.prefab.guid });
        assert.equal(placed.status, 200, placed.text);
        bent.push(placed.body.created[0]);
      }
      const skinned = (await call("svc_get_scene_state", { trait: "Skin" })).body;
      assert.equal(skinned.matched, counts.skinned + bent.length);
      for (const { traits } of skinned.entities) {
        const joints = String(traits.Skin.joints).split(" ");
        const there = new Set((await editor.sceneState()).entities.map(({ guid }) => guid));
        assert.ok(joints.length > 0 && joints.every((joint) => there.has(joint)));
      }
      assert.equal((await call("save_scene")).status, 200);
      const edited = (await editor.sceneState()).entities;

      const watched = (await call("watch", { action: "start", fields: ["Morph.w0"] })).body;
      assert.equal((await call("step_play", { ticks: 31 })).status, 200);
      const named = async (name: string) =>
        (await call("svc_get_scene_state", { name })).body.entities
          .find((one: { name: string }) => one.name === name).traits;
      const face = await named("Face");
      assert.ok(Math.abs(face.Morph.w0 - 0.5) < 1e-9, `${face.Morph.w0}`);
      assert.ok(Math.abs(face.Morph.w1 - 0.25) < 1e-9, `${face.Morph.w1}`);
      const neck = await named("Neck");
      assert.ok(Math.abs(neck.Transform.ry - 90) < 1e-6, `${neck.Transform.ry}`);
      const { series } = (await call("watch", { action: "read", watch: watched.id })).body;
      assert.deepEqual([series.length, series[0].stats.changes], [1, 30]);
      const animator = bent[0]?.guid;
      assert.equal((await call("play_clip", { guid: animator, clip: "Greet" })).status, 200);
      assert.equal((await call("step_play", { ticks: 30 })).status, 200);
      const notes = (await call("editor_journal", { type: "play-clip" })).body;
      assert.equal(notes.events.length, 1, JSON.stringify(notes).slice(0, 300));
      assert.equal((await call("journal")).status, 200);
      assert.equal((await call("play_control", { action: "stop" })).status, 200);
      assert.deepEqual((await editor.sceneState()).entities, edited, "stop restores all of it");

      const warnings = editor.console.entries().filter(({ level }) => level === "warn");
      assert.deepEqual(warnings.map(({ text }) => text), []);
    });
  }));
