import { test } from "node:test";
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withSampleService } from "../support/project-service.ts";

// There is no success that did nothing (TOOL-9): a call that changes nothing says so, and an
// answer that lacks what was asked for says why.

const ID = 2;
const MATERIAL = "assets/materials/crate.material.json";
const SET = { trait: "Transform", fields: { x: 5 } };

/** A script of a game. */
const CODE = "export const speed = 3; // größer\n";

/** Calls whose second time changes nothing. */
const TWICE: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ["set_fields", { id: ID, ...SET }],
  ["set_transform", { id: ID, position: [1, 2, 3] }],
  ["rename_entity", { id: ID, name: "Other" }],
  ["reparent_entity", { id: ID, parentId: null }],
  ["svc_scene_edit", { ops: [{ op: "set", id: ID, trait: "Transform", fields: { y: 7 } }] }],
  ["batch", {
    calls: [{ tool: "set_fields", args: { id: ID, trait: "Transform", fields: { z: 5 } } }],
  }],
  ["write_asset", { asset: MATERIAL, content: { roughness: 0.25 }, merge: 1 }],
  ["set_asset_meta", { asset: MATERIAL, meta: { note: 1 } }],
  ["move_asset", { asset: MATERIAL, to: "assets/moved/" }],
  ["set_project_settings", { values: { name: "Same" } }],
  ["save_scene", {}],
  ["set_selection", { ids: [ID] }],
  ["set_view", { mode: "ui", gizmo: "scale" }],
  ["focus_entity", { id: ID }],
  ["set_time_scale", { scale: 3 }],
  ["play_control", { action: "play" }],
  ["play_control", { action: "pause" }],
  ["play_control", { action: "stop" }],
];

// TOOL-9
test("a call that changes nothing says so, with its reason", () =>
  withSampleService(async ({ call }) => {
    for (const [name, args] of TWICE) {
      const first = await call(name, args);
      assert.deepEqual([first.status, first.body.hint], [200, undefined], `${name} ${first.text}`);
      assert.notEqual(first.body.changed, 0, first.text);
      // It has moved: its guid stays, and its path is another.
      const again = name === "move_asset" ? { ...args, asset: first.body.path } : args;
      const { status, body, text } = await call(name, again);
      assert.deepEqual([status, body.changed, "undo" in body], [200, 0, false], `${name} ${text}`);
      assert.match(body.hint ?? body.warnings[0], /^(Nothing changed|This changed nothing)/, name);
      if (name === "move_asset") await call("undo");
    }
    await call("watch", { action: "start", fields: ["Transform.x"] });
    assert.equal((await call("watch", { action: "stop" })).body.changed, undefined);
    assert.equal((await call("watch", { action: "stop" })).body.changed, 0);
    assert.equal((await call("uninstall_tool", { id: "java" })).body.changed, 0);
    const refused: readonly (readonly [string, object, number])[] = [
      ["delete_entities", { ids: [] }, 400],
      ["delete_entities", { ids: [999_999] }, 404],
      ["set_selection", { ids: [999_999] }, 404],
      ["remove_trait", { id: ID, trait: "Health" }, 422],
      ["redo", {}, 409],
    ];
    for (const [name, args, expected] of refused) {
      const { status, text } = await call(name, { ...args });
      assert.equal(status, expected, `${name} ${text}`);
    }
  }));

test("undo tells all steps that it took, or how many they are", () =>
  withSampleService(async ({ call }) => {
    for (let x = 0; x < 120; x++) {
      await call("set_transform", { id: ID, position: [x + 100, 0, 0] });
    }
    const { body } = await call("undo", { steps: 120 });
    assert.deepEqual([body.steps, body.did.length, body.didTotal, body.truncated], [
      120,
      100,
      120,
      true,
    ]);
    const few = (await call("redo", { steps: 12 })).body;
    assert.deepEqual([few.did.length, "truncated" in few], [12, false]);
  }));

