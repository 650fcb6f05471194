import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Entity, TraitFields, Vec3 } from "../../lib/editor/ports/mod.ts";
import { IDENTITY, ORIGIN, rotationOf } from "../../lib/game/geometry/mod.ts";
import { worldPlaces } from "../../lib/game/scene/mod.ts";
import { changedTransform, dragged, gizmoParts, snapped } from "../../lib/page/viewport/gizmo.ts";
import {
  dollied,
  eyeOf,
  framed,
  metresPerPixel,
  type Orbit,
  panned,
  project,
  rayAt,
  START,
  turned,
} from "../../lib/page/viewport/orbit.ts";
import { nextTick } from "../../lib/page/viewport/pace.ts";
import { shapesOf } from "../../lib/page/viewport/shapes.ts";
import { runSeed } from "../support/random.ts";

const SCREEN = { width: 800, height: 600 };

/** A property; a failure prints the seed. */
function property<T>(title: string, given: fc.Arbitrary<T>, holds: (values: T) => void): void {
  test(title, () => fc.assert(fc.property(given, holds), { seed: runSeed() }));
}

const near = (a: number, b: number, most = 1e-6): boolean => Math.abs(a - b) <= most;
const coordinate = fc.double({ min: -50, max: 50, noNaN: true });
const point = fc.tuple(coordinate, coordinate, coordinate);
const orbit: fc.Arbitrary<Orbit> = fc.record({
  target: point,
  yaw: fc.double({ min: -180, max: 180, noNaN: true }),
  pitch: fc.double({ min: -89, max: 89, noNaN: true }),
  distance: fc.double({ min: 1, max: 100, noNaN: true }),
});

test("what is looked at is in the middle, as far as the camera is", () => {
  const pixel = project(START, SCREEN, START.target);
  assert.ok(pixel !== null && near(pixel.x, 400) && near(pixel.y, 300));
  assert.ok(near(pixel.depth, START.distance));
  assert.deepEqual(eyeOf({ ...START, yaw: 0, pitch: 0 }).offset, [0, 0, START.distance]);
});

property(
  "a ray through a pixel meets the point that is shown there",
  fc.tuple(orbit, point),
  ([from, at]) => {
    const pixel = project(from, SCREEN, at);
    if (pixel === null) return;
    const { origin, direction } = rayAt(from, SCREEN, pixel.x, pixel.y);
    const way: Vec3 = [at[0] - origin[0], at[1] - origin[1], at[2] - origin[2]];
    const along = way[0] * direction[0] + way[1] * direction[1] + way[2] * direction[2];
    const off = way.map((part, n) => part - along * (direction[n] ?? 0));
    assert.ok(Math.hypot(...off) < 1e-6 * (1 + Math.hypot(...way)));
  },
);

property("what is dragged sideways stays below the pointer", orbit, (from) => {
  const moved = panned(from, SCREEN, 30, -20);
  const pixel = project(moved, SCREEN, from.target);
  assert.ok(pixel !== null && near(pixel.x, 430, 1e-4) && near(pixel.y, 280, 1e-4));
});

test("a wheel comes nearer, never through; a turn stops at the poles", () => {
  assert.ok(dollied(START, -100).distance < START.distance);
  assert.ok(dollied(START, -1e9).distance > 0);
  assert.equal(turned(START, 0, 1e6).pitch, -90);
  assert.equal(turned(START, 0, -1e6).pitch, 90);
});

property("all of a framed box is in sight", fc.tuple(orbit, point), ([from, at]) => {
  const box = { min: at, max: [at[0] + 4, at[1] + 2, at[2] + 6] as const };
  const seen = framed(from, box);
  for (const corner of [box.min, box.max]) {
    const pixel = project(seen, SCREEN, corner);
    assert.ok(pixel !== null && pixel.y >= 0 && pixel.y <= 600, JSON.stringify(pixel));
  }
});

const eyeAt = (from: Orbit) => ({
  project: (at: Vec3) => project(from, SCREEN, at),
  metresPerPixel: (depth: number) => metresPerPixel(SCREEN, depth),
});
const FRONT: Orbit = { target: [0, 0, 0], yaw: 20, pitch: -20, distance: 20 };
const AT = { middle: [1, 2, 3] as const, rotation: IDENTITY };

