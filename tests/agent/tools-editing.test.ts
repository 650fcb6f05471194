import { toolNamed } from "../support/ask.ts";
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { EditError } from "../../lib/editor/ports/mod.ts";
import { type Teller, through, TRANSPORTS } from "./both-transports.ts";

const HARBOR = "assets/scenes/harbor.scene.json";
const MENU = "assets/scenes/menu.scene.json";

/** The body of an answer that is no problem. */
async function reportOf(
  tell: Teller,
  name: string,
  args: Readonly<Record<string, unknown>> = {},
  // deno-lint-ignore no-explicit-any
): Promise<any> {
  const { ok, body } = await tell(name, args);
  assert.ok(ok, `${name}: ${JSON.stringify(body)}`);
  return body;
}

/** Checks that a call is refused with a code. */
async function refused(
  tell: Teller,
  name: string,
  args: Readonly<Record<string, unknown>>,
  code: string,
): Promise<void> {
  const { ok, body } = await tell(name, args);
  assert.deepEqual([ok, body.code], [false, code], JSON.stringify(body));
  assert.ok(body.hint.length > 0);
}

/** One entity with its values. */
async function entity(
  tell: Teller,
  id: number,
  // deno-lint-ignore no-explicit-any
): Promise<any> {
  return (await reportOf(tell, "svc_get_scene_state", { id, full: true })).entities[0];
}

