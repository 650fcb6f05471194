import { test } from "node:test";
import assert from "node:assert/strict";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { runAtOnce } from "../../lib/core/cooperative.ts";
import { compactGroups, guidPrefixes } from "../../lib/agent/answer/compact-index.ts";
import { resolveEntity } from "../../lib/agent/scene/entities.ts";
import { ask, createTinyServices } from "../support/ask.ts";
import { scene135 } from "../../scripts/bench/scene-135.ts";
import { createTinyEditor } from "../support/tiny-editor.ts";

const SCENE = scene135();
const services = {
  ...createTinyServices(),
  editor: {
    ...createTinyEditor(),
    sceneState: () =>
      Promise.resolve({ scenePath: "assets/scenes/harbor.scene.json", rev: 0, entities: SCENE }),
  },
};
const index = (args: Readonly<Record<string, unknown>>) =>
  ask("svc_get_scene_state", args, services);

test("the fixture is 135 entities in 13 sets of traits", () => {
  const sets = new Set(SCENE.map(({ traits }) => Object.keys(traits).join()));
  assert.deepEqual([SCENE.length, sets.size], [135, 13]);
});

test("svc_get_scene_state of the fixture costs at most 8,178 tokens, compact=1 2,600", async () => {
  const complete = countTokens(JSON.stringify((await index({})).body));
  const compact = countTokens(JSON.stringify((await index({ compact: 1 })).body));
  assert.ok(complete <= 8_178, `${complete} tokens`);
  assert.ok(compact <= 2_600, `${compact} tokens, compact`);
});

test("svc_get_scene_state compact=1 says of every entity what the index says", async () => {
  const { entities } = (await index({})).body;
  const { groups, entityCount, truncated } = (await index({ compact: true })).body;
  assert.deepEqual([entityCount, truncated], [135, false]);
  const read = [];
  for (const { layer, traits, entities: rows } of groups) {
    for (const row of rows) {
      const [, id, guid, parentId, name] = /^(\d+) (\S+) (\d+|null) (.*)$/.exec(row) ?? [];
      const entity = resolveEntity(SCENE, { guid });
      assert.ok(entity.ok, row);
      assert.equal(entity.value.id, Number(id));
      read.push({
        id: Number(id),
        guid: entity.value.guid,
        name,
        parentId: parentId === "null" ? null : Number(parentId),
        layer,
        traits,
      });
    }
  }
  assert.deepEqual(read.toSorted((a, b) => a.id - b.id), entities);
});

test("svc_get_scene_state compact=1 is filtered and cut like any index", async () => {
  const { matched, truncated, groups } = (await index({ compact: 1, trait: "Camera" })).body;
  assert.deepEqual([matched, truncated, groups.length], [2, false, 1]);
  assert.deepEqual(groups[0].entities.length, 2);
  const few = (await index({ compact: 1, limit: 3 })).body;
  assert.deepEqual([few.entityCount, few.truncated, few.groups[0].entities.length], [135, true, 3]);
  assert.match((await index({ compact: 1, trait: "Camra" })).body.hint, /no trait named/);
});

for (const clash of ["full", "world", "bounds"]) {
  test(`svc_get_scene_state refuses compact=1 beside ${clash}=1`, async () => {
    const { status, body } = await index({ compact: 1, [clash]: 1 });
    assert.deepEqual([status, body.code], [400, "bad-argument"]);
  });
}

const PREFIXES: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ["four digits", ["a1b2c3d4-0", "b1b2c3d4-0"], ["a1b2", "b1b2"]],
  ["one more than is shared", ["a1b2c3d4-0", "a1b2c9d4-0"], ["a1b2c3", "a1b2c9"]],
  ["past a dash, not at it", ["a1b2c3d4-01", "a1b2c3d4-11"], ["a1b2c3d4-0", "a1b2c3d4-1"]],
  ["the nearest of both sides", ["aaaa0000", "aaaab000", "aaaabc00"], [
    "aaaa0",
    "aaaab0",
    "aaaabc",
  ]],
  ["one alone", ["a1b2c3d4-0"], ["a1b2"]],
];
for (const [title, guids, want] of PREFIXES) {
  test(`guidPrefixes() gives ${title}`, () => {
    const all = guids.map((guid) => ({ guid }));
    const prefixes = runAtOnce(guidPrefixes(all, all));
    assert.deepEqual(guids.map((guid) => prefixes.get(guid)), want);
  });
}

test("compactGroups() tells guids apart in the whole scene, not only in what is shown", () => {
  const [first, second] = [
    { id: 1, guid: "a1b2c3d4", name: "A", parentId: null, layer: "3d" as const, traits: {} },
    { id: 2, guid: "a1b2c3d5", name: "B", parentId: 1, layer: "3d" as const, traits: {} },
  ];
  assert.deepEqual(runAtOnce(compactGroups([first], [first, second])), [
    { layer: "3d", traits: [], entities: ["1 a1b2c3d4 null A"] },
  ]);
});