for (
  const [mode, kinds] of [
    ["translate", ["move-yz", "move-xz", "move-xy", "move-x", "move-y", "move-z"]],
    ["rotate", ["rotate-x", "rotate-y", "rotate-z"]],
    ["scale", ["scale-x", "scale-y", "scale-z", "scale-all"]],
  ] as const
) {
  test(`the gizmo to ${mode} has its parts, as large on the screen wherever it is`, () => {
    const parts = gizmoParts(mode, AT, eyeAt(FRONT));
    assert.deepEqual(parts.map(({ kind }) => kind), kinds);
    const far = gizmoParts(mode, AT, eyeAt({ ...FRONT, distance: 200 }));
    const reach = (list: typeof parts) =>
      Math.max(...list.flatMap(({ line }) => line.map(([x]) => x))) -
      Math.min(...list.flatMap(({ line }) => line.map(([x]) => x)));
    assert.ok(Math.abs(reach(parts) - reach(far)) < 25, `${reach(parts)} ${reach(far)}`);
  });
}

test("nothing is drawn of a gizmo behind the eye", () => {
  const behind = { middle: eyeOf(FRONT).offset.map((n) => n * 3), rotation: IDENTITY };
  const [x = 0, y = 0, z = 0] = behind.middle;
  assert.deepEqual(gizmoParts("translate", { ...behind, middle: [x, y, z] }, eyeAt(FRONT)), []);
});

/** Drags the part of a kind from where it is to some pixels beside. */
function drag(kind: string, dx: number, dy: number) {
  const mode = kind.startsWith("move")
    ? "translate"
    : kind.startsWith("scale")
    ? "scale"
    : "rotate";
  const part = gizmoParts(mode, AT, eyeAt(FRONT)).find((one) => one.kind === kind);
  const [x, y] = part?.line.at(-1) ?? [0, 0];
  assert.ok(part);
  return dragged(part, AT.middle, {
    from: rayAt(FRONT, SCREEN, x, y),
    to: rayAt(FRONT, SCREEN, x + dx, y + dy),
    pixels: dx - dy,
  });
}

test("an arrow moves along its axis alone, a plane across its axis", () => {
  const up = drag("move-y", 0, -40);
  assert.ok(up?.kind === "move" && up.by[1] > 0 && near(up.by[0], 0) && near(up.by[2], 0));
  const flat = drag("move-xz", 60, 10);
  assert.ok(flat?.kind === "move" && near(flat.by[1], 0) && flat.by[0] > 0);
});

test("a ring turns about its axis, a box scales along it, the dot scales all", () => {
  const turn = drag("rotate-y", 40, 0);
  assert.ok(turn?.kind === "turn" && turn.degrees !== 0);
  assert.deepEqual(turn.about, [0, 1, 0]);
  const taller = drag("scale-y", 0, -40);
  assert.ok(taller?.kind === "scale" && taller.by[1] > 1);
  assert.deepEqual([taller.by[0], taller.by[2]], [1, 1]);
  const larger = drag("scale-all", 42, -42);
  assert.deepEqual(larger, { kind: "scale", by: [2, 2, 2] });
});

const fields: fc.Arbitrary<TraitFields> = fc.record({
  x: coordinate,
  y: coordinate,
  z: coordinate,
  rx: coordinate,
  ry: coordinate,
  rz: coordinate,
});
const thing = (id: number, parentId: number | null, transform: TraitFields): Entity => ({
  id,
  parentId,
  guid: `${id}`,
  name: `${id}`,
  layer: "3d",
  traits: { Transform: transform },
});

property(
  "a move of what hangs below something turned and scaled is that move in the world",
  fc.tuple(fields, fields, point),
  ([above, own, by]) => {
    const parent = { ...above, sx: 2, sy: 0.5, sz: 3 };
    const places = worldPlaces([thing(1, null, parent), thing(2, 1, own)]);
    const [place, before] = [places.get(1), places.get(2)];
    const moved = changedTransform(own, { kind: "move", by }, place);
    const after = worldPlaces([thing(1, null, parent), thing(2, 1, { ...own, ...moved })]).get(2);
    for (const n of [0, 1, 2] as const) {
      const found = (after?.affine.offset[n] ?? 0) - (before?.affine.offset[n] ?? 0);
      assert.ok(near(found, by[n], 1e-3), `${found} for ${by[n]}`); // fields are in tenths of a millimetre
    }
  },
);