for (const transport of TRANSPORTS) {
  test(`entities are created, changed, moved, copied and removed over ${transport}`, () =>
    through(transport, async (tell) => {
      const made = await reportOf(tell, "create_entity", {
        name: "Cart",
        traits: { Transform: { x: 2 } },
        if_rev: 0,
      });
      const [{ id, guid }] = made.created;
      assert.deepEqual(made, { ok: true, changed: 1, rev: 1, undo: 1, created: [{ id, guid }] });
      const set = await reportOf(tell, "set_fields", {
        guid: guid.slice(0, 13),
        trait: "Transform",
        fields: { y: 3 },
        echo: true,
      });
      assert.deepEqual([set.rev, set.undo, set.before[0].traits.Transform.y], [2, 2, 0]);
      assert.equal(set.after[0].traits.Transform.y, 3);
      await reportOf(tell, "set_transform", { id, position: [1, 2, 3], scale: "2,2,2" });
      const { x, y, z, sx, ry } = (await entity(tell, id)).traits.Transform;
      assert.deepEqual([x, y, z, sx, ry], [1, 2, 3, 2, 0]);
      await reportOf(tell, "add_trait", { id, trait: "Rotate", fields: { y: 90 } });
      assert.equal((await entity(tell, id)).traits.Rotate.y, 90);
      await reportOf(tell, "remove_trait", { id, trait: "Rotate" });
      await reportOf(tell, "rename_entity", { id, name: "Wagon" });
      const child = (await reportOf(tell, "create_entity", { name: "Wheel" })).created[0].id;
      await reportOf(tell, "reparent_entity", { id: child, parentId: id, keepWorld: true });
      const wheel = await entity(tell, child);
      assert.deepEqual([wheel.parentId, wheel.layer], [id, "3d"]);
      const copies = await reportOf(tell, "duplicate_entity", { id, name: "Copy" });
      assert.equal(copies.created.length, 2);
      const [copy, copyWheel] = copies.created;
      const gone = await reportOf(tell, "delete_entities", { ids: [copyWheel.id, copy.id] });
      assert.equal(gone.changed, 2);
      assert.deepEqual(
        await entity(tell, id).then(({ name, traits }) => [name, Object.keys(traits)]),
        [
          "Wagon",
          ["Transform"],
        ],
      );
      const { did, rev } = await reportOf(tell, "undo", { steps: 3 });
      assert.deepEqual(did, ['Delete "Copy"', 'Duplicate "Wagon"', 'Move "Wheel"']);
      assert.equal((await reportOf(tell, "redo")).rev, rev + 1);
    }));

  test(`svc_scene_edit is one transaction and one step over ${transport}`, () =>
    through(transport, async (tell) => {
      const ops = [
        { op: "create", name: "Stack" },
        { op: "create", name: "Box", parentId: -1, traits: { Transform: {}, Renderable3D: {} } },
        { op: "set", id: -2, trait: "Transform", fields: { x: 4 } },
        { op: "setLayer", id: -1, layer: "2d" },
      ];
      const dry = await reportOf(tell, "svc_scene_edit", { path: HARBOR, ops, dryRun: true });
      assert.deepEqual([dry.changed, dry.rev, dry.dryRun, dry.undo], [4, 0, true, undefined]);
      const done = await reportOf(tell, "svc_scene_edit", { path: HARBOR, ops, returnScene: true });
      const { scene, created, ...rest } = done;
      assert.deepEqual(rest, { ok: true, changed: 4, errors: [], warnings: [], rev: 1, undo: 1 });
      assert.equal(created.length, 2);
      assert.deepEqual([scene.entityCount, scene.truncated], [197, false]);
      assert.equal((await entity(tell, created[1].id)).traits.Transform.x, 4);
      const { undo } = await reportOf(tell, "get_history");
      const author = { source: "agent", ...(transport === "MCP" && { by: "test" }) };
      assert.deepEqual(undo, [{ id: 1, label: 'Create "Stack" and 3 more', ...author }]);
      await reportOf(tell, "undo");
      assert.equal((await reportOf(tell, "svc_get_scene_state")).entityCount, 195);
    }));

  test(`svc_scene_edit refuses with all errors and changes nothing over ${transport}`, () =>
    through(transport, async (tell) => {
      const ops = [
        { op: "create", name: "Fine" },
        { op: "delete", id: 9_999 },
        { op: "set", id: 2, trait: "Transform", fields: { x: "far" } },
      ];
      const { ok, body } = await tell("svc_scene_edit", { ops });
      assert.equal(ok, false);
      assert.deepEqual(Object.keys(body), ["ok", "changed", "errors", "warnings"]);
      assert.deepEqual([body.ok, body.changed, body.warnings], [false, 0, []]);
      assert.deepEqual(
        body.errors.map((error: { op: number; code: string }) => [error.op, error.code]),
        [
          [1, "no-such-entity"],
          [2, "bad-value"],
        ],
      );
      const shapes = await tell("svc_scene_edit", {
        ops: [{ op: "destroy" }, { op: "rename", id: 1, nme: "x" }, { op: "set", guid: "zz" }],
      });
      assert.deepEqual(
        shapes.body.errors.map((error: { op: number; code: string }) => [error.op, error.code]),
        [
          [0, "unknown-op"],
          [1, "unknown-member"],
          [1, "missing-member"],
          [2, "no-such-entity"],
          [2, "missing-member"],
          [2, "missing-member"],
        ],
      );
      await refused(tell, "svc_scene_edit", {}, "missing-argument");
      await refused(tell, "svc_scene_edit", { ops: [] }, "bad-argument");
      await refused(tell, "svc_scene_edit", { path: MENU, ops }, "other-scene");
      const state = await reportOf(tell, "get_editor_state");
      assert.deepEqual([state.rev, state.unsaved, state.entityCount], [0, false, 195]);
    }));

  test(`what changed since a revision is told over ${transport}`, () =>
    through(transport, async (tell) => {
      const nothing = await reportOf(tell, "svc_get_scene_state", { since: 0 });
      assert.deepEqual([nothing.matched, nothing.entities, nothing.removed], [0, [], []]);
      await reportOf(tell, "rename_entity", { id: 3, name: "Renamed" });
      const { created: [{ id }] } = await reportOf(tell, "create_entity", { name: "Short" });
      await reportOf(tell, "delete_entities", { ids: [id] });
      const since = await reportOf(tell, "svc_get_scene_state", { since: 0 });
      assert.deepEqual([since.rev, since.matched, since.removed], [3, 1, [id]]);
      assert.deepEqual([since.entities[0].id, since.entities[0].name], [3, "Renamed"]);
      assert.equal((await reportOf(tell, "svc_get_scene_state", { since: 2 })).matched, 0);
      const unknown = await reportOf(tell, "svc_get_scene_state", { since: 999 });
      assert.match(unknown.hint, /Changes after 999 are unknown: all entities follow/);
      assert.equal(unknown.entities.length, 195);
      await refused(tell, "rename_entity", { id: 3, name: "Late", if_rev: 2 }, "rev-moved");
    }));

  test(`scenes are listed, opened, begun, saved and validated over ${transport}`, () =>
    through(transport, async (tell, { root }) => {
      const { open, scenes, count } = await reportOf(tell, "list_scenes");
      assert.deepEqual([open, count, scenes.length], [HARBOR, 4, 4]);
      await reportOf(tell, "rename_entity", { id: 1, name: "Renamed" });
      await refused(tell, "open_scene", { path: MENU }, "unsaved-changes");
      const saved = await reportOf(tell, "save_scene");
      const text = readFileSync(join(root, HARBOR), "utf8");
      assert.deepEqual([saved.path, saved.bytes], [HARBOR, new TextEncoder().encode(text).length]);
      assert.match(text, /"name": "Renamed"/);
      // Said before in its description, and in the answer how many.
      const left = await reportOf(tell, "open_scene", { path: MENU });
      assert.deepEqual([left.scenePath, left.undoDropped], [MENU, 1]);
      assert.match(toolNamed("open_scene").description, /ends undo of the scene before/);
      await refused(
        tell,
        "open_scene",
        { path: "assets/scenes/harbour.scene.json" },
        "scene-missing",
      );
      const fresh = await reportOf(tell, "new_scene", { path: "assets/scenes/new.scene.json" });
      assert.deepEqual([fresh.entityCount, "undoDropped" in fresh], [0, false]);
      await reportOf(tell, "create_entity", { name: "Only" });
      await reportOf(tell, "save_scene");
      assert.equal((await reportOf(tell, "list_scenes")).count, 5);
      assert.deepEqual(await reportOf(tell, "validate_scene", { path: HARBOR }), {
        ok: true,
        path: HARBOR,
        errors: [],
      });
      writeFileSync(join(root, MENU), "[]");
      const broken = await reportOf(tell, "validate_scene", { path: MENU });
      assert.deepEqual([broken.ok, broken.errors.length], [false, 1]);
      await refused(tell, "validate_scene", { path: "../x" }, "outside-project");
    }));

  test(`a scene that somebody else wrote is not lost over ${transport}`, () =>
    through(transport, async (tell, { root, editor }) => {
      await reportOf(tell, "rename_entity", { id: 1, name: "Mine" });
      const theirs = readFileSync(join(root, HARBOR), "utf8").replace("Harbor Run", "Theirs");
      writeFileSync(join(root, HARBOR), theirs);
      assert.equal(await editor.editing.pickUpChanges(), "conflict");
      const { findings } = await reportOf(tell, "svc_diagnose");
      assert.ok(findings.some(({ code }: { code: string }) => code === "changed-on-disk"));
      await refused(tell, "save_scene", {}, "changed-on-disk");
      assert.equal(readFileSync(join(root, HARBOR), "utf8"), theirs);
      await reportOf(tell, "save_scene", { overwrite: true });
      assert.match(readFileSync(join(root, HARBOR), "utf8"), /"name": "Mine"/);
    }));

  test(`prefabs are made, used and detached over ${transport}`, () =>
    through(transport, async (tell) => {
      const coin = await reportOf(tell, "instantiate_prefab", {
        prefab: "assets/prefabs/coin.prefab.json",
        name: "Coin 99",
        position: [1, 2, 3],
      });
      const [{ id }] = coin.created;
      const made = await entity(tell, id);
      assert.deepEqual([made.name, made.traits.Transform.y, made.traits.Collectible.value], [
        "Coin 99",
        2,
        10,
      ]);
      const path = "assets/prefabs/big-coin.prefab.json";
      const asset = await reportOf(tell, "create_prefab", { id, path });
      assert.equal(asset.path, path);
      const { assets } = await reportOf(tell, "list_assets", { type: "prefab" });
      assert.ok(assets.some(({ guid }: { guid: string }) => guid === asset.guid));
      await reportOf(tell, "instantiate_prefab", { prefab: asset.guid.slice(0, 13) });
      await reportOf(tell, "detach_prefab", { id });
      await refused(tell, "detach_prefab", { id }, "no-instance");
      await refused(tell, "instantiate_prefab", { prefab: "coin.prefab" }, "no-such-asset");
      await refused(tell, "create_prefab", { id, path }, "exists");
    }));

  test(`prefabs are used where nobody else has edited, and show what they did, over ${transport}`, () =>
    through(transport, async (tell) => {
      const prefab = "assets/prefabs/coin.prefab.json";
      const { rev, created: [{ id }] } = await reportOf(tell, "instantiate_prefab", { prefab });
      const path = "assets/prefabs/other.prefab.json";
      for (
        const [name, args] of [
          ["instantiate_prefab", { prefab }],
          ["create_prefab", { id, path }],
          ["detach_prefab", { id }],
        ] as const
      ) {
        await refused(tell, name, { ...args, if_rev: rev - 1 }, "rev-moved");
      }
      assert.equal((await reportOf(tell, "list_assets", { name: "other" })).count, 0);
      const other = await reportOf(tell, "instantiate_prefab", { prefab, if_rev: rev, echo: true });
      assert.deepEqual(
        [other.before, other.after.length],
        [[], other.created.length],
      );
      const kept = await reportOf(tell, "create_prefab", {
        id,
        path,
        if_rev: other.rev,
        echo: true,
      });
      assert.equal(kept.after[0].traits.PrefabInstance.prefab, kept.guid);
      const plain = await reportOf(tell, "detach_prefab", { id, if_rev: kept.rev, echo: true });
      assert.equal(plain.before[0].traits.PrefabInstance.prefab, kept.guid);
      assert.equal(plain.after[0].traits.PrefabInstance, undefined);
    }));

  test(`a prefab is replaced, keeps its guid and its instances, and comes back over ${transport}`, () =>
    through(transport, async (tell, { root }) => {
      const path = "assets/prefabs/coin.prefab.json";
      const text = () => readFileSync(join(root, path), "utf8");
      const old = text();
      const { assets } = await reportOf(tell, "list_assets", { type: "prefab" });
      const { guid } = assets.find((asset: { path: string }) => asset.path === path);
      const { created: [{ id }] } = await reportOf(tell, "instantiate_prefab", { prefab: path });
      await reportOf(tell, "instantiate_prefab", { prefab: path });
      await reportOf(tell, "set_fields", { id, trait: "Collectible", fields: { value: 77 } });
      const made = await reportOf(tell, "create_prefab", { id, path, overwrite: true });
      assert.equal(made.guid, guid);
      assert.match(
        made.warnings.join(" "),
        /Other instances of .* are unchanged \(\d+\): ids \d+/,
      );
      assert.match(text(), /"value": 77/);
      const { created: [next] } = await reportOf(tell, "instantiate_prefab", { prefab: guid });
      assert.equal((await entity(tell, next.id)).traits.Collectible.value, 77);
      await reportOf(tell, "undo");
      await reportOf(tell, "undo");
      assert.equal(text(), old);
      await reportOf(tell, "redo");
      assert.match(text(), /"value": 77/);
    }));

  test(`references and places are found over ${transport}`, () =>
    through(transport, async (tell, { editor }) => {
      const { entities } = await editor.sceneState();
      const runner = entities.find(({ name }) => name === "Runner");
      assert.ok(runner);
      const target = (await reportOf(tell, "create_entity", { name: "Eye" })).created[0].id;
      await reportOf(tell, "add_trait", {
        id: target,
        trait: "Follow",
        fields: { target: runner.guid },
      });
      const found = await reportOf(tell, "find_references", { guid: runner.guid });
      assert.ok(
        found.references.some(({ id, field }: { id: number; field: string }) =>
          id === target && field === "Follow.target"
        ),
      );
      const material = await reportOf(tell, "find_references", {
        asset: "assets/materials/crate.material.json",
        limit: 1,
      });
      assert.deepEqual([material.references.length, material.truncated], [1, material.count > 1]);
      await refused(tell, "find_references", { asset: "crate.material.json" }, "no-such-asset");

      const { resolved } = await reportOf(tell, "resolve_refs", {
        refs: [String(runner.id), runner.guid, "9999", "zz"],
      });
      assert.deepEqual(resolved.map(({ alive }: { alive: boolean }) => alive), [
        true,
        true,
        false,
        false,
      ]);
      assert.equal(resolved[1].name, "Runner");

      await reportOf(tell, "svc_scene_edit", {
        ops: [100, 110].map((y, index) => ({
          op: "create",
          name: `Far ${index}`,
          traits: { Transform: { y, sx: 2 }, Renderable3D: {} },
        })),
      });
      const near = await reportOf(tell, "spatial_query", { near: [0, 100, 0], radius: 5 });
      assert.deepEqual(
        near.entities.map(({ name, distance }: { name: string; distance: number }) => [
          name,
          distance,
        ]),
        [["Far 0", 0]],
      );
      const ray = await reportOf(tell, "spatial_query", {
        origin: [0, 120, 0],
        direction: [0, -2, 0],
        limit: 2,
      });
      assert.deepEqual(
        ray.entities.map(({ name, distance }: { name: string; distance: number }) => [
          name,
          distance,
        ]),
        [["Far 1", 9.5], ["Far 0", 19.5]],
      );
      const box = await reportOf(tell, "spatial_query", { min: [0.9, 111, 0], max: [3, 99, 0] });
      assert.equal(box.count, 2);
      await refused(tell, "spatial_query", {}, "missing-argument");
      await refused(
        tell,
        "spatial_query",
        { near: [0, 0, 0], min: [0, 0, 0], max: [1, 1, 1] },
        "bad-argument",
      );
    }));

  test(`selection and view are set and told over ${transport}`, () =>
    through(transport, async (tell, { editor }) => {
      const selected = await reportOf(tell, "set_selection", {
        ids: [3, 1],
        asset: "assets/audio/coin.wav",
      });
      assert.deepEqual(selected, { ok: true, selection: [3, 1], asset: "assets/audio/coin.wav" });
      const view = await reportOf(tell, "set_view", { mode: "ui", gizmo: "rotate", width: 640 });
      assert.deepEqual(view, {
        ok: true,
        mode: "ui",
        gizmo: { mode: "rotate", space: "world" },
        viewport: { width: 640, height: 720 },
      });
      assert.equal((await editor.layoutBounds()).viewport.width, 640);
      const { entities } = await editor.sceneState();
      const runner = entities.find(({ name }) => name === "Runner")?.id ?? 0;
      const focus = await reportOf(tell, "focus_entity", { id: runner });
      assert.deepEqual([focus.focus, focus.mode, focus.position.length], [runner, "3d", 3]);
      const state = await reportOf(tell, "get_editor_state");
      assert.deepEqual([state.selection, state.focus, state.mode], [[runner], runner, "3d"]);
      assert.equal((await reportOf(tell, "set_selection")).selection.length, 0);
      await refused(tell, "set_selection", { ids: [9_999] }, "no-such-entity");
      await refused(tell, "set_view", {}, "missing-argument");
      const empty = (await reportOf(tell, "create_entity", { name: "Nowhere" })).created[0].id;
      await refused(tell, "focus_entity", { id: empty }, "nothing-to-frame");
    }));

  test(`a refusal names what is there instead over ${transport}`, () =>
    through(transport, async (tell) => {
      for (
        const [name, args, code] of [
          ["create_entity", {}, "missing-argument"],
          ["create_entity", { name: "A", traits: { Transform: 1 } }, "bad-argument"],
          ["create_entity", { name: "A", parentId: 9_999 }, "no-such-entity"],
          ["set_fields", { id: 1, trait: "Transform" }, "missing-argument"],
          ["set_fields", { id: 2, trait: "Transform", fields: { xx: 1 } }, "no-such-field"],
          ["set_transform", { id: 1 }, "missing-argument"],
          ["set_transform", { id: 1, position: [1, 2] }, "bad-argument"],
          ["add_trait", { id: 1, trait: "Transfrom" }, "no-such-trait"],
          ["rename_entity", { name: "A" }, "missing-argument"],
          ["rename_entity", { guid: "abc", name: "A" }, "no-such-entity"],
          ["delete_entities", {}, "missing-argument"],
          ["delete_entities", { ids: [1, 9_999] }, "no-such-entity"],
          ["reparent_entity", { id: 1 }, "missing-argument"],
          ["undo", {}, "nothing-to-undo"],
          ["redo", {}, "nothing-to-redo"],
        ] as const
      ) {
        await refused(tell, name, args, code);
      }
      assert.equal((await reportOf(tell, "get_editor_state")).rev, 0);
    }));

  test(`the project's settings are read and changed over ${transport}`, () =>
    through(transport, async (tell, { root }) => {
      assert.equal((await reportOf(tell, "get_project")).name, "Harbor Run");
      const values = { name: "Renamed", ota: { engineApi: 2 }, viewport: null };
      const set = await reportOf(tell, "set_project_settings", { values });
      assert.deepEqual([set.changed, set.settings.name, set.settings.viewport], [
        3,
        "Renamed",
        null,
      ]);
      const after = JSON.parse(readFileSync(join(root, "project.config.json"), "utf8"));
      assert.deepEqual([after.ota.engineApi, after.ota.bundleName, after.viewport], [
        2,
        "harbor-run",
        undefined,
      ]);
      assert.equal((await reportOf(tell, "set_project_settings", { values })).changed, 0);
      await refused(tell, "set_project_settings", { values: { nmae: "x" } }, "config-invalid");
      await refused(tell, "set_project_settings", {}, "missing-argument");
      mkdirSync(join(root, "kept"));
      writeFileSync(join(root, "kept/photo.png"), "of somebody");
      for (const [out, code] of [["assets/out", "unsafe-out"], ["kept", "out-not-empty"]]) {
        const build = { web: { out } };
        await refused(tell, "set_project_settings", { values: { build } }, code ?? "");
      }
      assert.deepEqual(await reportOf(tell, "get_project"), after);
    }));

  test(`edits are refused while a game plays over ${transport}`, () =>
    through(transport, async (tell, { editor }) => {
      await reportOf(tell, "rename_entity", { id: 1, name: "Before" });
      assert.ok((await editor.play.step(1, { source: "human" })).ok);
      for (
        const [name, args] of [
          ["rename_entity", { id: 1, name: "A" }],
          ["svc_scene_edit", { ops: [{ op: "delete", id: 1 }] }],
          ["instantiate_prefab", { prefab: "assets/prefabs/coin.prefab.json" }],
          ["create_prefab", { id: 1, path: "assets/x.prefab.json" }],
          // The playing world is another one: what is not in it may be in the scene.
          ["rename_entity", { id: 9_999, name: "A" }],
          ["delete_entities", { ids: [9_999] }],
          ["svc_scene_edit", { ops: [{ op: "delete", guid: "ffffffff" }] }],
          ["detach_prefab", { id: 9_999 }],
          ["undo", {}],
          ["open_scene", { path: MENU, discard: true }],
        ] as const
      ) {
        await refused(tell, name, args, "playing");
      }
      assert.match((await reportOf(tell, "svc_get_scene_state", { since: 1 })).hint, /are unknown/);
      assert.ok((await editor.play.stop("human")).ok);
      const { rev, unsaved } = await reportOf(tell, "get_editor_state");
      assert.deepEqual([rev, unsaved], [1, true]);
      await reportOf(tell, "rename_entity", { id: 1, name: "After", if_rev: 1 });
    }));
}

