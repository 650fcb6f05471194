import assert from "node:assert/strict";
import { test } from "node:test";
import { isGuid } from "../../lib/core/guid.ts";
import type { EditOp } from "../../lib/editor/ports/mod.ts";
import { worldPlaces, worldTransform } from "../../lib/game/scene/transforms.ts";
import { withScene, type Written } from "./edited-scene.ts";
import { guid } from "./scenes.ts";

const BOX: Written = { traits: { Transform: {}, Renderable3D: {} } };
const CAMERA: Written = { traits: { Transform: { z: 5 }, Camera: {} } };
const MATERIAL = {
  "assets/m.material.json": {},
  "assets/m.material.json.meta.json": { guid: guid(900) },
};

test("edit() creates with defaults, parents and what the request made before", async () => {
  await withScene([BOX], async ({ edit, core }) => {
    const { created, changed, rev, undo, before, after } = await edit(
      { op: "create", name: "Cart", parentId: 1, traits: { Transform: { x: 2 } } },
      { op: "create", name: "Wheel", parentId: -1, layer: "2d" },
    );
    assert.deepEqual([changed, rev, undo], [2, 1, 1]);
    assert.deepEqual(created, after.map(({ id, guid }) => ({ id, guid })));
    assert.ok(created.every(({ guid }) => isGuid(guid)) && created[0]?.guid !== created[1]?.guid);
    assert.deepEqual(before, []);
    const [cart, wheel] = after;
    assert.deepEqual([cart?.parentId, cart?.layer, cart?.traits["Transform"]?.["sx"]], [
      1,
      "3d",
      1,
    ]);
    assert.deepEqual([wheel?.parentId, wheel?.layer], [2, "2d"]);
    assert.deepEqual(core.document.entities().map(({ id }) => id), [1, 2, 3]);
  });
});

test("edit() merges partial fields and shows the entity before and after", async () => {
  await withScene([{ traits: { Transform: { x: 1, y: 2 } } }], async ({ edit }) => {
    const { before, after } = await edit({
      op: "set",
      guid: guid(1),
      trait: "Transform",
      fields: { x: 9 },
    });
    const at = (
      fields: Readonly<Record<string, unknown>> | undefined,
    ) => [fields?.["x"], fields?.["y"]];
    assert.deepEqual(at(before[0]?.traits["Transform"]), [1, 2]);
    assert.deepEqual(at(after[0]?.traits["Transform"]), [9, 2]);
  });
});

test("edit() duplicates a tree with fresh guids and names the copies in it", async () => {
  const scene: Written[] = [
    { traits: { Transform: {} } },
    { parent: 1, traits: { Follow: { target: guid(1) } } },
    { parent: 1, traits: { Follow: { target: guid(4) } } },
    {},
  ];
  await withScene(scene, async ({ edit, core }) => {
    const { created } = await edit({ op: "duplicate", id: 1 });
    assert.deepEqual(created.map(({ id }) => id), [5, 6, 7]);
    const copies = core.document.withDescendants(5);
    assert.deepEqual(copies.map(({ name }) => name), ["Entity 1 copy", "Entity 2", "Entity 3"]);
    assert.equal(copies[1]?.traits["Follow"]?.["target"], created[0]?.guid);
    assert.equal(copies[2]?.traits["Follow"]?.["target"], guid(4), "an outer one stays");
    assert.equal(new Set(core.document.entities().map((one) => one.guid)).size, 7);
  });
});

test("edit() removes what is below as well and warns of names that lead nowhere now", async () => {
  const scene: Written[] = [
    {},
    { parent: 1 },
    { traits: { Follow: { target: guid(2) } } },
    BOX,
  ];
  await withScene([...scene, CAMERA], async ({ edit, core }) => {
    const { before, after, warnings } = await edit({ op: "delete", id: 1 }, {
      op: "delete",
      id: 5,
    });
    assert.deepEqual([before.map(({ id }) => id).toSorted(), after], [[1, 2, 5], []]);
    assert.deepEqual(core.document.entities().map(({ id }) => id), [3, 4]);
    assert.deepEqual(warnings, [
      '"Entity 3" Follow.target (id 3) still names "Entity 2"',
      "No active Camera is left on the 3d layer",
    ]);
  });
});

