import { test } from "node:test";
import assert from "node:assert/strict";
import type { Entity } from "../../lib/game/types/mod.ts";
import { Bindings } from "../../lib/game/world/bindings.ts";
import { noBodies } from "../../lib/game/world/bodies.ts";
import { LiveWorld } from "../../lib/game/world/live-world.ts";
import { MapMarkers } from "../../lib/game/world/movement.ts";
import { seededRandom } from "../support/random.ts";

// Systems that show what is there remember what they showed last. One that does so for a whole round
// shows the same as one that is made anew for every step.

const STEPS = 400;
const THINGS = 8;

const ENTITIES: readonly Entity[] = [
  ...Array.from({ length: THINGS }, (_none, n): Entity => ({
    ...bare(n + 1, "3d", n > 0 && n % 3 === 0 ? n : null),
    traits: { Transform: { x: n, y: 0, z: -n, rx: 0, ry: 0, rz: 0 }, Health: { hp: n } },
  })),
  ...Array.from({ length: THINGS }, (_none, n): Entity => ({
    ...bare(n + 101, "2d", null),
    traits: {
      Transform: { x: 0, y: 0, z: 0, rx: 0, ry: 0, rz: 0 },
      MapMarker: { target: `guid ${n + 1}`, scale: 2, turns: n !== 2 },
    },
  })),
  ...["Game.time", "Thing 2.Health.hp", "Health.hp", "Game.score"].map((source, n): Entity => ({
    ...bare(n + 201, "ui", null),
    traits: { Binding: { source, format: "{0} of {0}", factor: 1 }, Text: { text: "" } },
  })),
  ...["Thing 3.Health.hp", "Thing 4.Health.isOn"].map((source, n): Entity => ({
    ...bare(n + 301, "ui", null),
    traits: {
      Binding: { source, format: "{0}", factor: 3 },
      UIElement: { width: 1, visible: true },
      Sprite: { visible: false },
    },
  })),
];

function bare(id: number, layer: Entity["layer"], parentId: number | null): Omit<Entity, "traits"> {
  return { id, guid: `guid ${id}`, name: `Thing ${id}`, parentId, layer };
}

/** What a round shows, step by step. @param isAnew Whether the systems are, in every step. */
function shown(seed: number, isAnew: boolean): readonly string[] {
  const random = seededRandom(seed);
  const world = new LiveWorld(ENTITIES, 0);
  const values = new Map([["time", 0], ["score", 0]]);
  const game = { world, values, physics: noBodies() };
  let [markers, bindings] = [new MapMarkers(), new Bindings()];
  const steps: string[] = [];
  for (let step = 0; step < STEPS; step++) {
    const entity = world.get(1 + random.below(THINGS));
    const away = random.next() * 700;
    const what = random.below(9);
    if (entity !== undefined) {
      if (what === 0) world.turnTo(entity, [0, away, 0]);
      if (what === 1) world.moveTo(entity, [away, 0, -away]);
      if (what === 2) world.set(entity, ["Health", "hp"], random.below(4));
      if (what === 3) world.set(entity, ["Health", "isOn"], random.below(2) === 0);
    }
    const other = 1 + random.below(THINGS);
    const marker = world.get(100 + other);
    if (what === 4 && marker !== undefined) {
      world.set(marker, ["MapMarker", "target"], `guid ${1 + random.below(THINGS)}`);
    }
    const text = world.get(201 + random.below(4));
    if (text !== undefined) {
      if (what === 5) world.set(text, ["Text", "text"], "somebody else's");
      if (what === 6) {
        world.set(text, ["Binding", "source"], random.below(2) ? "Game.time" : "score");
      }
      if (what === 7) world.set(text, ["Binding", "format"], random.below(2) ? "{0}!" : "{0}");
    }
    if (what === 8 && random.below(20) === 0) world.remove(other);
    values.set("time", step * 0.3);
    if (isAnew) [markers, bindings] = [new MapMarkers(), new Bindings()];
    markers.step(game);
    bindings.step(game);
    steps.push(JSON.stringify(world.entities()));
  }
  return steps;
}

for (const seed of [1, 2, 3]) {
  test(`MapMarkers and Bindings show what they would show anew, seed ${seed}`, () => {
    const [kept, anew] = [shown(seed, false), shown(seed, true)];
    assert.deepEqual(kept, anew);
    assert.ok(new Set(kept).size > STEPS / 2);
  });
}
