import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../lib/core/json.ts";
import {
  guidOf,
  type RunInPage,
  scenePath,
  type Sketch,
  type SmallGame,
  withGamePage,
} from "./game-site.ts";
import { openChromium, openWebKit } from "./web-views.ts";

const [FLAT, RAMP, BROKEN, UNTOLD] = [guidOf(101), guidOf(102), guidOf(103), guidOf(104)];
const HERTZ = 8_000;

/** A sound of one channel, whose samples are a function of the second. */
function wave(seconds: number, valueAt: (second: number) => number): Uint8Array {
  const count = seconds * HERTZ;
  const bytes = new Uint8Array(44 + count * 2);
  const view = new DataView(bytes.buffer);
  const words = (at: number, text: string) => bytes.set(new TextEncoder().encode(text), at);
  words(0, "RIFF");
  view.setUint32(4, 36 + count * 2, true);
  words(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true); // PCM
  view.setUint16(22, 1, true);
  view.setUint32(24, HERTZ, true);
  view.setUint32(28, HERTZ * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  words(36, "data");
  view.setUint32(40, count * 2, true);
  for (let i = 0; i < count; i++) {
    view.setInt16(44 + i * 2, Math.round(valueAt(i / HERTZ) * 32_767), true);
  }
  return bytes;
}

const source = (fields: JsonObject, more: Partial<Sketch> = {}): Sketch => ({
  layer: "ui",
  ...more,
  traits: { AudioSource: { autoplay: true, ...fields }, ...more.traits },
});
const eye: Sketch = { layer: "3d", traits: { Transform: { z: 5 }, Camera: {} } };
const there = (x: number): Partial<Sketch> => ({ layer: "3d", traits: { Transform: { x, z: 5 } } });

const game: SmallGame = {
  scenes: {
    flat: [source({ clip: FLAT, volume: 0.5 })],
    ramp: [source({ clip: RAMP })],
    fast: [source({ clip: RAMP, pitch: 2 })],
    loop: [source({ clip: RAMP, loop: true })],
    untold: [source({ clip: UNTOLD })],
    right: [eye, source({ clip: FLAT, loop: true }, there(20))],
    left2d: [
      source({ clip: FLAT, loop: true }, { layer: "2d", traits: { Transform: { x: 0, y: 150 } } }),
    ],
    placeless: [eye, source({ clip: FLAT, loop: true }, { layer: "3d" })],
    many: Array.from(
      { length: 40 },
      (_none, n) => source({ clip: FLAT, loop: true, volume: n < 8 ? 1 : 1 / 64, priority: n }),
    ),
    music: [
      { layer: "3d", traits: { GameSettings: { music: RAMP } } },
    ],
    paused: [
      { layer: "3d", traits: { GameSettings: { music: FLAT } } },
      source({ clip: FLAT, loop: true, volume: 0.5 }, { layer: "3d" }),
      source({ clip: FLAT, loop: true, volume: 0.25 }),
    ],
    hum: [source({ clip: FLAT, loop: true })],
    broken: [source({ clip: BROKEN }), source({ clip: FLAT, loop: true })],
  },
  assets: [
    { guid: FLAT, path: "flat.wav", type: "audio", seconds: 1, bytes: wave(1, () => 0.5) },
    { guid: RAMP, path: "ramp.wav", type: "audio", seconds: 4, bytes: wave(4, (t) => t / 5) },
    { guid: UNTOLD, path: "untold.wav", type: "audio", bytes: wave(1, () => 0.5) },
    { guid: BROKEN, path: "broken.wav", type: "audio", seconds: 1, bytes: Uint8Array.of(1, 2, 3) },
  ],
};

/** What is rendered of a scene: when, left, right. */
interface Case {
  readonly what: string;
  readonly scene: string;
  readonly seconds: number;
  /** Code before the steps of a frame, by its number: 30 a second. */
  readonly frames?: Readonly<Record<number, string>>;
  readonly deaf?: boolean;
  readonly levels: readonly (readonly [at: number, left: number, right: number])[];
}

const SOURCE = 'game.world.withTrait("AudioSource")[0]';

const CASES: readonly Case[] = [
  {
    what: "a sound as loud as its volume, to its end",
    scene: "flat",
    seconds: 2,
    levels: [[0.1, 0.25, 0.25], [0.9, 0.25, 0.25], [1.2, 0, 0]],
  },
  {
    what: "a volume that changes, and a sound that is stopped",
    scene: "flat",
    seconds: 1,
    frames: {
      9: `game.world.set(${SOURCE}, ["AudioSource", "volume"], 1)`,
      18: `game.stopSound(${SOURCE})`,
    },
    levels: [[0.2, 0.25, 0.25], [0.5, 0.5, 0.5], [0.8, 0, 0]],
  },
  {
    what: "what began before it could be heard, from where it is",
    scene: "ramp",
    seconds: 3,
    deaf: true,
    frames: { 30: "state.deaf = false" },
    levels: [[0.9, 0, 0], [1.2, 0.24, 0.24], [2.5, 0.5, 0.5]],
  },
  {
    what: "a sound that begins again",
    scene: "ramp",
    seconds: 2,
    frames: { 30: `game.playSound(${SOURCE})` },
    levels: [[0.9, 0.18, 0.18], [1.2, 0.04, 0.04], [1.9, 0.18, 0.18]],
  },
  {
    what: "where the world is, that has run ahead",
    scene: "ramp",
    seconds: 2,
    frames: { 15: "for (let n = 0; n < 60; n++) game.step()" },
    levels: [[0.4, 0.08, 0.08], [1, 0.4, 0.4]],
  },
  {
    what: "a pitch",
    scene: "fast",
    seconds: 3,
    levels: [[0.5, 0.2, 0.2], [1.5, 0.6, 0.6], [2.2, 0, 0]],
  },
  {
    what: "a loop",
    scene: "loop",
    seconds: 6,
    levels: [[3.5, 0.7, 0.7], [4.5, 0.1, 0.1], [5.5, 0.3, 0.3]],
  },
  {
    what: "nothing of a file that states no length",
    scene: "untold",
    seconds: 1,
    levels: [[0.5, 0, 0]],
  },
  {
    // All from the right: both channels there, half as loud 20 m away.
    what: "from the right, softer from afar",
    scene: "right",
    seconds: 0.5,
    levels: [[0.3, 0, 0.5]],
  },
  {
    what: "from the left of the screen",
    scene: "left2d",
    seconds: 0.5,
    levels: [[0.3, 1, 0]],
  },
  {
    what: "from everywhere what has no place",
    scene: "placeless",
    seconds: 0.5,
    levels: [[0.3, 0.5, 0.5]],
  },
  {
    // The 32 of highest priority are the soft ones.
    what: "of too many the highest by priority",
    scene: "many",
    seconds: 0.5,
    levels: [[0.3, 0.25, 0.25]],
  },
  {
    what: "the music of the scene, again from its beginning at its end",
    scene: "music",
    seconds: 6,
    levels: [[1, 0.2, 0.2], [4.5, 0.1, 0.1]],
  },
  {
    what: "only the UI layer while the world stands",
    scene: "paused",
    seconds: 2,
    frames: {
      15:
        'game.world.set(game.world.withTrait("GameSettings")[0], ["GameSettings", "paused"], true)',
      30:
        'game.world.set(game.world.withTrait("GameSettings")[0], ["GameSettings", "paused"], false)',
    },
    levels: [[0.3, 0.875, 0.875], [0.8, 0.125, 0.125], [1.5, 0.875, 0.875]],
  },
  {
    what: "the rest where a sound cannot be decoded",
    scene: "broken",
    seconds: 0.5,
    levels: [[0.3, 0.5, 0.5]],
  },
];

for (
  const [engine, { skip, open }] of [
    ["Chromium", openChromium()],
    ["WebKitGTK", openWebKit()],
  ] as const
) {
  const inPage = (work: (run: RunInPage) => Promise<void>) => () =>
    open((page) => withGamePage(page, { script: "tests/engines/sound-page.js", game }, work));

  test(
    `a game is heard as its world says: ${engine}`,
    { skip },
    inPage(async (run) => {
      for (const { what, scene, levels, ...more } of CASES) {
        const at = levels.map(([second]) => second);
        const found: { levels: number[][]; voices: number; warnings: string[] } = JSON.parse(
          JSON.stringify(
            await run("return await page.rendered(args)", {
              ...more,
              scene: scenePath(scene),
              at,
            }),
          ),
        );
        for (const [index, [second, left, right]] of levels.entries()) {
          const [l = -1, r = -1] = found.levels[index] ?? [];
          const isRight = Math.abs(l - left) <= 0.012 && Math.abs(r - right) <= 0.012;
          assert.ok(
            isRight,
            `${what}, at ${second} s: found ${l} and ${r}, expected ${left}, ${right}`,
          );
        }
        if (scene === "many") assert.equal(found.voices, 32);
        const silent = ["untold.wav", "broken.wav"].map((name) => `Cannot play "${name}"`);
        assert.deepEqual(found.warnings.map((text) => text.split(":")[0]), silent);
      }
    }),
  );

  test(
    `a game is heard after a gesture, and not while it is paused or its page hidden: ${engine}`,
    { skip },
    () =>
      open((page) =>
        withGamePage(page, { script: "tests/engines/sound-page.js", game }, async (run) => {
          const before = await run(
            `globalThis.opened = await page.openSound(args);
             opened.show();
             await opened.step(30);
             opened.show();
             return opened.state();`,
            scenePath("hum"),
          );
          // WebKitGTK asks for no gesture.
          if (engine === "Chromium") assert.equal(before, "suspended");
          await page.perform([{
            type: "pointer",
            id: "mouse",
            actions: [
              { type: "pointerMove", x: 20, y: 20, duration: 0 },
              { type: "pointerDown", button: 0 },
              { type: "pointerUp", button: 0 },
            ],
          }]);
          const states = await run(
            `const { show, level, state, sound, stop } = opened;
             const states = [];
             const setHidden = (hidden) => {
               Object.defineProperty(document, "hidden", { configurable: true, value: hidden });
               document.dispatchEvent(new Event("visibilitychange"));
             };
             const reach = async (what, holds, isPaused) => {
               await until(what, () => { show(isPaused); return holds(); });
               states.push(state());
             };
             const isHeard = () => state() === "running" && level() > 0.4;
             await reach("the game is heard", isHeard, false);
             await reach("the paused game is silent", () => state() === "suspended", true);
             await reach("the game is heard after the pause", isHeard, false);
             setHidden(true);
             await until("the hidden page is silent", () => state() === "suspended");
             setHidden(false);
             await reach("the game is heard on the page again", isHeard, false);
             stop();
             await reach("the stopped sound is silent", () => level() === 0, false);
             sound.dispose();
             await until("the sound is closed", () => state() === "closed");
             return states;`,
          );
          assert.deepEqual(states, ["running", "suspended", "running", "running", "running"]);
        })
      ),
  );
}