test("an edit of what somebody else has removed says that the scene has moved on", () =>
  through("HTTP", async (tell) => {
    const { created: [{ id }] } = await reportOf(tell, "create_entity", { name: "Gone" });
    await reportOf(tell, "undo");
    const rename = { id, name: "Here" };
    await refused(tell, "rename_entity", { ...rename, if_rev: 1 }, "rev-moved");
    const op = { op: "delete", guid: "ffffffff" };
    await refused(tell, "svc_scene_edit", { ops: [op], if_rev: 1 }, "rev-moved");
    await refused(tell, "rename_entity", { ...rename, if_rev: 2 }, "no-such-entity");
    await refused(tell, "rename_entity", rename, "no-such-entity");
  }));

test("what only follows from a refused create is told as that, and not in a sentence", () =>
  through("HTTP", async (tell) => {
    const ops = [
      { op: "create", name: "A", parentId: 9_999 },
      { op: "create", name: "B", parentId: -1 },
      { op: "create", name: "C", parentId: -2 },
      { op: "create", name: "D", parentId: -9 },
    ];
    const { body } = await tell("svc_scene_edit", { ops });
    assert.deepEqual(body.errors.map(({ op, code }: EditError) => [op, code]), [
      [0, "no-such-entity"],
      [1, "create-refused"],
      [2, "create-refused"],
      [3, "no-such-entity"],
    ]);
    const coin = { prefab: "assets/prefabs/coin.prefab.json", parentId: 9_999 };
    const refused = await tell("instantiate_prefab", coin);
    assert.equal(
      refused.body.detail,
      "Nothing was changed: there is no entity with id 9999 in the scene",
    );
  }));

