import { test } from "node:test";
import assert from "node:assert/strict";
import { encodeUtf8 } from "../../lib/core/bytes.ts";
import { RunningGame, SceneHost } from "../../lib/game/play/mod.ts";
import type { Clock } from "../../lib/ports/clock.ts";
import { type Random, runSeed, seededRandom } from "../support/random.ts";
import { type GameFiles, openGame } from "./game-files.ts";
import { generatedGame } from "./generated-game.ts";

// Whatever is taken out of a playing world, by its rules, by its actions or by others, and whoever hangs
// below it: the systems go on without it.

const SCENE = "assets/main.scene.json";
const THINGS = 45;
const STEPS = 240;
const GAMES = 12;

const clock: Clock = {
  now: () => 0,
  monotonic: () => performance.now(),
  sleep: () => new Promise((resolve) => setTimeout(resolve, 0)),
};
const signal = new AbortController().signal;

type Traits = Record<string, Readonly<Record<string, unknown>>>;

interface Thing {
  readonly parent?: number;
  readonly layer?: "3d" | "2d" | "ui";
  readonly traits: Traits;
}

test("Rules: a player that another one picks up is gone, and so is what hung below", async () => {
  const player = { Transform: {}, Collider: {}, Health: { hp: 1, max: 1 }, Player: {} };
  const log = await played([
    { traits: player },
    { traits: { ...player, Collectible: {} } },
    { parent: 1, traits: { ...player, Collectible: {} } },
    { traits: { Transform: {}, Collectible: {} } },
  ], 3);
  assert.deepEqual(log.gone, [guid(2), guid(3), guid(4)]);
});

test("Rules: a player that hangs below what it picks up goes with it", async () => {
  const log = await played([
    { traits: { Transform: {}, Collectible: {} } },
    { parent: 0, traits: { Transform: {}, Collider: {}, Player: {} } },
    { traits: { Transform: {}, Collider: {}, Checkpoint: {} } },
  ], 3);
  assert.deepEqual(log.gone, [guid(1), guid(2)]);
});

test("Rules: a checkpoint that is gone while a player stands in it is not asked again", async () => {
  const course = { Collider: {}, Checkpoint: {} };
  const log = await played([
    { traits: { Transform: {}, Collider: {}, Player: {} } },
    { traits: { Transform: {}, Rotate: { y: 10 }, ...course } },
    { traits: { Transform: { x: 50 }, ...course } },
    { traits: { ScriptAction: { on: "@checkpoint", effect: "destroy", target: guid(2) } } },
  ], 6);
  assert.deepEqual(log.gone, [guid(2)]);
});

const seed = runSeed();
for (let n = 0; n < GAMES; n++) {
  test(`Game.step() goes on without what was removed, game ${n} of SLIPWAY_SEED=${seed}`, async () => {
    const random = seededRandom(seed + n);
    const things = Array.from({ length: THINGS }, (_none, at) => thingOf(random, at));
    const { gone } = await played(things, STEPS, random);
    assert.notEqual(gone.length, 0);
  });
}

/** Plays things. @param random Removes some between the steps. @returns Which of them are gone. */
async function played(
  things: readonly Thing[],
  steps: number,
  random?: Random,
): Promise<{ readonly gone: readonly string[] }> {
  const content = await openGame(withScene(generatedGame(1), things));
  const viewport = { width: 800, height: 600 };
  const host = await SceneHost.open(content, SCENE, { clock, viewport });
  if (!host.ok) throw new Error(host.error.detail);
  const running = await RunningGame.start(host.value, content);
  for (let step = 0; step < steps; step++) {
    const { game } = running;
    if (random?.below(12) === 0) game.destroy(1 + random.below(game.world.size));
    assert.equal(await running.steps(1, signal), 1);
  }
  const { world } = running.game;
  const gone = things.map((_thing, n) => guid(n + 1)).filter((one) => !world.byGuid(one));
  running.end();
  return { gone };
}

/** Something of any kind, near all others, often below one of them. */
function thingOf(random: Random, at: number): Thing {
  const near = () => (random.next() - 0.5) * 4;
  const target = guid(1 + random.below(THINGS));
  const action = `action ${random.below(4)}`;
  const shown = ["@collect", "@contact", "@sensor", "@hurt", "@checkpoint", action];
  const kinds: readonly (() => Traits)[] = [
    () => ({ Player: {}, Health: { hp: 2, max: 2 } }),
    () => ({ Player: {}, Collectible: {} }),
    () => ({ Collectible: { respawn: random.below(2) * 0.3 } }),
    () => ({ Checkpoint: { order: random.below(5) } }),
    () => (random.below(2) === 0 ? { Enemy: {} } : { Hazard: {} }),
    () => ({ Collider: { sensor: random.below(2) === 0 } }),
    () => ({ Collider: {}, RigidBody: { kind: random.below(2) ? "dynamic" : "kinematic" } }),
    () => ({ Velocity: { x: near() }, Rotate: { y: 90 } }),
    () => ({ Patrol: { target, wait: 0.1, faces: true } }),
    () => ({ Follow: { target, distance: 1, turns: true } }),
    () => ({ Spawner: { prefab: guid(905), interval: 0.3, limit: 3 } }),
    () => ({ Animator: { animset: guid(902), clip: guid(900) } }),
    () => ({ Timeline: { timeline: guid(903), loop: true } }),
    () => ({ ParticleEmitter: { particle: guid(904) } }),
    () => ({ Timer: { action, seconds: 0.2 + random.next(), repeat: true } }),
    () => ({ ScriptAction: { on: shown[random.below(6)] ?? "", effect: "destroy", target } }),
    () => ({ ScriptAction: { on: shown[random.below(6)] ?? "", effect: "turn", target, y: 9 } }),
    () => ({ AudioSource: { autoplay: true }, SavedValue: { name: "best", on: "" } }),
    () => ({ Renderable3D: {}, Binding: { source: "Player.Health.hp" } }),
  ];
  const traits: Traits = { Transform: { x: near(), y: near(), z: near() } };
  for (let n = 0; n < 3; n++) Object.assign(traits, kinds[random.below(kinds.length)]?.());
  if (at > 0 && random.below(8) === 0) {
    return { layer: "2d", traits: { Transform: {}, Sprite: {}, MapMarker: { target } } };
  }
  return { ...(random.below(3) === 0 && { parent: random.below(at) }), traits };
}

function withScene(files: GameFiles, things: readonly Thing[]): GameFiles {
  const layers = things.map(({ layer = "3d" }) => layer);
  const entities = things.map(({ parent, layer = "3d", traits }, n) => ({
    guid: guid(n + 1),
    name: `Thing ${n}`,
    ...(parent !== undefined && layers[parent] === layer && parent < n &&
      { parent: guid(parent + 1) }),
    layer,
    traits,
  }));
  const scene = encodeUtf8(JSON.stringify({ schema: 1, name: "Main", entities }));
  return new Map([...files, [SCENE, scene]]);
}

function guid(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
}
