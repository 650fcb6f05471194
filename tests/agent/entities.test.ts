import assert from "node:assert/strict";
import { test } from "node:test";
import { readOps } from "../../lib/agent/scene/edit-request.ts";
import { EntityIndex, resolveAsset, resolveEntity } from "../../lib/agent/scene/entities.ts";
import { ok } from "../../lib/core/result.ts";
import { distanceToBox, meetsBox, rayToBox } from "../../lib/agent/scene/spatial.ts";
import type { Asset, Entity, Vec3 } from "../../lib/editor/ports/mod.ts";
import { ask, createTinyServices } from "../support/ask.ts";
import { createTinyEditor } from "../support/tiny-editor.ts";

const entity = (id: number, guid: string): Entity => ({
  id,
  guid,
  name: `Entity ${id}`,
  parentId: null,
  layer: "3d",
  traits: {},
});
const ENTITIES = [
  entity(1, "a1b2c3d4-0000-4000-8000-000000000001"),
  entity(2, "a1b2c3d5-0000-4000-8000-000000000002"),
  entity(3, "a1b2c3d5-0000-4000-8000-000000000003"),
  entity(4, "ffff0000-0000-4000-8000-000000000004"),
];

for (
  const [what, name, found] of [
    ["an id", { id: 3 }, 3],
    ["a whole guid", { guid: "a1b2c3d5-0000-4000-8000-000000000002" }, 2],
    ["a guid in upper case", { guid: "FFFF0000-0000-4000-8000-000000000004" }, 4],
    ["the shortest beginning", { guid: "ffff" }, 4],
    ["a beginning that tells apart", { guid: "a1b2c3d4" }, 1],
    [
      "a beginning past the dashes",
      { guid: "a1b2c3d5-0000-4000-8000-000000000003".slice(0, 36) },
      3,
    ],
    ["id and guid of one", { id: 4, guid: "ffff" }, 4],
    ["a shared beginning", { guid: "a1b2" }, "409 ambiguous-guid"],
    ["a shared beginning of two", { guid: "a1b2c3d5" }, "409 ambiguous-guid"],
    ["three digits", { guid: "fff" }, "404 no-such-entity"],
    ["no hexadecimal", { guid: "Runner" }, "404 no-such-entity"],
    ["an id that is not there", { id: 9 }, "404 no-such-entity"],
    ["a guid that is not there", { guid: "eeee" }, "404 no-such-entity"],
    ["id and guid of two", { id: 1, guid: "ffff" }, "400 bad-argument"],
    ["nothing", {}, "400 missing-argument"],
  ] as const
) {
  test(`resolveEntity() takes ${what}`, () => {
    const answer = resolveEntity(ENTITIES, name);
    const reported = answer.ok ? answer.value.id : `${answer.error.status} ${answer.error.code}`;
    assert.equal(reported, found);
  });
}

test("resolveEntity() names the candidates of an ambiguous guid", () => {
  const many = Array.from(
    { length: 9 },
    (_, i) => entity(i, `abcd000${i}-0000-4000-8000-00000000000${i}`),
  );
  const answer = resolveEntity(many, { guid: "abcd" });
  assert.ok(!answer.ok);
  assert.match(
    answer.error.detail,
    /beginning of 9: abcd0000-\S+ "Entity 0" \(id 0\), .* and 4 more/,
  );
});

const asset = (path: string, guid: string): Asset => ({
  guid,
  path,
  name: path,
  type: "audio",
  size: 1,
});
const ASSETS = [
  asset("assets/audio/coin.wav", "aaaa1111-0000-4000-8000-000000000001"),
  asset("assets/audio/horn.wav", "aaaa2222-0000-4000-8000-000000000002"),
  asset("beef", "cccc0000-0000-4000-8000-000000000003"),
  asset("assets/b.wav", "beef0000-0000-4000-8000-000000000004"),
];

for (
  const [name, found] of [
    ["assets/audio/coin.wav", "assets/audio/coin.wav"],
    ["aaaa2222-0000-4000-8000-000000000002", "assets/audio/horn.wav"],
    ["AAAA1", "assets/audio/coin.wav"],
    ["beef", "beef"],
    ["aaaa", "409 ambiguous-guid"],
    ["coin.wav", "404 no-such-asset"],
  ] as const
) {
  test(`resolveAsset() takes ${name}`, () => {
    const answer = resolveAsset(ASSETS, name);
    const reported = answer.ok ? answer.value.path : `${answer.error.status} ${answer.error.code}`;
    assert.equal(reported, found);
  });
}

test("resolveAsset() finds the folder of a file name", () => {
  const answer = resolveAsset(ASSETS, "coin.wav");
  assert.ok(!answer.ok);
  assert.match(answer.error.hint, /Did you mean "assets\/audio\/coin\.wav"\?/);
});

const UNIT = { min: [0, 0, 0], max: [1, 1, 1] } as const;

