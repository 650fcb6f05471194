import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ask } from "../support/ask.ts";
import { withSampleService } from "../support/project-service.ts";
import { createTinyEditor, tinyGuid } from "../support/tiny-editor.ts";

const NAME = "svc_get_scene_state";
const big = { editor: createTinyEditor({ entities: 2_000 }) };

// SCENE-1
test("svc_get_scene_state answers an index by default", async () => {
  const { body } = await ask(NAME);
  assert.deepEqual(Object.keys(body), [
    "scenePath",
    "entityCount",
    "truncated",
    "entities",
    "hint",
  ]);
  assert.equal(body.entityCount, 12);
  assert.equal(body.truncated, false);
  assert.deepEqual(body.entities[1], {
    id: 2,
    guid: tinyGuid(2),
    name: "Crate 2",
    parentId: 1,
    layer: "ui",
    traits: ["Place", "Health"],
  });
  for (const parameter of ["full=1", "trait=", "id=", "name=", "where=", "limit="]) {
    assert.ok(body.hint.includes(parameter), parameter);
  }
});

test("svc_get_scene_state cuts the index at 200, an explicit limit wins", async () => {
  const { body } = await ask(NAME, {}, big);
  assert.deepEqual([body.entityCount, body.entities.length, body.truncated], [2_000, 200, true]);
  const short = (await ask(NAME, { limit: 3 }, big)).body;
  assert.deepEqual([short.entityCount, short.entities.length, short.truncated], [2_000, 3, true]);
  const complete = (await ask(NAME, { limit: 1_000_000 }, big)).body;
  assert.equal(complete.elided, true);
  const fits = { editor: createTinyEditor({ entities: 201 }) };
  const all = (await ask(NAME, { limit: 201 }, fits)).body;
  assert.deepEqual([all.entities.length, all.truncated], [201, false]);
});

for (
  const [title, args, ids] of [
    ["id", { id: 4 }, [4]],
    ["guid", { guid: tinyGuid(4).toUpperCase() }, [4]],
    ["name, case ignored", { name: "cRATE 1" }, [10, 11, 12]],
    ["trait", { trait: "Health" }, [2, 4, 6, 8, 10, 12]],
    ["where", { where: "Health.value >= 8" }, [8, 10, 12]],
    ["all of them together", { name: "1", trait: "Health", where: "Health.value > 10" }, [12]],
    ["id against name", { id: 4, name: "Root" }, []],
    ["a name that nothing has", { name: "Nobody" }, []],
    ["a trait that nothing has", { trait: "Halth" }, []],
    ["a field that nothing has", { where: "Health.valu > 1" }, []],
  ] as const
) {
  test(`svc_get_scene_state filters by ${title}`, async () => {
    const { status, body } = await ask(NAME, args);
    assert.equal(status, 200);
    assert.deepEqual(body.entities.map((entity: { id: number }) => entity.id), ids);
    assert.equal(body.matched, ids.length);
    assert.equal(body.entityCount, 12);
    assert.equal(body.truncated, false);
  });
}

// TOOL-2, SCENE-3
test("svc_get_scene_state gives values of the trait asked for, of all with full", async () => {
  const health = { value: 2, invincible: false, label: "#2" };
  const place = { x: 2.3, y: -0.666666667 };
  const one = (await ask(NAME, { id: 2 })).body.entities[0];
  assert.deepEqual(one.traits, { Place: place, Health: health });
  const health2 = (await ask(NAME, { id: 2, trait: "Health" })).body.entities[0];
  assert.deepEqual(health2.traits, { Health: health });
  const full = (await ask(NAME, { id: 2, trait: "Health", full: true })).body.entities[0];
  assert.deepEqual(full.traits, { Place: place, Health: health });
  const everything = (await ask(NAME, { full: true })).body;
  assert.equal(everything.entities.length, 12);
  assert.equal("matched" in everything, false);
});

