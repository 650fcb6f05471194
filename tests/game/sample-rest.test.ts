import { test } from "node:test";
import assert from "node:assert/strict";
import { RunningGame, SceneHost } from "../../lib/game/play/mod.ts";
import { LEVELS } from "../../scripts/sample/levels.ts";
import { clock, openSampleGame } from "./harbor-bot.ts";

// What stands in a level of the sample is still there after a while.

const HALF_A_MINUTE = 1800;
/** Metres below the water from which on something has fallen out of the world. */
const LOST = -5;

for (const { path } of LEVELS) {
  test(`nothing of ${path} falls out of the world`, async () => {
    const viewport = { width: 1280, height: 720 };
    const host = await SceneHost.open(await openSampleGame(), path, { clock, viewport });
    if (!host.ok) throw new Error(host.error.detail);
    const running = await RunningGame.start(host.value, await openSampleGame());
    await running.steps(HALF_A_MINUTE, new AbortController().signal);
    const { world } = running.game;
    const bodies = world.withTrait("RigidBody");
    const lost = bodies.filter((body) => world.positionOf(body)[1] < LOST);
    assert.ok(bodies.length > 0);
    assert.deepEqual(lost.map(({ name }) => name), []);
    running.end();
  });
}