for (
  const [point, distance] of [
    [[0.5, 0.5, 0.5], 0],
    [[1, 1, 1], 0],
    [[4, 0.5, 0.5], 3],
    [[-3, 5, 0], 5],
  ] as const satisfies readonly (readonly [Vec3, number])[]
) {
  test(`distanceToBox() of ${point} is ${distance}`, () => {
    assert.equal(distanceToBox(point, UNIT), distance);
  });
}

for (
  const [what, origin, direction, hit] of [
    ["from the left", [-2, 0.5, 0.5], [4, 0, 0], 2],
    ["away from it", [-2, 0.5, 0.5], [-1, 0, 0], null],
    ["from within", [0.5, 0.5, 0.5], [0, 0, 1], 0],
    ["beside it", [-2, 2, 0.5], [1, 0, 0], null],
    ["along a face", [-2, 1, 0.5], [1, 0, 0], 2],
    ["across", [-1, -1, 0.5], [1, 1, 0], Math.SQRT2],
  ] as const satisfies readonly (readonly [string, Vec3, Vec3, number | null])[]
) {
  test(`rayToBox() ${what}`, () => {
    assert.equal(rayToBox({ origin, direction }, UNIT), hit);
  });
}

test("meetsBox() counts what only touches", () => {
  assert.equal(meetsBox(UNIT, { min: [1, 1, 1], max: [2, 2, 2] }), true);
  assert.equal(meetsBox(UNIT, { min: [1.1, 0, 0], max: [2, 2, 2] }), false);
  assert.equal(meetsBox({ min: [0.5, 0.5, 0.5], max: [0.5, 0.5, 0.5] }, UNIT), true);
});

/** An entity that counts how often it is asked for its guid or its id. */
function counted(n: number, asked: { times: number }): Entity {
  const hex = n.toString(16).padStart(8, "0");
  const { guid, id, ...rest } = entity(n, `${hex}-0000-4000-8000-000000000000`);
  return {
    ...rest,
    get guid() {
      asked.times++;
      return guid;
    },
    get id() {
      asked.times++;
      return id;
    },
  };
}

test("readOps() of 10,000 operations look at each of 10,000 entities a few times", () => {
  const count = 10_000;
  const asked = { times: 0 };
  const entities = Array.from({ length: count }, (_, n) => counted(n, asked));
  const begin = (n: number) => n.toString(16).padStart(8, "0");
  const ops = Array.from({ length: count }, (_, n) => ({
    op: "reparent",
    guid: begin(n),
    parentGuid: begin((n * 7) % count),
  }));
  const read = readOps(ops, entities);
  assert.ok(read.ok);
  assert.equal(read.value[11]?.op === "reparent" && read.value[11].guid?.slice(0, 8), begin(11));
  assert.ok(asked.times < 10 * count, `${asked.times} looks for ${2 * count} names`);

  asked.times = 0;
  const index = new EntityIndex(entities);
  for (let n = 0; n < count; n++) {
    assert.equal(resolveEntity(index, { id: n }).ok, true);
    assert.equal(resolveEntity(index, { guid: `${begin(n)}-0000` }).ok, true);
    assert.equal(resolveEntity(index, { guid: "0000" }).ok, false);
    assert.equal(resolveEntity(index, { guid: "ffff" }).ok, false);
  }
  assert.ok(asked.times < 40 * count, `${asked.times} looks for ${4 * count} names`);
});

test("EntityIndex answers the first question and the next alike", () => {
  for (const guid of ["a1b2", "a1b2c3d5", "a1b2c3d4", "ffff", "0000", "ffffffff", "zz"]) {
    const index = new EntityIndex(ENTITIES);
    const [first, next] = [resolveEntity(index, { guid }), resolveEntity(index, { guid })];
    assert.deepEqual(next, first);
    assert.deepEqual(first, resolveEntity(ENTITIES, { guid }));
  }
});

for (
  const [name, args] of [
    ["resolve_refs", (guids: readonly string[]) => ({ refs: guids })],
    ["set_selection", (guids: readonly string[]) => ({ guids })],
    ["watch", (guids: readonly string[]) => ({ action: "start", fields: ["Place.x"], guids })],
  ] as const
) {
  test(`${name} does not walk over the scene for every entity that it is given`, async () => {
    const editor = createTinyEditor({ entities: 300 });
    const scene = await editor.sceneState();
    let walks = 0;
    const entities = new Proxy(scene.entities, {
      get(list, member) {
        if (member === "find" || member === "filter") walks++;
        return Reflect.get(list, member);
      },
    });
    const parts = {
      sceneState: () => Promise.resolve({ ...scene, entities }),
      view: { state: () => ({}), change: () => ok({ selection: [], asset: null }) },
      watches: { start: () => ok({ id: "w1" }), list: () => [] },
    };
    for (const [part, value] of Object.entries(parts)) Reflect.set(editor, part, value);
    const services = { ...createTinyServices(), editor };
    const { status } = await ask(name, args(scene.entities.map(({ guid }) => guid)), services);
    assert.equal(status, 200);
    assert.ok(walks < 10, `${walks}`);
  });
}
