import { test } from "node:test";
import assert from "node:assert/strict";
import type { BrowserContextOptions, Page } from "playwright-core";
import { runAtOnce } from "../../lib/core/cooperative.ts";
import { layoutUi } from "../../lib/game/layout/mod.ts";
import { RunningGame, SceneHost } from "../../lib/game/play/mod.ts";
import type { Viewport } from "../../lib/game/types/mod.ts";
import { HARBOR, MENU } from "../../scripts/sample/levels.ts";
import { clock, openSampleGame } from "../game/harbor-bot.ts";
import { withFolder } from "../support/folder.ts";
import { until, UNTIL_MS } from "../support/until.ts";
import { builtSample, serveBuilt } from "./built-site.ts";
import { withChromiumContext } from "./chromium-context.ts";
import { findChromium } from "./web-views.ts";

// Harbor Run as it is built, played from its title by all that its players may have in their hands.

const { skip } = findChromium();

const MADE_FOR = { width: 1280, height: 720 };
const PHONE = { width: 640, height: 360 };
/** Metres that the boat goes before it counts as moved: waves lift it by less. */
const MOVED = 3;

/** Runs `work` with the built sample at its title. @param before Runs in the page before all else. */
async function withTitle(
  work: (page: Page) => Promise<void>,
  { before = "", ...context }: BrowserContextOptions & { readonly before?: string },
): Promise<void> {
  await withFolder(async (folder) => {
    const site = await serveBuilt(await builtSample(folder));
    const complaints: string[] = [];
    try {
      await withChromiumContext(async (opened) => {
        const page = await opened.newPage();
        page.setDefaultTimeout(UNTIL_MS);
        page.on("pageerror", ({ message }) => complaints.push(message));
        if (before !== "") await page.addInitScript(before);
        await page.goto(site.base);
        await reaches(page, "the game runs", "globalThis.slipwayGame?.game.tick > 5");
        await reaches(page, "the title is shown", IN_TITLE);
        await work(page);
      }, context);
    } finally {
      await site.close();
    }
    assert.deepEqual(complaints, []);
  });
}

const named = (name: string) => `slipwayGame.game.world.named(${JSON.stringify(name)})`;
const IN_TITLE = `${named("Title")} !== undefined`;
const IN_LEVEL = `${named("Stick")} !== undefined`;
const isOpen = (menu: string) => `${named(menu)}.traits.UIElement.visible === true`;

/** Waits until an expression holds in the page, whose policy allows no waiting script there. */
async function reaches(page: Page, what: string, holds: string): Promise<void> {
  await until(what, () => page.evaluate(`Boolean(${holds})`));
}

/** How far the boat lies from where it was when this was called. */
async function boatFrom(page: Page): Promise<string> {
  const at: { readonly x: number; readonly z: number } = await page.evaluate(
    `(({ x, z }) => ({ x, z }))(${named("Runner")}.traits.Transform)`,
  );
  return `(({ x, z }) => Math.hypot(x - ${at.x}, z - ${at.z}))(${
    named("Runner")
  }.traits.Transform)`;
}

/** A gamepad that the page finds as the browser's first. */
const GAMEPAD = `const pad = {
    id: "faked", index: 0, connected: true, mapping: "standard", timestamp: 0,
    axes: [0, 0, 0, 0],
    buttons: Array.from({ length: 17 }, () => ({ pressed: false, touched: false, value: 0 })),
  };
  globalThis.pad = pad;
  Object.defineProperty(navigator, "getGamepads", { value: () => [pad, null, null, null] });`;

/** Holds a button until the game shows what it does. */
async function press(page: Page, button: number, does: string): Promise<void> {
  await page.evaluate(`pad.buttons[${button}].pressed = true`);
  await reaches(page, `button ${button} has worked`, does);
  await page.evaluate(`pad.buttons[${button}].pressed = false`);
}

