import { test } from "node:test";
import assert from "node:assert/strict";
import { STEP } from "../../lib/game/world/mod.ts";
import { builtSample, openBuilt, serveBuilt } from "../engines/built-site.ts";
import { openChromium } from "../engines/web-views.ts";
import { withFolder } from "../support/folder.ts";

const { skip, open } = openChromium({ webgl: true, draws: false });

/** Steps that one frame makes at most. */
const CATCH_UP = 5;
/** So many steps long is the page hidden, at the least. */
const MISSED = 100;

/** Plays, and notes of each frame when it was and how many steps it made, until some were made. */
const PLAY = `const own = globalThis.requestAnimationFrame.bind(globalThis);
  globalThis.frames = [];
  globalThis.requestAnimationFrame = (frame) => own(async (now) => {
    const before = game.game.tick;
    await frame(now);
    frames.push([now, game.game.tick - before]);
  });
  game.paused = false;
  await until("the game has made ten steps", () => game.game.tick >= 10);`;
/** Ends once the page is hidden, and what was on the way then has ended. */
const HIDDEN = `await until("the page is hidden", () => document.hidden);
  let before = -1;
  await until("no frame is on its way", () => {
    const isStill = frames.length === before;
    before = frames.length;
    return isStill;
  });
  return { tick: game.game.tick, frames: frames.length };`;
/** Ends once that many seconds have gone by on the page's own clock. */
const GONE_BY = `await new Promise((done) => setTimeout(done, args * 1000));
  return { tick: game.game.tick, frames: frames.length, hidden: document.hidden };`;
/** The frames since then, once there are so many. */
const SINCE = `await until("the frames are drawn", () =>
    frames.length >= args.from + args.count);
  return frames.slice(args.from, args.from + args.count);`;

test("a world stands while its page is hidden, and catches nothing up when it comes back", {
  skip,
}, () =>
  withFolder(async (folder) => {
    const site = await serveBuilt(await builtSample(folder));
    try {
      await open(async (page) => {
        const run = await openBuilt(page, site);
        await run(PLAY);
        await page.minimize();
        const hidden = Object(await run(HIDDEN));
        assert.ok(hidden.tick >= 10);
        const later = await run(GONE_BY, MISSED * STEP);
        assert.deepEqual(later, { ...hidden, hidden: true });

        await page.restore();
        const since = await run(SINCE, { from: hidden.frames, count: 40 });
        assert.ok(Array.isArray(since));
        const frames: readonly (readonly [now: number, made: number])[] = since;
        const made = frames.reduce((sum, [, steps]) => sum + steps, 0);
        const shown = ((frames.at(-1)?.[0] ?? 0) - (frames[0]?.[0] ?? 0)) / 1000 / STEP;
        assert.ok(frames.every(([, steps]) => steps <= CATCH_UP), JSON.stringify(frames));
        assert.ok(made > 0, "it goes on");
        assert.ok(made <= shown + CATCH_UP + 1, `${made} steps in ${shown}`);
      });
    } finally {
      await site.close();
    }
  }));
