import { test } from "node:test";
import assert from "node:assert/strict";
import { runAtOnce } from "../../lib/core/cooperative.ts";
import fc from "fast-check";
import { EntityDocument, mergeEntities } from "../../lib/game/scene/mod.ts";
import type { Entity, LayoutEntry, Vec3 } from "../../lib/game/types/mod.ts";
import { LiveWorld } from "../../lib/game/world/mod.ts";
import { EditedWorld } from "../../lib/game-web/edited-world.ts";
import { pickFlat } from "../../lib/game-web/pick-flat.ts";
import { projectionFrom, projectPoint, rayThrough } from "../../lib/game-web/view-camera.ts";
import { fillingPlace, fittingPlace } from "../../lib/game-web/view-place.ts";
import { runSeed, seededRandom } from "../support/random.ts";

const SCREEN = { width: 800, height: 600 };
const coordinate = fc.double({ min: -50, max: 50, noNaN: true });
const point = fc.tuple(coordinate, coordinate, coordinate);

for (const lens of [{ fov: 50 }, { orthographic: 20 }]) {
  test(`rayThrough() meets what projectPoint() put there: ${JSON.stringify(lens)}`, () => {
    const holds = (position: Vec3, target: Vec3, at: Vec3) => {
      const projection = projectionFrom({ position, target, ...lens });
      const pixel = projectPoint(projection, SCREEN, at);
      if (pixel === null || Math.abs(pixel.depth) < 0.01) return;
      const { origin, direction } = rayThrough(projection, SCREEN, pixel);
      const way = at.map((part, n) => part - (origin[n] ?? 0));
      const along = way.reduce((sum, part, n) => sum + part * (direction[n] ?? 0), 0);
      const off = way.map((part, n) => part - along * (direction[n] ?? 0));
      assert.ok(Math.hypot(...off) < 1e-6 * (1 + Math.hypot(...way)));
    };
    fc.assert(fc.property(point, point, point, holds), { seed: runSeed() });
  });
}

for (
  const [title, position, at, want] of [
    ["ahead", [0, 0, 10], [1, 2, 0], { right: true, above: true }],
    ["straight down", [0, 10, 0], [1, 0, -2], { right: true, above: true }],
    ["straight up", [0, -10, 0], [1, 0, 2], { right: true, above: true }],
    ["from behind", [0, 0, -10], [1, 2, 0], { right: false, above: true }],
  ] as const
) {
  test(`projectionFrom() has up above: ${title}`, () => {
    const projection = projectionFrom({ position, target: [0, 0, 0], fov: 60 });
    const pixel = projectPoint(projection, SCREEN, at);
    assert.ok(pixel !== null);
    assert.deepEqual({ right: pixel.x > 400, above: pixel.y < 300 }, want);
    const middle = projectPoint(projection, SCREEN, [0, 0, 0]);
    assert.deepEqual([middle?.x, middle?.y], [400, 300]);
  });
}

test("projectPoint() has no place for what is behind the eye, unless the eye is everywhere", () => {
  const camera = { position: [0, 0, 10], target: [0, 0, 0] } as const;
  assert.equal(projectPoint(projectionFrom({ ...camera, fov: 60 }), SCREEN, [0, 0, 11]), null);
  const flat = projectionFrom({ ...camera, orthographic: 10 });
  assert.equal(projectPoint(flat, SCREEN, [0, 5, 11])?.y, 0);
});