property(
  "a turn of what hangs below something turned is that turn in the world",
  fc.tuple(fields, fields, fc.double({ min: -180, max: 180, noNaN: true })),
  ([above, own, degrees]) => {
    const scene = (transform: TraitFields) => [thing(1, null, above), thing(2, 1, transform)];
    const places = worldPlaces(scene(own));
    const [place, before] = [places.get(1), places.get(2)];
    const change = { kind: "turn", about: [0, 1, 0], degrees } as const;
    const fieldsNow = changedTransform(own, change, place, before?.rotation);
    const after = worldPlaces(scene({ ...own, ...fieldsNow })).get(2);
    const rotation = rotationOf([0, degrees, 0]);
    const found = after?.rotation ?? IDENTITY;
    const was = before?.rotation ?? IDENTITY;
    for (let row = 0; row < 3; row++) {
      for (let column = 0; column < 3; column++) {
        const expected = [0, 1, 2].reduce(
          (sum, n) => sum + (rotation[row * 3 + n] ?? 0) * (was[n * 3 + column] ?? 0),
          0,
        );
        assert.ok(near(found[row * 3 + column] ?? 0, expected, 1e-4));
      }
    }
  },
);

test("scales multiply; steps are whole while the key for it is held", () => {
  const change = { kind: "scale", by: [2, 1, 1] } as const;
  assert.deepEqual(changedTransform({ sx: 3 }, change, { affine: ORIGIN, rotation: IDENTITY }), {
    sx: 6,
    sy: 1,
    sz: 1,
  });
  assert.deepEqual(snapped({ kind: "move", by: [0.7, 0.2, -0.3] }), {
    kind: "move",
    by: [0.5, 0, -0.5],
  });
  assert.deepEqual(snapped({ kind: "turn", about: [0, 1, 0], degrees: 50 }), {
    kind: "turn",
    about: [0, 1, 0],
    degrees: 45,
  });
});

test("colliders and lights have shapes as large as they are, whatever their scale and turn", () => {
  const entity = (traits: Readonly<Record<string, TraitFields>>): Entity => ({
    id: 1,
    guid: "",
    name: "One",
    layer: "3d",
    parentId: null,
    traits,
  });
  const Transform = { x: 3, y: 4, sx: 2, sy: 3, rz: 90 };
  const shapes = (traits: Readonly<Record<string, TraitFields>>) => {
    const one = entity({ Transform, ...traits });
    const at = worldPlaces([one]).get(1);
    assert.ok(at);
    return shapesOf(one, at);
  };
  const [box] = shapes({ Collider: { shape: "box", width: 4, height: 2, depth: 6 } });
  const [wide, high, deep] = box?.handles ?? [];
  assert.ok(wide && high && deep);
  // Turned by a quarter, its x is the world's y: 3 + 0, 4 + 2 * 2.
  const isAt = (found: Vec3, want: Vec3) => found.every((part, n) => near(part, want[n] ?? NaN));
  assert.ok(isAt(wide.at, [3, 8, 0]) && isAt(wide.along, [0, 1, 0]), JSON.stringify(wide));
  assert.ok(near(wide.perMetre, 1) && near(high.perMetre, 2 / 3) && near(deep.perMetre, 2));
  assert.ok(isAt(high.at, [0, 4, 0]) && isAt(deep.at, [3, 4, 3]));
  const [light] = shapes({ Light: { kind: "point", range: 5 } });
  assert.deepEqual(light?.handles.map(({ field, value, at }) => [field, value, at]), [
    ["range", 5, [8, 4, 0]],
  ]);
  for (const [x, y, z] of light?.lines.flat() ?? []) {
    assert.ok(near(Math.hypot(x - 3, y - 4, z), 5), "no scale reaches it");
  }
  assert.deepEqual(shapes({ Collider: { shape: "mesh" } }), []);
  assert.deepEqual(shapes({ Light: { kind: "ambient" } }), []);
});

const ticks = fc.nat(10_000);
property(
  "a game that is told of ten times a second is never shown ahead, and soon keeps its distance",
  fc.record({ start: ticks, timeScale: fc.constantFrom(0.25, 1, 4) }),
  ({ start, timeScale }) => {
    const perFrame = timeScale; // sixty frames a second
    let [reported, at] = [start, start];
    for (let frame = 1; frame <= 600; frame++) {
      if (frame % 6 === 0) reported = start + Math.floor(frame * perFrame);
      const before = at;
      at = nextTick(at, { tick: reported, timeScale }, 1 / 60);
      assert.ok(at <= reported && at >= before, `${at} of ${reported}`);
      if (frame > 300) {
        assert.ok(
          at - before > perFrame * 0.4 && at - before < perFrame * 1.7,
          "it stands or jumps",
        );
        assert.ok(reported - at < 20 * timeScale, "it stays near");
      }
    }
    assert.ok(
      nextTick(0, { tick: 1e6, timeScale }, 1 / 60) > 1e6 - 10 * timeScale,
      "it catches up",
    );
  },
);