test("edit() moves among siblings, and to another parent in its place of the world", async () => {
  const scene: Written[] = [
    { traits: { Transform: { x: 10, ry: 90, sx: 2, sy: 2, sz: 2 } } },
    { traits: { Transform: { x: 3, y: 1, z: -4, rx: 20, rz: 30 } } },
    {},
  ];
  await withScene(scene, async ({ edit, core, editing }) => {
    await edit({ op: "reparent", id: 3, parentId: null, index: 0 });
    assert.deepEqual(core.document.childrenOf(null), [3, 1, 2]);
    const where = () => {
      const place = worldPlaces(core.document.entities()).get(2);
      assert.ok(place);
      const { position, rotation, scale } = worldTransform(place);
      return [position, rotation, scale].map((three) =>
        three.map((n) => Math.round(n * 1e9) / 1e9 + 0)
      );
    };
    const before = where();
    await edit({ op: "reparent", id: 2, parentId: 1, keepWorld: true });
    assert.deepEqual(core.document.childrenOf(1), [2]);
    assert.deepEqual(where(), before);
    assert.equal(editing.history().undo.length, 2);
  });
});

test("edit() says when a place in the world can be kept only nearly, or not at all", async () => {
  const scene: Written[] = [
    { traits: { Transform: { sx: 3 } } },
    { traits: { Transform: { rz: 45 } } },
    { traits: { Transform: { sy: 0 } } },
  ];
  await withScene(scene, async ({ edit, refuse, core }) => {
    const { warnings } = await edit({ op: "reparent", id: 2, parentId: 1, keepWorld: true });
    assert.match(warnings.join(), /"Entity 2" is only near its former place/);
    const { errors } = await refuse({ op: "reparent", id: 2, parentId: 3, keepWorld: true });
    assert.equal(errors[0]?.code, "cannot-keep-world");
    assert.equal(core.document.get(2)?.parentId, 1);
  });
});

test("edit() says when nothing changed, and makes no step of it", async () => {
  await withScene([{ traits: { Transform: {} } }, {}], async ({ edit, editing, core }) => {
    const same: EditOp[] = [
      { op: "set", id: 1, trait: "Transform", fields: { x: 0 } },
      { op: "rename", id: 1, name: "Entity 1" },
      { op: "setLayer", id: 1, layer: "3d" },
      { op: "reparent", id: 2, parentId: null },
    ];
    const { changed, warnings, undo } = await edit(...same);
    assert.deepEqual([changed, warnings.length, undo], [0, 4, null]);
    assert.deepEqual([core.document.rev, editing.history().undo, editing.unsaved], [0, [], false]);
  });
});

const REFUSED: readonly (readonly [string, EditOp, string, RegExp])[] = [
  ["an id that is not there", { op: "delete", id: 99 }, "no-such-entity", /id 99/],
  ["a guid that is not there", { op: "delete", guid: guid(99) }, "no-such-entity", /guid/],
  ["neither id nor guid", { op: "delete" }, "missing-entity", /id nor guid/],
  ["id and guid of two entities", { op: "delete", id: 1, guid: guid(2) }, "no-such-entity", /id 1/],
  [
    "an unknown trait",
    { op: "addTrait", id: 1, trait: "Colider" },
    "no-such-trait",
    /did you mean "Collider"/,
  ],
  [
    "an unknown field",
    { op: "set", id: 1, trait: "Transform", fields: { xx: 1 } },
    "no-such-field",
    /"xx"; did you mean "x"/,
  ],
  [
    "an inherited name as a field",
    { op: "set", id: 1, trait: "Transform", fields: { constructor: 1 } },
    "no-such-field",
    /constructor/,
  ],
  [
    "a value of another type",
    { op: "set", id: 1, trait: "Transform", fields: { x: "1" } },
    "bad-value",
    /Transform\.x: found "1", expected a finite number/,
  ],
  [
    "a text that no answer could show",
    { op: "addTrait", id: 1, trait: "InputAction", fields: { action: "a".repeat(10_001) } },
    "bad-value",
    /InputAction\.action: found "a{70,}….*expected text of at most 10000 characters/,
  ],
  [
    "a value out of range",
    { op: "addTrait", id: 1, trait: "Collider", fields: { restitution: 2 } },
    "bad-value",
    /from 0 to 1/,
  ],
  ["a trait it has", { op: "addTrait", id: 1, trait: "Transform" }, "trait-exists", /use set/],
  [
    "a field of a trait it lacks",
    { op: "set", id: 1, trait: "Light", fields: {} },
    "trait-missing",
    /it has Transform, Renderable3D/,
  ],
  [
    "removing a trait it lacks",
    { op: "removeTrait", id: 1, trait: "Light" },
    "trait-missing",
    /no L/,
  ],
  ["an empty name", { op: "rename", id: 1, name: " " }, "bad-value", /1 to 200/],
  ["a long name", { op: "rename", id: 1, name: "x".repeat(201) }, "bad-value", /201 characters/],
  ["a parent below itself", { op: "reparent", id: 1, parentId: 2 }, "loop", /is below/],
  ["itself as its parent", { op: "reparent", id: 1, parentId: 1 }, "loop", /is below/],
  ["a parent that is not there", { op: "reparent", id: 1, parentId: 9 }, "no-such-entity", /id 9/],
  ["a guid that is taken", { op: "create", name: "X", guid: guid(2) }, "guid-taken", /Renamed/],
  ["a line end in a name", { op: "rename", id: 1, name: "a\nb" }, "bad-value", /no control or/],
  ["a NUL in a name", { op: "create", name: "a\0b" }, "bad-value", /no control or/],
  ["half a pair", { op: "create", name: "a\ud83d" }, "bad-value", /found "a.ud83d", expected no/],
  ["a guid that is none", { op: "create", name: "X", guid: "x" }, "bad-value", /dashed UUID/],
  ["an earlier create that is not there", { op: "delete", id: -1 }, "no-such-entity", /create 1/],
  [
    "an entity that is not there as a value",
    { op: "addTrait", id: 1, trait: "Follow", fields: { target: guid(77) } },
    "no-such-entity",
    /Follow\.target/,
  ],
  [
    "an asset of another type",
    { op: "set", id: 1, trait: "Renderable3D", fields: { model: guid(900) } },
    "wrong-asset-type",
    /is a material, expected a model or mesh/,
  ],
];

