import { test } from "node:test";
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { encodeUtf8 } from "../../lib/core/bytes.ts";
import { parseRecording, type Recording, serializeRecording } from "../../lib/game/play/mod.ts";
import type { InputEvent } from "../../lib/game/types/mod.ts";
import { type GameFiles, gameFiles } from "../game/game-files.ts";
import { generatedGame, generatedRound } from "../game/generated-game.ts";
import { withFolder } from "../support/folder.ts";
import { type Answer, startHostileServer, textAnswer } from "../support/hostile-server.ts";
import { findNode } from "../support/needs.ts";
import { seededRandom } from "../support/random.ts";
import { soaking } from "../support/rounds.ts";
import { until } from "../support/until.ts";
import { bundle } from "./engine.ts";
import type { Page } from "../support/webdriver.ts";
import { openChromium, openWebKit, type WebView } from "./web-views.ts";
import { MARKED, type PlayedRound, playRound } from "./world-cases.ts";

// Same start, same input, same world: in Deno, in Node, in Android's engine and in that of iOS.
// Each engine has to compute every step itself, which no cache can save: most are of the round that is won.

/** A quarter of a minute of a game, or a whole one. */
const TICKS = soaking ? 3600 : 900;
const SAMPLE = "lib/editor/sample";
const SEEDS = [11, 12, 13];

/** The sample and games drawn by seeds, each with a round: bytes by path. */
async function games(): Promise<readonly GameFiles[]> {
  const config = JSON.parse(readFileSync(join(SAMPLE, "project.config.json"), "utf8"));
  const { startScene, editScene } = config;
  // From its title through all of its levels.
  const won = parseRecording(
    "win.json",
    new Uint8Array(readFileSync("tests/game/rounds/win.json")),
  );
  if (!won.ok) throw new Error(won.error.message);
  return [
    withRound(await gameFiles(SAMPLE, startScene), won.value),
    withRound(await gameFiles(SAMPLE, editScene), sampleRound(editScene)),
    ...SEEDS.map((seed) => withRound(generatedGame(seed), generatedRound(seed, TICKS))),
  ];
}

function withRound(files: GameFiles, round: Recording): GameFiles {
  return new Map([...files, ["round.json", encodeUtf8(serializeRecording(round))]]);
}

/** A player steers about in the sample, and touches its screen. */
function sampleRound(scene: string): Recording {
  const random = seededRandom(7);
  const keys = ["ArrowUp", "ArrowLeft", "ArrowRight", "ArrowDown", "Space", "KeyH"];
  const events: [number, InputEvent][] = [];
  for (let tick = 5; tick < TICKS; tick += 1 + random.below(40)) {
    const code = keys[random.below(keys.length)] ?? "";
    events.push([tick, { kind: "key", code, phase: random.below(3) === 0 ? "up" : "down" }]);
    const [x, y] = [random.below(1280), random.below(720)];
    if (random.below(4) === 0) events.push([tick, { kind: "tap", x, y }]);
  }
  return { scene, viewport: { width: 1280, height: 720 }, saved: {}, events, ticks: TICKS };
}

/** Serves games while `work` runs. @param work Receives the URL of each. */
async function served<T>(
  script: string,
  work: (origin: string, bases: readonly string[]) => Promise<T>,
): Promise<T> {
  const page = '<!doctype html><script src="/rounds.js"></script>';
  const site = new Map<string, Answer>([
    ["/", textAnswer(page, { headers: { "content-type": "text/html" } })],
    ["/rounds.js", textAnswer(script, { headers: { "content-type": "text/javascript" } })],
  ]);
  const all = await games();
  for (const [i, files] of all.entries()) {
    for (const [path, bytes] of files) site.set(`/${i}/${path}`, textAnswer(bytes));
  }
  const server = await startHostileServer((path) => site.get(path));
  try {
    return await work(server.origin, all.map((_files, i) => `${server.origin}/${i}/`));
  } finally {
    await server.close();
  }
}

/** The rounds, played in the runtime of this test. */
function inThisRuntime(): Promise<readonly PlayedRound[]> {
  return served("", async (_origin, bases) => {
    const played: PlayedRound[] = [];
    for (const base of bases) played.push(await playRound(base, fetch));
    return played;
  });
}

function bundleRounds(): Promise<string> {
  return bundle(
    `import { playRound } from "./tests/engines/world-cases.ts";
     globalThis.playRound = (base) => playRound(base, (url) => fetch(url));`,
    "es2022",
  );
}

/** The rounds, played in Node from the bundle of the page. */
function inNode(): Promise<readonly PlayedRound[]> {
  return served("", async (_origin, bases) => {
    let played: readonly PlayedRound[] = [];
    await withFolder(async (folder) => {
      const script = join(folder, "rounds.js");
      writeFileSync(
        script,
        `${await bundleRounds()}
        (async () => {
          const played = [];
          for (const base of process.argv.slice(2)) played.push(await playRound(base));
          console.log(JSON.stringify(played));
        })();`,
      );
      const { stdout } = await promisify(execFile)(node.path, [script, ...bases]);
      played = JSON.parse(stdout);
    });
    return played;
  });
}

/** The rounds, played in a page within ten minutes: a driver aborts a script after one. */
async function playedIn(page: Page, base: string): Promise<PlayedRound> {
  await page.executeAsync(
    `const [base, done] = arguments;
     globalThis.playing = playRound(base).then((played) => JSON.stringify(played), String);
     done();`,
    [base],
  );
  const text = await until(
    "the round is played",
    () =>
      page.executeAsync(
        `const [done] = arguments;
       playing.then(done);
       setTimeout(done, 10_000, null);`,
        [],
      ),
    600_000,
  );
  return JSON.parse(String(text));
}

async function inPage(view: WebView): Promise<readonly PlayedRound[]> {
  return await served(await bundleRounds(), (origin, bases) =>
    view.open(async (page) => {
      const played: PlayedRound[] = [];
      await page.navigate(`${origin}/`);
      for (const base of bases) played.push(await playedIn(page, base));
      return played;
    }));
}

const expected = inThisRuntime();

/** Fails if rounds come to different worlds, and names the steps in which they part. */
function assertSame(found: readonly PlayedRound[], expected: readonly PlayedRound[]): void {
  const parted = expected.flatMap(({ marks, tick }, n) => {
    const first = marks.findIndex((mark, at) => mark !== found[n]?.marks[at]);
    if (first < 0) return [];
    const end = JSON.stringify({ ...found[n], marks: undefined });
    return [`game ${n} parts in the steps to ${(first + 1) * MARKED} of ${tick}: ${end}`];
  });
  assert.deepEqual(parted, []);
  assert.deepEqual(found, expected);
}

test("every round is played to its end, and is a world of its own", async () => {
  const played = await expected;
  const [won = 0, ...others] = played.map(({ tick }) => tick);
  assert.ok(won > TICKS);
  assert.deepEqual(others, [SAMPLE, ...SEEDS].map(() => TICKS));
  assert.equal(new Set(played.map(({ hash }) => hash)).size, SEEDS.length + 2);
});

const node = findNode();
test("the same rounds are the same worlds in Node", { skip: node.skip }, async () => {
  assertSame(await inNode(), await expected);
});

for (const [name, view] of [["Chromium", openChromium()], ["WebKitGTK", openWebKit()]] as const) {
  test(`the same rounds are the same worlds in ${name}`, { skip: view.skip }, async () => {
    assertSame(await inPage(view), await expected);
  });
}
