import { test } from "node:test";
import assert from "node:assert/strict";
import { encodeUtf8 } from "../../lib/core/bytes.ts";
import {
  parseRecording,
  playBack,
  type Recording,
  RunningGame,
  SceneHost,
  serializeRecording,
  worldHash,
} from "../../lib/game/play/mod.ts";
import type { Clock } from "../../lib/ports/clock.ts";
import { openGame } from "./game-files.ts";
import { generatedGame, generatedRound } from "./generated-game.ts";

const clock: Clock = {
  now: () => 0,
  monotonic: () => performance.now(),
  sleep: () => new Promise((resolve) => setTimeout(resolve, 0)),
};
const signal = new AbortController().signal;

/** The hash where a recording ends. */
async function hashOf(recording: Recording, seed: number): Promise<string> {
  const played = await playBack(recording, await openGame(generatedGame(seed)), { clock });
  if (!played.ok) throw new Error(played.error.detail);
  const { game } = played.value;
  assert.equal(game.tick, recording.ticks);
  const hash = await worldHash(game);
  played.value.end();
  return hash;
}

for (const seed of [1, 2, 3]) {
  test(`playBack() of generated game ${seed} is its round to the bit, in whatever chunks it was played`, async () => {
    const round = generatedRound(seed, 600);
    const content = await openGame(generatedGame(seed));
    const host = await SceneHost.open(content, round.scene, { clock, viewport: round.viewport });
    if (!host.ok) throw new Error(host.error.detail);
    const running = await RunningGame.start(host.value, content);
    let made = 0;
    for (const [tick, event] of round.events) {
      while (made < tick) made += await running.steps(Math.min(7, tick - made), signal);
      running.input.take(event);
    }
    while (made < 600) made += await running.steps(Math.min(31, 600 - made), signal);
    const hash = await worldHash(running.game);
    const recording = running.recorder.upTo(600);
    running.end();
    assert.deepEqual(recording, round, "what was recorded is what was done");
    assert.ok(recording !== null);
    const file = encodeUtf8(serializeRecording(recording));
    const read = parseRecording("round.json", file);
    assert.deepEqual(read, { ok: true, value: round });
    assert.equal(await hashOf(round, seed), hash);
    assert.notEqual(await hashOf({ ...round, events: [] }, seed), hash, "the input counts");
    const late = round.events.map(([tick, event]) => [tick + 1, event] as const)
      .filter(([tick]) => tick <= 600);
    assert.notEqual(await hashOf({ ...round, events: late }, seed), hash, "and when it came");
  });
}

const WHOLE = {
  schema: 1,
  scene: "assets/main.scene.json",
  viewport: { width: 800, height: 600 },
  saved: { best: 12 },
  events: [[0, { kind: "tap", x: 1, y: 2 }], [3, { kind: "key", code: "KeyW", phase: "down" }]],
  ticks: 3,
};

for (const complete of [WHOLE, { ...WHOLE, hash: "0a".repeat(32) }]) {
  test(`parseRecording() reads a recording ${"hash" in complete ? "with" : "without"} a hash`, () => {
    const read = parseRecording("round.json", encodeUtf8(JSON.stringify(complete)));
    assert.ok(read.ok, read.ok ? "" : read.error.message);
    assert.deepEqual({ schema: 1, ...read.value }, complete);
  });
}

for (
  const [name, change, found] of [
    ["another schema", { schema: 2 }, /schema: found 2, expected 1/],
    ["a scene outside", { scene: "../x.scene.json" }, /scene: found "..\/x.scene.json"/],
    ["no viewport", { viewport: { width: 800 } }, /viewport.height: found nothing/],
    ["a saved value that is no number", { saved: { best: "12" } }, /saved.best: found "12"/],
    ["too many steps", { ticks: 1_000_001 }, /ticks: found 1000001/],
    ["an event after the end", { ticks: 2 }, /events\[1\]: found 3/],
    [
      "events out of order",
      { events: [[3, { kind: "tap", x: 1, y: 2 }], [2, { kind: "tap", x: 1, y: 2 }]] },
      /events\[1\]: found 2, expected a step from 3 on/,
    ],
    ["an event that is none", { events: [[0, { kind: "look" }]] }, /events\[0\]: found "look"/],
    ["a hash that is none", { hash: "0".repeat(63) }, /hash: found "0{10}/],
    ["a member too many", { events: [[0, { kind: "tap", x: 1, y: 2, z: 3 }]] }, /unknown member/],
    [
      "a point beyond all screens",
      { events: [[0, { kind: "tap", x: 1e9, y: 2 }]] },
      /events\[0\].x: found 1000000000/,
    ],
    [
      "a stick pushed too far",
      { events: [[0, { kind: "gamepad", buttons: [], axes: [1.5] }]] },
      /axes: found a list of 1, expected at most 4 of a number from -1 to 1/,
    ],
    [
      "a button that no gamepad has",
      { events: [[0, { kind: "gamepad", buttons: [17], axes: [] }]] },
      /buttons/,
    ],
    [
      "a pointer too many",
      { events: [[0, { kind: "pointer", phase: "down", x: 0, y: 0, id: 16 }]] },
      /id: found 16, expected a whole number from 0 to 15/,
    ],
    ["a pair with three", { events: [[0, { kind: "tap", x: 1, y: 2 }, 1]] }, /expected \[tick/],
  ] as const
) {
  test(`parseRecording() refuses ${name}`, () => {
    const bytes = encodeUtf8(JSON.stringify({ ...WHOLE, ...change }));
    const read = parseRecording("round.json", bytes);
    assert.ok(!read.ok && read.error.code === "invalid-recording");
    assert.match(read.error.message, found);
  });
}