test("svc_get_scene_state adds world and rect to any answer", async () => {
  const { entities } = (await ask(NAME, { id: 3, world: 1, bounds: "true" })).body;
  assert.deepEqual(entities[0].world, {
    position: [3, 0.3, 0],
    rotation: [0, 0, 0],
    scale: [1, 1, 1],
  });
  assert.deepEqual(entities[0].rect, { x: 3, y: 0, w: 10, h: 10 });
  const index = (await ask(NAME, { world: 1, bounds: 1 })).body.entities;
  assert.ok(!("world" in index[0]), "what does not apply is absent");
  assert.equal(index[0].rect, null);
  assert.ok(Array.isArray(index[0].traits));
});

for (
  const [precision, want] of [[0, 2.3000000000000003], [1, 2], [9, 2.3], [17, 2.3000000000000003]]
) {
  test(`svc_get_scene_state with precision ${precision}`, async () => {
    const { entities } = (await ask(NAME, { id: 2, precision })).body;
    assert.equal(entities[0].traits.Place.x, want);
  });
}

for (
  const args of [{ id: 99 }, { guid: tinyGuid(99) }, { guid: "nonsense" }, {
    id: 1,
    guid: tinyGuid(99),
  }]
) {
  test(`svc_get_scene_state finds nothing for ${JSON.stringify(args)}`, async () => {
    assert.equal((await ask(NAME, args)).status, 404);
  });
}

test("svc_get_scene_state names what was misspelled", async () => {
  assert.match((await ask(NAME, { trait: "Halth" })).body.hint, /did you mean Health/);
  assert.match((await ask(NAME, { where: "Healt.value > 1" })).body.hint, /did you mean Health/);
  assert.match((await ask(NAME, { where: "Health.valu > 1" })).body.hint, /did you mean value/);
});

test("svc_get_scene_state says of a field without numbers why nothing fits", () =>
  withSampleService(async ({ call }) => {
    const { body } = await call(NAME, { where: "Collider.shape == 1" });
    assert.deepEqual([body.matched, body.entities], [0, []]);
    assert.match(body.hint, /^Collider\.shape is not a number; numbers are width, height, depth,/);
    const flags = (await call(NAME, { where: "Camera.active == 1", limit: 1 })).body;
    assert.deepEqual([flags.matched > 0, flags.hint], [true, undefined]);
  }));

test("svc_get_scene_state gives no hint where nothing was misspelled", async () => {
  assert.equal("hint" in (await ask(NAME, { trait: "Health", name: "Root" })).body, false);
});

test("svc_get_scene_state elides an untargeted full dump and says how to narrow it", async () => {
  const { body } = await ask(NAME, { full: 1 }, big);
  assert.equal(body.elided, true);
  assert.equal(body.preview.entities, 2_000);
  assert.equal(body.preview.entityCount, "number");
  for (
    const word of [
      "trait=",
      "id=",
      "guid=",
      "name=",
      "where=",
      "limit=N",
      "without full=1",
      "60000",
    ]
  ) {
    assert.ok(body.hint.includes(word), word);
  }
  assert.ok(body.hint.includes(String(body.bytes)));
});

test("an edit stands on what others have written a moment ago", () =>
  withSampleService(async ({ call, root }) => {
    const file = join(root, (await call("svc_get_scene_state")).body.scenePath);
    const { body: before } = await call("svc_scene_edit", {
      ops: [{ op: "rename", id: 1, name: "Harbor" }],
    });
    assert.equal(before.changed, 1);
    assert.equal((await call("save_scene")).status, 200);
    writeFileSync(file, readFileSync(file, "utf8").replace('"Harbor"', '"Harbour"'));
    const edited = await call("set_transform", { id: 2, position: [0, 15, 26] });
    assert.equal(edited.status, 200, edited.text);
    const { body } = await call("svc_get_scene_state", { id: 1 });
    assert.equal(body.entities[0].name, "Harbour");
    assert.equal((await call("save_scene")).status, 200, "nobody is written over");
  }));