test("the built sample is played with a gamepad: from the title into a level, steered, paused", {
  skip,
}, () =>
  withTitle(async (page) => {
    await press(page, 0, IN_LEVEL);
    const moved = await boatFrom(page);
    await page.evaluate("pad.axes[1] = -1");
    await reaches(page, "the boat has moved", `${moved} > ${MOVED}`);
    const heading = `${named("Runner")}.traits.Transform.ry`;
    const before: number = await page.evaluate(heading);
    await page.evaluate("pad.axes[0] = 1");
    await reaches(page, "the boat has turned", `Math.abs(${heading} - ${before}) > 10`);
    await page.evaluate("pad.axes = [0, 0, 0, 0]");
    await press(page, 9, isOpen("Pause Menu"));
    await press(page, 0, `!(${isOpen("Pause Menu")})`);
  }, { viewport: { width: 640, height: 360 }, before: GAMEPAD }));

/** The middles of elements of a scene on a phone's screen, in CSS pixels, with a menu open or none. */
async function placesIn(path: string, menu: string | null = null) {
  const scale = Math.min(PHONE.width / MADE_FOR.width, PHONE.height / MADE_FOR.height);
  const viewport: Viewport = { width: PHONE.width / scale, height: PHONE.height / scale };
  const content = await openSampleGame();
  const host = await SceneHost.open(content, path, { clock, viewport });
  assert.ok(host.ok);
  const running = await RunningGame.start(host.value, content);
  const { yoga, game: { world, assets: { details } } } = running;
  const opened = menu === null ? undefined : world.named(menu);
  if (opened !== undefined) world.set(opened, ["UIElement", "visible"], true);
  const rects = runAtOnce(layoutUi(world.withTrait("UIElement"), { yoga, viewport, details }));
  const ids = new Map(world.withTrait("UIElement").map(({ id, name }) => [name, id]));
  running.end();
  return (name: string): { readonly x: number; readonly y: number } => {
    const rect = rects.get(ids.get(name) ?? -1);
    assert.ok(rect, name);
    return { x: (rect.x + rect.w / 2) * scale, y: (rect.y + rect.h / 2) * scale };
  };
}

test(
  "the built sample is played by touch on a phone: a level, its stick, its pause menu and back",
  {
    skip,
  },
  () =>
    withTitle(async (page) => {
      const touch = await page.context().newCDPSession(page);
      const finger = (type: "touchStart" | "touchMove" | "touchEnd", x = 0, y = 0) =>
        touch.send("Input.dispatchTouchEvent", {
          type,
          touchPoints: type === "touchEnd" ? [] : [{ x, y }],
        });
      const tap = async ({ x, y }: { readonly x: number; readonly y: number }) => {
        await finger("touchStart", x, y);
        await finger("touchEnd");
      };
      const inTitle = await placesIn(MENU);
      await tap(inTitle("Play"));
      await reaches(page, "the level is shown", IN_LEVEL);

      const inLevel = await placesIn(HARBOR);
      const moved = await boatFrom(page);
      const { x, y } = inLevel("Stick");
      await finger("touchStart", x, y);
      await finger("touchMove", x, y - 30);
      await reaches(page, "the boat has moved", `${moved} > ${MOVED}`);
      await finger("touchEnd");

      await tap(inLevel("Pause"));
      await reaches(page, "the pause menu is open", isOpen("Pause Menu"));
      const stands: string = await page.evaluate(
        `JSON.stringify(${named("Runner")}.traits.Transform)`,
      );
      const tick: number = await page.evaluate("slipwayGame.game.tick");
      await reaches(page, "20 ticks have passed", `slipwayGame.game.tick > ${tick + 20}`);
      const later: string = await page.evaluate(
        `JSON.stringify(${named("Runner")}.traits.Transform)`,
      );
      assert.equal(later, stands, "a paused round stands");
      const inPause = await placesIn(HARBOR, "Pause Menu");
      await tap(inPause("Resume"));
      await reaches(page, "the pause menu is closed", `!(${isOpen("Pause Menu")})`);
      const again = await boatFrom(page);
      await finger("touchStart", x, y);
      await finger("touchMove", x, y - 30);
      await reaches(page, "the boat has moved again", `${again} > ${MOVED}`);
      await finger("touchEnd");
      await tap(inLevel("Pause"));
      await reaches(page, "the pause menu is open again", isOpen("Pause Menu"));
      await tap(inPause("Quit"));
      await reaches(page, "the title is shown again", IN_TITLE);
    }, { viewport: PHONE, hasTouch: true, isMobile: true }),
);