test("EditedWorld is the world of the scene after any edits, and keeps what has not changed", () => {
  const seed = runSeed();
  const random = seededRandom(seed);
  const document = new EntityDocument();
  const seedOf = (n: number) => ({
    guid: `g${n}`,
    name: `E${n}`,
    layer: random.below(3) === 0 ? "ui" : "3d",
    traits: { Transform: { x: n } },
  } as const);
  for (let n = 0; n < 20; n++) {
    document.add({ ...seedOf(n), parentId: n === 0 ? null : random.below(n) || null });
  }
  let before = document.entities();
  const edited = new EditedWorld(before);
  let kept = 0;
  for (let round = 0; round < 300; round++) {
    const rev = document.rev;
    const ids = before.map(({ id }) => id);
    const id = ids[random.below(ids.length)] ?? 0;
    const live = edited.game.world.get(id);
    const action = random.below(6);
    if (action === 0) document.add({ ...seedOf(100 + round), parentId: id });
    else if (action === 1 && ids.length - document.withDescendants(id).length > 5) {
      runAtOnce(document.removing(id));
    } else if (action === 2) document.rename(id, `R${round}`);
    else if (action === 3) document.setFields(id, "Light", { intensity: round });
    else if (action === 4) document.setLayer(id, round % 2 === 0 ? "2d" : "3d");
    else document.setFields(id, "Transform", { x: round });
    const { ids: changed } = document.changedSince(rev);
    const values = document.entities().filter((entity) => changed.includes(entity.id));
    const removed = changed.filter((one) => document.get(one) === undefined);
    edited.update(values, removed);
    before = document.entities();
    const fresh = new LiveWorld(before, 0);
    const { world } = edited.game;
    assert.deepEqual(world.entities(), fresh.entities(), `seed ${seed}, round ${round}`);
    for (const { id: one } of before) {
      const [a, b] = [world.get(one), fresh.get(one)];
      assert.ok(a !== undefined && b !== undefined);
      assert.deepEqual(world.placeOf(a), fresh.placeOf(b), `seed ${seed}, round ${round}`);
    }
    assert.deepEqual(
      world.withTrait("Light").map((one) => one.id),
      fresh.withTrait("Light").map((one) => one.id),
    );
    if (action === 5 && world.get(id) === live) kept++;
  }
  assert.ok(kept > 20, `${kept} edits of values kept their entity`);
});

const UI = (id: number, traits: Entity["traits"] = {}): Entity => ({
  id,
  guid: `g${id}`,
  name: `E${id}`,
  parentId: null,
  layer: "ui",
  traits: { UIElement: {}, ...traits },
});
const at = (id: number, layer: "2d" | "ui", x = 0, onScreen = true): LayoutEntry => ({
  id,
  name: "",
  layer,
  rect: { x, y: 0, w: 100, h: 100 },
  onScreen,
  zeroSize: false,
});

test("pickFlat() finds the topmost, and what is painted before what only holds others", () => {
  const text = { Text: { text: "words" } };
  const entities = [UI(1, text), UI(2, text), UI(3), UI(4, text)];
  const world = new LiveWorld(entities, 0);
  const viewport = { width: 400, height: 400 };
  const entries = [at(1, "ui"), at(2, "ui", 50), at(3, "ui"), at(4, "ui", 0, false)];
  const find = (x: number, seenOnly = false, shown = entries) =>
    pickFlat("ui", { x, y: 10 }, { world, layout: { viewport, entries: shown }, seenOnly });
  assert.equal(find(10), 1);
  assert.equal(find(60), 2);
  assert.equal(find(200), null);
  assert.equal(find(10, false, [at(3, "ui")]), 3);
  assert.equal(find(10, true, [at(3, "ui")]), null);
});

test("pickFlat() takes the 2D layer by depth, as it is drawn", () => {
  const sprite = (id: number, z: number): Entity => ({
    ...UI(id),
    layer: "2d",
    traits: { Transform: { z }, Sprite: { image: "i" } },
  });
  const world = new LiveWorld([sprite(1, 5), sprite(2, 1)], 0);
  const layout = { viewport: SCREEN, entries: [at(1, "2d"), at(2, "2d")] };
  assert.equal(pickFlat("2d", { x: 1, y: 1 }, { world, layout, seenOnly: false }), 1);
});

test("fittingPlace() and fillingPlace() put a screen into a box", () => {
  const made = { width: 400, height: 200 };
  assert.deepEqual(fittingPlace({ width: 800, height: 600 }, made, 2), {
    screen: { ...made, pixelRatio: 4 },
    left: 0,
    top: 100,
    scale: 2,
  });
  assert.deepEqual(fittingPlace({ width: 200, height: 400 }, made, 1), {
    screen: { ...made, pixelRatio: 0.5 },
    left: 0,
    top: 150,
    scale: 0.5,
  });
  assert.deepEqual(fillingPlace({ width: 0, height: 300 }, 5).screen, {
    width: 1,
    height: 300,
    pixelRatio: 3,
  });
});

test("mergeEntities() keeps the values of those that have not changed", () => {
  const [a, b] = [UI(1), UI(2)];
  const merged = mergeEntities([a, b], [{ ...b, name: "Other" }], []);
  assert.equal(merged[0], a);
  assert.equal(merged[1]?.name, "Other");
});