test("a large edit that happened says so, whatever it made", () =>
  through("HTTP", async (tell) => {
    const ops = Array.from({ length: 3_000 }, (_, i) => ({ op: "create", name: `Part ${i}` }));
    const made = await reportOf(tell, "svc_scene_edit", { ops, echo: true });
    assert.deepEqual([made.ok, made.changed, made.undo], [true, 3_000, 1]);
    assert.deepEqual([made.created.length, made.createdTotal], [100, 3_000]);
    assert.deepEqual([made.after.length, made.afterTotal, made.truncated], [100, 3_000, true]);
  }));

test("an edit of one thing that is so already is told without a number of an operation", () =>
  through("HTTP", async (tell) => {
    const args = { id: 1, name: "Same" };
    await reportOf(tell, "rename_entity", args);
    const again = await reportOf(tell, "rename_entity", args);
    assert.deepEqual([again.changed, again.undo], [0, undefined]);
    assert.deepEqual(again.warnings, ["This changed nothing: already in that state"]);
    const op = { op: "rename", ...args };
    const both = await reportOf(tell, "svc_scene_edit", { ops: [op, op] });
    assert.match(both.warnings[1], /^ops\[1\] changed nothing/);
  }));

// TOOL-9
test("a change of no field is refused, wherever it is asked for", () =>
  through("HTTP", async (tell) => {
    const set = { trait: "Transform", fields: {} };
    const { body: { code } } = await tell("set_fields", { id: 1, ...set });
    assert.equal(code, "no-fields");
    const { ok, body } = await tell("svc_scene_edit", { ops: [{ op: "set", id: 1, ...set }] });
    assert.deepEqual([ok, body.ok, body.changed], [false, false, 0]);
    assert.deepEqual(body.errors.map((error: { code: string }) => error.code), ["no-fields"]);
  }));

test("a refusal about a trait names the tool that is next", () =>
  through("HTTP", async (tell) => {
    const { created: [{ id }] } = await reportOf(tell, "create_entity", {
      name: "New",
      traits: { Light: {} },
    });
    const hintOf = async (name: string, args: object) =>
      (await tell(name, { id, ...args })).body.hint;
    assert.match(await hintOf("set_transform", { position: [0, 0, 0] }), /add_trait$/);
    assert.match(await hintOf("add_trait", { trait: "Light" }), /^set_fields/);
  }));
