import { test } from "node:test";
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { withFolder } from "../support/folder.ts";
import { withProjectService } from "../support/project-service.ts";
import { builtSample, openBuilt, serveBuilt } from "./built-site.ts";
import { openChromium } from "./web-views.ts";

const { skip, open } = openChromium({ webgl: true, draws: false });

/** What is done to the sample, and when: as a recording, and as calls of tools. */
const BEFORE = 60;
const AFTER = 120;
const KEY = { kind: "key", code: "KeyW", phase: "down" } as const;

/** The icons that the page and its manifest name, as large as the browser finds them. */
const ICONS = `const link = document.querySelector("link[rel=manifest]").href;
  const { icons } = await (await fetch(link)).json();
  const named = document.querySelectorAll("link[rel=icon], link[rel=apple-touch-icon]");
  const found = [];
  for (const url of [...[...named].map(({ href }) => href), ...icons.map(({ src }) => new URL(src, link).href)]) {
    const image = new Image();
    image.src = url;
    await image.decode();
    found.push(url.slice(new URL(".", link).href.length) + " " + image.naturalWidth + "x" + image.naturalHeight);
  }
  return found;`;

/** How much narrower a picture is after its box has become half as wide, in a window that stays. */
const NARROWER =
  `const [box, surface] = ["game", "surface"].map((id) => document.getElementById(id));
  const before = surface.width;
  box.style.width = "50%";
  for (let n = 0; n < 5; n++) await new Promise(requestAnimationFrame);
  const after = surface.width;
  box.style.width = "";
  return Math.round(before / after * 10) / 10;`;

test(
  "the built sample plays in Chromium what the editor plays, asks nobody else, and reloads offline",
  { skip },
  () =>
    withFolder(async (folder) => {
      const root = join(folder, "game");
      const dist = await builtSample(root);
      let [expected, round]: readonly unknown[] = [];
      await withProjectService(root, async ({ editor, call }) => {
        const { scenePath } = editor.identity();
        for (
          const [name, args] of [
            ["step_play", { ticks: BEFORE }],
            ["press_key", { code: KEY.code, phase: KEY.phase }],
            ["step_play", { ticks: AFTER }],
          ] as const
        ) {
          const { status, text } = await call(name, args);
          assert.equal(status, 200, text);
        }
        expected = (await editor.sceneState()).entities;
        round = {
          schema: 1,
          scene: scenePath,
          viewport: { width: 1280, height: 720 },
          saved: {},
          events: [[BEFORE, KEY]],
          ticks: BEFORE + AFTER,
        };
      });
      const site = await serveBuilt(dist);
      try {
        await open(async (page) => {
          let run = await openBuilt(page, site);
          const playBack = `await game.playBack(args);
            return { entities: game.game.world.entities(), hash: await game.hash() };`;
          const played = Object(await run(playBack, JSON.stringify(round)));
          assert.deepEqual(played.entities, expected);
          const fetched = await run(
            "return performance.getEntriesByType('resource').map(({ name }) => name)",
          );
          assert.deepEqual(
            (Array.isArray(fetched) ? fetched : []).filter((url) => !url.startsWith(site.base)),
            [],
          );
          assert.deepEqual(site.requests.filter((path) => path.startsWith("/")), []);
          assert.deepEqual(site.requests.filter((path) => path.includes("updates-")), []);
          assert.deepEqual(await run(ICONS), [
            "icons/icon-48.png 48x48",
            "icons/icon-180.png 180x180",
            "icons/icon-192.png 192x192",
            "icons/icon-512.png 512x512",
            "icons/icon-maskable-512.png 512x512",
          ]);
          assert.equal(await run(NARROWER), 2);
          assert.deepEqual(await page.complaints(), []);

          await run(`const { active } = await navigator.serviceWorker.ready;
            while (active.state !== "activated") {
              await new Promise((resolve) => active.addEventListener("statechange", resolve));
            }`);
          await site.close();
          rmSync(dist, { recursive: true });
          run = await openBuilt(page, site);
          const again = Object(await run(playBack, JSON.stringify(round)));
          assert.equal(again.hash, played.hash);
        });
      } finally {
        await site.close();
      }
    }),
);