test("an event of the journal that keeps a part of a list says so, and how many there are", () =>
  withSampleService(async ({ call, editor }) => {
    const ops = Array.from({ length: 30 }, (_, n) => ({ op: "create", name: `New ${n}` }));
    const { created } = (await call("svc_scene_edit", { ops })).body;
    const ids = created.map(({ id }: { id: number }) => id);
    await call("set_selection", { ids });
    await call("set_selection", { ids: ids.slice(0, 3) });
    const [edit, many, few] = editor.journals.editor().map(({ payload }) => payload);
    for (const payload of [edit, many]) {
      const { ids: kept, idsTotal, truncated } = Object(payload);
      assert.deepEqual([kept, idsTotal, truncated], [ids.slice(0, 20), 30, true]);
    }
    assert.equal("idsTotal" in Object(few), false);
  }));

test("create_prefab overwrite=1 says what changed in the prefab", () =>
  withSampleService(async ({ call }) => {
    const create = async (name: string, parentId?: number) =>
      (await call("create_entity", { name, ...(parentId && { parentId }) })).body.created[0].id;
    const top = await create("Tower");
    const [wall] = [await create("Wall", top), await create("Door", top)];
    const path = "assets/prefabs/tower.prefab.json";
    const first = (await call("create_prefab", { id: top, path })).body;
    assert.equal("replaced" in first, false);
    await call("create_entity", { name: "Roof", parentId: top });
    await call("create_entity", { name: "Wall", parentId: top });
    await call("add_trait", { id: wall, trait: "Health" });
    const second = (await call("create_prefab", { id: top, path, overwrite: 1 })).body;
    assert.deepEqual(second.replaced, { added: 2, removed: 0, changed: 1 });
    assert.ok(second.changed > 0 && second.undo > 0 && !("hint" in second));
    await call("delete_entities", { ids: [wall] });
    const third = (await call("create_prefab", { id: top, path, overwrite: 1 })).body;
    assert.deepEqual([third.replaced.removed, third.replaced.added], [1, 0]);
    const same = (await call("create_prefab", { id: top, path, overwrite: 1 })).body;
    assert.deepEqual(same.replaced, { added: 0, removed: 0, changed: 0 });
    assert.deepEqual([same.changed, "undo" in same], [0, false]);
  }));

test("get_asset content=1 gives the text of a text file, or says why there is none", () =>
  withSampleService(async ({ call }) => {
    const read = async (asset: string) => (await call("get_asset", { asset, content: 1 })).body;
    assert.equal((await read("assets/extra/drive.ts")).content, CODE);
    assert.equal(typeof (await read(MATERIAL)).content, "object");
    for (const name of ["long.js", "noise.wav", "deep.material.json"]) {
      const body = await read(`assets/extra/${name}`);
      assert.equal("content" in body, false, name);
      assert.match(body.contentHint, /binary, invalid JSON, or text over 1 MiB/, name);
    }
  }, {
    prepare(root) {
      const folder = join(root, "assets/extra");
      mkdirSync(folder);
      writeFileSync(join(folder, "drive.ts"), CODE);
      writeFileSync(join(folder, "long.js"), `// ${"x".repeat(1024 * 1024)}`);
      writeFileSync(join(folder, "noise.wav"), new Uint8Array([0, 255, 128, 0]));
      writeFileSync(join(folder, "deep.material.json"), "[".repeat(50_000) + "]".repeat(50_000));
    },
  }));

test("a Script says that it does not run here: in its doc, at the edit, and in diagnose", () =>
  withSampleService(async ({ call }) => {
    const { body: schema } = await call("list_traits", { name: "Script" });
    assert.match(schema.doc, /does not run in this editor/);
    const given = (await call("add_trait", { id: ID, trait: "Script" })).body;
    assert.match(given.warnings[0], new RegExp(`Script of .*\\(id ${ID}\\) does not run`));
    const moved = (await call("set_transform", { id: ID, position: [9, 9, 9] })).body;
    assert.equal("warnings" in moved, false);
    const { findings } = (await call("svc_diagnose", { limit: 100 })).body;
    const found = findings.find(({ code }: { code: string }) => code === "script-not-run");
    assert.ok(found.ids.includes(ID) && found.severity === "info");
  }));
