import { readFileSync } from "node:fs";
import { test } from "node:test";
import assert from "node:assert/strict";
import { parseRecording, playBack } from "../../lib/game/play/mod.ts";
import { startShow } from "../../scripts/demo/show.ts";
import { loadRuntime, loadServe } from "../../scripts/shared/runtime.ts";
import { clock, openSampleGame } from "../game/harbor-bot.ts";
import { withFolder } from "../support/folder.ts";
import { openBuilt } from "./built-site.ts";
import { openChromium } from "./web-views.ts";

const { skip, open } = openChromium({ webgl: true, draws: false });

const ROUND = "tests/game/rounds/win.json";
/** Between the end of the first level and the key that goes on to the second. */
const FIRST_LEVEL = 3150;

/** Presses the keys of a round, each before its step, as the keyboard does. */
const PLAY = `const canvas = document.querySelector("#game canvas");
// Without a graphics card drawing takes most of the time: the game plays on without its picture.
const lost = new Promise((resolve) => canvas.addEventListener("webglcontextlost", resolve));
canvas.getContext("webgl2").getExtension("WEBGL_lose_context").loseContext();
await lost;
const playTo = async (tick) => {
  while (game.game.tick < tick) await game.step(tick - game.game.tick);
};
for (const [tick, { code, phase }] of args.events) {
  await playTo(tick);
  if (phase !== "up") dispatchEvent(new KeyboardEvent("keydown", { code }));
  if (phase !== "down") dispatchEvent(new KeyboardEvent("keyup", { code }));
}
await playTo(args.ticks);`;
/** What is written on the screen. */
const WORDS = `await game.step(2);
const words = (name) => game.game.world.named(name)?.traits.Text.text;
return { best: words("Best"), version: words("Version") };`;

test(
  "a best score that was played in a built game is there after a reload, and after a real update",
  { skip },
  () =>
    withFolder(async (folder) => {
      const read = parseRecording(ROUND, readFileSync(ROUND));
      assert.ok(read.ok);
      const events = read.value.events.filter(([tick]) => tick < FIRST_LEVEL);
      const round = { ...read.value, events, ticks: FIRST_LEVEL };
      const headless = await playBack(round, await openSampleGame(), { clock });
      assert.ok(headless.ok);
      const best = headless.value.game.world.named("Best")?.traits["Text"]?.["text"];
      headless.value.end();
      assert.match(`${best}`, /^Best [1-9]\d+$/);

      const servers: (() => Promise<void>)[] = [];
      let launched = () => {};
      let launches = 0;
      const shown = await startShow({
        runtime: await loadRuntime(),
        serve: await loadServe(),
        folder,
        atEnd: (close) => void servers.push(close),
        onChange(view) {
          if (view.launches > launches) launched();
          launches = view.launches;
        },
      });
      try {
        assert.ok(shown.ok);
        const { story, phone } = shown.value;
        const app = { base: `${phone.url}/` };
        await open(async (page) => {
          /** Goes the step of the story on that opens the app. */
          const openApp = async (step: number) => {
            const isLaunched = new Promise<void>((resolve) => launched = resolve);
            const gone = story.next(step);
            await Promise.race([isLaunched, gone]); // a step that fails opens nothing
            const run = await openBuilt(page, app);
            await gone;
            assert.equal(story.view.failure, null);
            return run;
          };
          let run = await openApp(1);
          assert.deepEqual(await run(WORDS), { best: "Best 0", version: "v1" });
          run = await openBuilt(page, app);
          await run(PLAY, { events, ticks: FIRST_LEVEL });
          assert.equal(Object(await run(WORDS)).best, best);
          run = await openBuilt(page, app);
          assert.deepEqual(await run(WORDS), { best, version: "v1" });
          await story.next(2);
          run = await openApp(3);
          assert.deepEqual(await run(WORDS), { best, version: "v1" });
          run = await openApp(4);
          assert.deepEqual(await run(WORDS), { best, version: "v2" });
        });
      } finally {
        for (const close of servers) await close();
      }
    }),
);