for (const [what, op, code, message] of REFUSED) {
  test(`edit() refuses ${what}, and nothing of the request stays`, async () => {
    await withScene([BOX, { parent: 1 }], async ({ refuse, core, editing }) => {
      const before = core.document.entities();
      const first: EditOp = { op: "rename", id: 2, name: "Renamed" };
      const { errors } = await refuse(first, op, { op: "create", name: "Late" });
      assert.deepEqual(errors.map((error) => [error.op, error.code]), [[1, code]]);
      assert.match(errors[0]?.message ?? "", message);
      assert.equal(core.document.entities(), before);
      assert.deepEqual([core.document.rev, editing.unsaved], [0, false]);
      assert.deepEqual(editing.changedSince(0), { known: true, ids: [] });
      assert.deepEqual(core.journals.editor(), []);
    }, MATERIAL);
  });
}

// SCENE-8
test("edit() names every error, not only the first", async () => {
  await withScene([BOX], async ({ refuse }) => {
    const { errors } = await refuse(
      { op: "delete", id: 9 },
      { op: "create", name: "A", parentId: 9 },
      { op: "create", name: "B", parentId: -1 },
      { op: "set", id: 1, trait: "Transform", fields: { x: null, nope: 1 } },
    );
    assert.deepEqual(errors.map(({ op }) => op), [0, 1, 2, 3, 3]);
  });
});

test("edit() takes an entity as a value that a later operation creates", async () => {
  await withScene([BOX], async ({ edit }) => {
    const { changed } = await edit(
      { op: "addTrait", id: 1, trait: "Follow", fields: { target: guid(50) } },
      { op: "create", name: "Target", guid: guid(50) },
    );
    assert.equal(changed, 2);
  });
});

test("edit() warns of an asset that is not there, and of a resource on two entities", async () => {
  await withScene([{ traits: { GameSettings: {} } }, BOX], async ({ edit }) => {
    const { warnings } = await edit(
      { op: "set", id: 2, trait: "Renderable3D", fields: { material: guid(777) } },
      { op: "addTrait", id: 2, trait: "GameSettings" },
    );
    assert.match(warnings[0] ?? "", /Renderable3D\.material: no asset/);
    assert.match(warnings[1] ?? "", /GameSettings is for one entity of a scene, found on 2/);
  });
});

test("edit() warns of what is put where nobody sees it, or where it does not follow", async () => {
  await withScene([BOX], async ({ edit }) => {
    const traits = { UIElement: {}, Text: { text: "Hi" } };
    const idle = await edit({ op: "create", name: "Label", parentId: 1, traits });
    assert.deepEqual(idle.warnings, [
      '"Label" (id 2): UIElement on the 3d layer, not ui, does nothing; setLayer moves it',
      '"Label" (id 2): Text on the 3d layer, not 2d or ui, does nothing; setLayer moves it',
    ]);
    const stray = await edit({ op: "setLayer", id: 2, layer: "ui" });
    assert.match(stray.warnings.join(), /^"Label" \(id 2\) is below an entity of another layer/);
    assert.deepEqual((await edit({ op: "rename", id: 2, name: "Sign" })).warnings, []);
    assert.deepEqual((await edit({ op: "reparent", id: 2, parentId: null })).warnings, []);
  });
});

