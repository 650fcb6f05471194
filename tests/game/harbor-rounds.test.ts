import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import assert from "node:assert/strict";
import { isRecord } from "../../lib/core/json.ts";
import {
  parseRecording,
  playBack,
  type Recording,
  serializeRecording,
} from "../../lib/game/play/mod.ts";
import type { Game } from "../../lib/game/world/mod.ts";
import { LEVELS, MENU } from "../../scripts/sample/levels.ts";
import { clock, isOpen, openSampleGame, playAlone, type Until } from "./harbor-bot.ts";

// Harbor Run from its title to its end, played back from recordings. SLIPWAY_UPDATE=1 has the bot play
// them anew: after the sample or the rules of a game have changed.

const FOLDER = "tests/game/rounds";
const UPDATE = process.env["SLIPWAY_UPDATE"] === "1";
const MINUTE = 3600;

/** A round from the title through all levels until the title is there again. */
function throughAll(): Until {
  let hasBegun = false;
  return (_game, scene) => {
    hasBegun ||= scene !== MENU;
    return hasBegun && scene === MENU;
  };
}

async function recordingOf(
  name: string,
  how: { readonly until: Until; readonly steers: boolean },
): Promise<Recording> {
  const path = `${FOLDER}/${name}.json`;
  if (UPDATE) {
    const { recording, log } = await playAlone({ ...how, maxTicks: 5 * MINUTE });
    assert.ok(recording.ticks < 5 * MINUTE, `it does not end: ${log.slice(-20).join("\n")}`);
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(path, serializeRecording(recording));
  }
  const read = parseRecording(path, readFileSync(path));
  if (!read.ok) throw new Error(read.error.message);
  return read.value;
}

interface Played {
  readonly game: Game;
  readonly types: readonly string[];
  readonly payloads: (type: string) => readonly unknown[];
}

/** Plays a recording back and looks at its end. */
async function played(recording: Recording, look: (played: Played) => void): Promise<void> {
  const events: { readonly type: string; readonly payload: unknown }[] = [];
  const said: string[] = [];
  const running = await playBack(recording, await openSampleGame(), {
    clock,
    journals: {
      noteGame: (_at, type, payload) => void events.push({ type, payload }),
      noteTimeline: () => {},
    },
    console: { write: (level, text) => void said.push(`${level}: ${text}`) },
  });
  if (!running.ok) throw new Error(running.error.detail);
  try {
    look({
      game: running.value.game,
      types: events.map(({ type }) => type),
      payloads: (type) =>
        events.filter((event) => event.type === type).map(({ payload }) => payload),
    });
    assert.deepEqual(said, []);
  } finally {
    running.value.end();
  }
}

function scoreIn(payload: unknown): number {
  return isRecord(payload) ? Number(payload["score"]) : NaN;
}

function bestShown({ world }: Game): string {
  return `${world.named("Best")?.traits["Text"]?.["text"]}`;
}

test("Harbor Run can be won: title, three levels, title, and the best score is kept", async () => {
  const won = await recordingOf("win", { until: throughAll(), steers: true });
  let best = 0;
  await played(won, ({ game, types, payloads }) => {
    assert.deepEqual(
      payloads("scene"),
      [...LEVELS.map(({ path }) => path), MENU].map((path) => ({ path })),
    );
    const laps = LEVELS.reduce((sum, level) => sum + level.laps, 0);
    assert.equal(types.filter((type) => type === "lap").length, laps);
    assert.equal(types.filter((type) => type === "win").length, 3);
    assert.equal(types.includes("lose"), false);
    assert.ok(types.includes("collect") && types.includes("@sound-start"));
    best = payloads("win").reduce((sum: number, payload) => sum + scoreIn(payload), 0);
    assert.equal(bestShown(game), `Best ${best}`);
  });
  assert.ok(won.ticks > 2 * MINUTE, "a game worth two minutes");
  // What was kept is there when the game is started again, and a lower score does not take it away.
  const title = { ...won, events: [], ticks: 60, saved: { best: best + 1 } };
  await played(title, ({ game }) => assert.equal(bestShown(game), `Best ${best + 1}`));
  await played(
    { ...won, saved: { best: best + 1 } },
    ({ game }) => assert.equal(bestShown(game), `Best ${best + 1}`),
  );
});

