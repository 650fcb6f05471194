import assert from "node:assert/strict";
import { test } from "node:test";
import type { LiveEntity } from "../../lib/game/world/live-world.ts";
import {
  type Core,
  MAX_PUSHING,
  MAX_TOUCHING,
  Piles,
  touchingProblem,
} from "../../lib/game/world/piles.ts";
import { seededRandom } from "../support/random.ts";
import { until } from "../support/until.ts";
import { withScene } from "./playing.ts";

const entity = (id: number): LiveEntity => ({
  id,
  guid: "",
  name: `Crate ${id}`,
  parentId: null,
  layer: "3d",
  traits: {},
});

/** How bodies of a case differ from a solid one that forces move, half a metre large at the origin. */
interface Sketch {
  readonly at?: readonly [number, number, number];
  readonly kind?: "dynamic" | "kinematic" | "sensor";
  readonly half?: number;
}

function core(id: number, { at = [0, 0, 0], kind = "dynamic", half = 0.25 }: Sketch): Core {
  const [isDynamic, isSensor] = [kind !== "kinematic", kind === "sensor"];
  return { entity: entity(id), isDynamic, isSensor, at: [...at], half };
}

function look(sketches: readonly Sketch[]) {
  const piles = new Piles();
  for (const [index, sketch] of sketches.entries()) piles.add(core(index + 1, sketch));
  return piles.check();
}

const many = (count: number, sketch: (n: number) => Sketch = () => ({})) =>
  Array.from({ length: count }, (_, n) => sketch(n));

const CASES: readonly (readonly [string, readonly Sketch[], boolean])[] = [
  ["100 in one place", many(100), true],
  ["101 in one place", many(101), false],
  ["1,000 in one place", many(1_000), false],
  ["101 of which one is elsewhere", [...many(100), { at: [0, 0.5, 0] }], true],
  ["two places of 80", many(160, (n) => ({ at: [n % 2, 0, 0] })), false],
  ["101 on a line that only touch", many(101, (n) => ({ at: [0, 0, n / 2] })), true],
  ["440 sensors in one place", many(440, () => ({ kind: "sensor" })), true],
  ["450 sensors in one place", many(450, () => ({ kind: "sensor" })), false],
  ["440 that nothing pushes", many(440, () => ({ kind: "kinematic" })), true],
  ["5,001 small ones inside one", [
    { half: 50 },
    ...many(5_001, (n) => ({ at: [n % 20, Math.floor(n / 20) % 20, Math.floor(n / 400)] })),
  ], false],
];

for (const [what, sketches, isFine] of CASES) {
  test(`Piles.check() ${isFine ? "lets pass" : "finds"} ${what}`, () => {
    const problem = look(sketches);
    assert.equal(problem?.code, isFine ? undefined : "too-many-contacts");
  });
}

test("Piles.check() agrees with trying every pair, whichever way bodies moved since", () => {
  const random = seededRandom(7);
  const spot = () => random.below(100) / 100;
  let found = 0;
  for (let round = 0; round < 20; round++) {
    const cores = many(160).map((_, n) => core(n + 1, { half: 0.2 + random.below(25) / 100 }));
    const piles = new Piles();
    for (const one of cores) piles.add(one);
    for (let moved = 0; moved < 3; moved++) {
      for (const { at } of cores) {
        at[0] = spot() * (1 + random.below(2));
        at[1] = spot();
        at[2] = spot() * (moved === 1 ? 2 : 1);
      }
      let pairs = 0;
      for (const [i, a] of cores.entries()) {
        for (const b of cores.slice(i + 1)) {
          if (a.at.every((x, axis) => Math.abs(x - (b.at[axis] ?? 0)) < a.half + b.half)) pairs++;
        }
      }
      if (pairs > MAX_PUSHING) found++;
      assert.equal(piles.check() !== null, pairs > MAX_PUSHING, `${pairs} pairs`);
    }
    const [gone] = cores;
    if (gone !== undefined) piles.remove(gone);
  }
  assert.ok(found > 5 && found < 55, `found ${found} of 60`);
});

test("touchingProblem() names the body that touches most, beyond the bound only", () => {
  const most = { entity: entity(4), touches: 900 };
  assert.equal(touchingProblem(MAX_TOUCHING, most), null);
  assert.match(
    touchingProblem(MAX_TOUCHING + 1, most)?.detail ?? "",
    /^The game was paused: 100001 pairs .* "Crate 4" \(id 4\) touches 900 others$/,
  );
});

const BODY = { Transform: { y: 5 }, Collider: {}, RigidBody: { kind: "dynamic" } };

test("a game with a pile of 1,000 bodies is paused before the engine computes it, until it is stopped", () =>
  withScene(many(1_000).map(() => ({ traits: BODY })), async ({ editor, entity }) => {
    const step = () => editor.play.step(5, { source: "agent" });
    for (const attempt of [await step(), await step(), await editor.play.play("agent")]) {
      assert.ok(!attempt.ok);
      assert.equal(attempt.error.code, "too-many-contacts");
      assert.match(
        attempt.error.detail,
        /at "Entity 1" \(id 1\), with ids 2, 3, 4, 5, 6 and 99\d more$/,
      );
      assert.match(attempt.error.hint, /action=stop/);
      assert.deepEqual([editor.play.state().state, editor.play.state().tick], ["paused", 1]);
    }
    assert.equal((await entity(1)).traits["Transform"]?.["y"], 5);
    assert.ok((await editor.play.stop("agent")).ok);
    const ids = (await editor.sceneState()).entities.slice(1).map(({ id }) => id);
    const ops = ids.map((id) => ({ op: "delete", id }) as const);
    assert.ok((await editor.editing.edit({ ops, source: "agent" })).ok);
    assert.ok((await step()).ok);
  }));

test("a game that plays against the clock is paused by a pile, and says why", async () => {
  let now = 0;
  const clock = {
    now: () => now,
    monotonic: () => now,
    sleep: (ms: number) => {
      now += ms;
      return new Promise<void>((resolve) => setTimeout(resolve, 0));
    },
  };
  await withScene(many(300).map(() => ({ traits: BODY })), async ({ editor }) => {
    assert.ok((await editor.play.play("agent")).ok);
    await until("the game is paused", () => editor.play.state().state !== "playing");
    const errors = (await editor.consoleEntries()).filter(({ level }) => level === "error");
    assert.equal(errors.length, 1);
    assert.match(errors[0]?.text ?? "", /^The game was paused: more than 5000 pairs/);
  }, { clock });
});