test("edit() with dryRun tells what would happen and leaves no trace", async () => {
  await withScene([BOX], async ({ editing, core, edit }) => {
    const ops: EditOp[] = [{ op: "create", name: "New" }, { op: "delete", id: 1 }];
    const done = await editing.edit({ ops, source: "agent", dryRun: true });
    assert.ok(done.ok && done.value.ok);
    const { changed, rev, undo, before, after } = done.value.value;
    assert.deepEqual([changed, rev, undo, before.length, after.length], [2, 0, null, 1, 1]);
    assert.deepEqual(core.document.entities().map(({ id }) => id), [1]);
    assert.equal((await edit({ op: "create", name: "Next" })).created[0]?.id, 2);
  });
});

test("edit() with ifRev refuses another revision and counts what changed since", async () => {
  await withScene([BOX], async ({ editing, edit }) => {
    await edit({ op: "rename", id: 1, name: "A" });
    const ops: EditOp[] = [{ op: "rename", id: 1, name: "B" }];
    const stale = await editing.edit({ ops, source: "agent", ifRev: 0 });
    assert.ok(!stale.ok);
    assert.deepEqual([stale.error.status, stale.error.code], [409, "rev-moved"]);
    assert.match(stale.error.detail, /revision 1, expected 0; 1 entity changed since/);
    const fresh = await editing.edit({ ops, source: "agent", ifRev: 1 });
    assert.ok(fresh.ok && fresh.value.ok);
  });
});

test("edit(), undo() and openScene() are refused while a game plays", async () => {
  await withScene([BOX], async ({ editing, edit, core }) => {
    await edit({ op: "rename", id: 1, name: "A" });
    core.playing = { rev: 0, entities: () => [] };
    const ops: EditOp[] = [{ op: "rename", id: 1, name: "B" }];
    for (
      const refused of [
        await editing.edit({ ops, source: "agent" }),
        await editing.undo(1, "agent"),
        await editing.redo(1, "agent"),
        await editing.openScene("assets/scenes/main.scene.json", {
          discard: true,
          source: "agent",
        }),
      ]
    ) {
      assert.ok(!refused.ok);
      assert.deepEqual([refused.error.status, refused.error.code], [409, "playing"]);
      assert.match(refused.error.hint, /play_control action=stop/);
    }
    assert.deepEqual(editing.changedSince(0), { known: false, ids: [] });
  });
});

const LABELS: readonly (readonly [string, readonly EditOp[]])[] = [
  ['Set Transform of "Entity 1"', [{ op: "set", id: 1, trait: "Transform", fields: { x: 1 } }]],
  ['Create "A" and 1 more', [{ op: "create", name: "A" }, { op: "create", name: "B" }]],
  ['Delete "Entity 2"', [{ op: "delete", guid: guid(2) }]],
  ['Rename "Entity 1" to "Z"', [{ op: "rename", id: 1, name: "Z" }]],
  ['Move "Entity 2"', [{ op: "reparent", id: 2, parentId: null }]],
  ['Add Light to "Entity 1"', [{ op: "addTrait", id: 1, trait: "Light" }]],
  ['Remove Transform from "Entity 1"', [{ op: "removeTrait", id: 1, trait: "Transform" }]],
];

for (const [label, ops] of LABELS) {
  test(`edit() is noted as ${label}`, async () => {
    await withScene([BOX, { parent: 1 }], async ({ edit, editing, core }) => {
      await edit(...ops);
      assert.deepEqual(editing.history().undo.map((step) => [step.label, step.source]), [
        [label, "agent"],
      ]);
      const [event] = core.journals.editor();
      assert.deepEqual([event?.type, event?.source], ["edit", "agent"]);
      assert.equal(Reflect.get(Object(event?.payload), "label"), label);
    });
  });
}

test("edit() duplicates a long name without cutting a character in two", async () => {
  await withScene([{}], async ({ edit, core }) => {
    for (const units of [194, 195, 196]) {
      const name = `${"a".repeat(units)}\u{1F600}`;
      await edit({ op: "rename", id: 1, name });
      const { created } = await edit({ op: "duplicate", id: 1 });
      const copy = core.document.get(created[0]?.id ?? 0)?.name ?? "";
      assert.equal(copy, `${"a".repeat(Math.min(units, 195))} copy`);
    }
  });
});