test("Harbor Run can be lost: who does not steer runs out of time, and may try again", async () => {
  const lost = await recordingOf("lose", {
    until: (game) => isOpen(game, "Lose Menu"),
    steers: false,
  });
  await played(lost, ({ game, types, payloads }) => {
    assert.equal(types.includes("win"), false);
    assert.deepEqual(payloads("lose"), [{ why: "time", score: 0 }]);
    assert.ok(game.isPaused);
  });
  const { ticks } = lost;
  const enter = { kind: "key", code: "Enter", phase: "press" } as const;
  const again = { ...lost, events: [...lost.events, [ticks, enter] as const], ticks: ticks + 60 };
  await played(again, ({ game, payloads }) => {
    assert.deepEqual(payloads("scene").at(-1), { path: LEVELS[0]?.path });
    assert.equal(game.isPaused, false);
    assert.equal(isOpen(game, "Lose Menu"), false);
  });
});

test("Harbor Run is paused by a key and a tap, and the world stands meanwhile", async () => {
  const press = (code: string) => ({ kind: "key", code, phase: "press" }) as const;
  const start = { scene: MENU, viewport: { width: 1280, height: 720 }, saved: {} };
  const events = [
    [20, press("Enter")],
    [60, { kind: "key", code: "KeyW", phase: "down" }],
    [100, press("Escape")],
  ] as const;
  const where = ({ world }: Game) => world.named("Runner")?.traits["Transform"]?.["z"];
  let stood: unknown = null;
  await played({ ...start, events, ticks: 110 }, ({ game }) => {
    assert.ok(game.isPaused && isOpen(game, "Pause Menu"));
    stood = where(game);
  });
  await played({ ...start, events, ticks: 400 }, ({ game }) => assert.equal(where(game), stood));
  for (const go of [press("Escape"), press("Enter"), { kind: "tap", x: 640, y: 290 } as const]) {
    await played({ ...start, events: [...events, [300, go]], ticks: 400 }, ({ game }) => {
      assert.equal(game.isPaused, false, JSON.stringify(go));
      assert.equal(isOpen(game, "Pause Menu"), false);
      assert.ok(Number(where(game)) < Number(stood) - 5);
    });
  }
});

test("Harbor Run is steered on a phone: the stick drives, a button boosts", async () => {
  const start = { scene: MENU, viewport: { width: 844, height: 390 }, saved: {} };
  const pointer = (phase: "down" | "move" | "up", x: number, y: number, id: number) =>
    ({ kind: "pointer", phase, x, y, id }) as const;
  // The stick answers in 240 pixels of the corner, also above its circle of 128; the boost button lies
  // beside the horn.
  const events = [
    [20, { kind: "tap", x: 422, y: 180 }],
    [60, pointer("down", 120, 270, 1)],
    [61, pointer("move", 120, 222, 1)],
    [90, pointer("up", 120, 222, 1)],
    [91, pointer("down", 120, 170, 1)],
    [120, pointer("down", 600, 342, 2)],
    [121, pointer("up", 600, 342, 2)],
  ] as const;
  const speed = (game: Game) => {
    const runner = game.world.named("Runner");
    const [x, , z] = game.physics.velocityOf(runner?.id ?? 0) ?? [0, 0, 0];
    return Math.hypot(x, z);
  };
  await played({ ...start, events, ticks: 118 }, ({ game }) => {
    assert.ok(speed(game) > 6 && speed(game) < 9, `${speed(game)}`);
  });
  await played({ ...start, events, ticks: 124 }, ({ game }) => {
    assert.ok(speed(game) > 14, `${speed(game)}`);
  });
});
