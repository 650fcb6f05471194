import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { withDevtools } from "../../scripts/bench/devtools.ts";
import { type DeviceWorld, withoutAdb, withPhones } from "../devices/device-world.ts";
import { startHostileServer, textAnswer } from "../support/hostile-server.ts";
import { type PngPixels, pngPixels } from "../support/png-pixels.ts";
import { rounds } from "../support/rounds.ts";
import { ChromiumPhone, type Held } from "./chromium-phone.ts";
import { bundle, programOf } from "./engine.ts";
import { CHROMIUM } from "./web-views.ts";

// A page of Chromium as a phone, over both ways at once: the real adb to a phone that is that page, and the
// bridge in it. What a picture shows at a pixel is what a touch of that pixel hits.

const chromium = programOf(...CHROMIUM);
const skip = chromium === undefined ? "no chromium on this machine" : withoutAdb;

const [COLUMNS, ROWS] = [6, 9];
/** A page with a grid of targets, each of a colour of its own, that tells which was touched. */
const PAGE = `<!doctype html><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>* { margin: 0 } html, canvas { touch-action: none } body { overflow: hidden }
canvas { position: fixed; inset: 0; width: 100vw; height: 100vh }</style>
<canvas></canvas>
<script>
const canvas = document.querySelector("canvas");
let targets = [];
globalThis.heard = [];
globalThis.drawGrid = () => {
  const ratio = devicePixelRatio;
  canvas.width = Math.round(innerWidth * ratio);
  canvas.height = Math.round(innerHeight * ratio);
  const brush = canvas.getContext("2d");
  brush.fillStyle = "#fff";
  brush.fillRect(0, 0, canvas.width, canvas.height);
  targets = [];
  // The outermost lie at the very edges, where what is off by a pixel is off the screen.
  for (let n = 0; n < ${COLUMNS * ROWS}; n++) {
    const size = Math.round(19 * ratio);
    const left = Math.round((canvas.width - size) * (n % ${COLUMNS}) / ${COLUMNS - 1});
    const top = Math.round((canvas.height - size) * Math.floor(n / ${COLUMNS}) / ${ROWS - 1});
    targets.push({ left, top, right: left + size, bottom: top + size });
    brush.fillStyle = "rgb(" + (n * 4) + ",0,128)";
    brush.fillRect(left, top, size, size);
  }
};
for (const type of ["pointerdown", "pointerup"]) {
  addEventListener(type, ({ clientX, clientY }) => {
    const [x, y] = [clientX * devicePixelRatio, clientY * devicePixelRatio];
    const hit = targets.findIndex(({ left, top, right, bottom }) =>
      x >= left && x < right && y >= top && y < bottom);
    heard.push([type, hit, x, y]);
  }, true);
}
drawGrid();
</script>
<script src="bridge.js"></script>`;

interface PhoneWorld extends DeviceWorld {
  readonly phone: ChromiumPhone;
  /** The device's id by its transport. */
  readonly ids: Readonly<Record<"adb" | "bridge", string>>;
  /** The value of an expression in the page, past both transports. */
  evaluate(expression: string): Promise<unknown>;
}

/** Runs `work` with a page that is a phone for adb, and that the bridge has paired. */
async function withChromiumPhone(work: (world: PhoneWorld) => Promise<void>): Promise<void> {
  const args = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"];
  await withDevtools(chromium ?? "", args, async (browser) => {
    const page = await browser.openPage();
    await closeOthers(browser.port);
    const phone = new ChromiumPhone(browser, page);
    const evaluate = async (expression: string) => {
      const asked = { expression, awaitPromise: true, returnByValue: true };
      const { result } = await page.send("Runtime.evaluate", asked);
      return Object(result).value;
    };
    await withPhones([phone], async (world) => {
      const script = await bundle(`import { startBridge } from "./lib/device-bridge/mod.ts";
        startBridge({
          editor: ${JSON.stringify(world.url.replace("http:", "ws:"))},
          name: "The page",
          showCode: (code) => globalThis.code = code,
        });`);
      const headers = { "content-type": "text/html" };
      const site = await startHostileServer((path) =>
        path === "/"
          ? textAnswer(PAGE, { headers })
          : path === "/bridge.js"
          ? textAnswer(script, { headers: { "content-type": "text/javascript" } })
          : undefined
      );
      try {
        await page.send("Page.enable");
        const loaded = new Promise((resolve) => page.on("Page.loadEventFired", resolve));
        await page.send("Page.navigate", { url: `${site.origin}/` });
        await loaded;
        const code = await evaluate(`(async () => {
          while (!globalThis.code) await new Promise((resolve) => setTimeout(resolve, 10));
          return globalThis.code;
        })()`);
        const { body } = await world.call("device_list", { pair: code });
        assert.equal(typeof body.paired, "string", JSON.stringify(body));
        const ids = { adb: phone.serial, bridge: body.paired };
        await work({ ...world, phone, ids, evaluate });
      } finally {
        await site.close();
      }
    });
  });
}

/** Closes the page that the browser has begun with: an app has one. */
async function closeOthers(port: number): Promise<void> {
  const listed = await (await fetch(`http://127.0.0.1:${port}/json/list`)).json();
  const all: readonly { readonly id: string; readonly type: string }[] = listed;
  const pages = all.filter(({ type }) => type === "page");
  for (const { id } of pages.slice(1)) await fetch(`http://127.0.0.1:${port}/json/close/${id}`);
}

/** The pixels of a picture that show a target: from, to, both in it; `null` where there are none. */
function boundsOf({ width, rgba }: PngPixels, target: number) {
  let [left, top, right, bottom] = [Infinity, Infinity, -1, -1];
  for (let at = 0; at < rgba.length; at += 4) {
    if (rgba[at] !== target * 4 || rgba[at + 1] !== 0 || rgba[at + 2] !== 128) continue;
    const [x, y] = [at / 4 % width, Math.floor(at / 4 / width)];
    [left, top] = [Math.min(left, x), Math.min(top, y)];
    [right, bottom] = [Math.max(right, x), Math.max(bottom, y)];
  }
  return right < 0 ? null : { left, top, right, bottom };
}

/** Corners of the screen, its middle, and one beside it; each in the long run. */
const TARGETS = Array.from({ length: COLUMNS * ROWS }, (_, n) => n);
const SHORT = [0, COLUMNS - 1, COLUMNS * ROWS - COLUMNS, COLUMNS * ROWS - 1, 26];
const RATIOS = [1, 2, 2.625, 3];
const UPRIGHT = { width: 400, height: 720, rotation: 0 } as const;
const TURNED = { width: 720, height: 400, rotation: 90 } as const;

test(
  "what a picture shows is what a touch hits: at 1, 2, 2.625 and 3, in both orientations (DEV-43)",
  {
    skip,
  },
  () =>
    withChromiumPhone(async ({ call, root, phone, ids, evaluate }) => {
      for (const device of Object.values(ids)) {
        assert.equal((await call("device_tap", { device, x: 5, y: 5 })).body.code, "no-screenshot");
      }
      const shotOf = async (device: string, inline = false) => {
        const savePath = `shots/${device}.png`;
        const { body } = await call("device_screenshot", { device, savePath, inline });
        assert.equal(body.path, savePath, JSON.stringify(body));
        const picture = pngPixels(readFileSync(join(root, savePath)));
        assert.deepEqual([body.width, body.height], [picture.width, picture.height]);
        return { picture, screen: body.screen };
      };
      /** Touches a target at one of its outermost pixels; it is the one that is hit, down and up. */
      const hits = async (picture: PngPixels, device: string, target: number, what: string) => {
        const bounds = boundsOf(picture, target);
        assert.ok(bounds, `${what}: target ${target} is not in the picture`);
        const { left, top, right, bottom } = bounds;
        const [x, y] = [[left, top], [right, top], [left, bottom], [right, bottom]][target % 4] ??
          [];
        const { status, body } = await call("device_tap", { device, x, y });
        assert.equal(status, 200, JSON.stringify(body));
        const heard: unknown = await evaluate("heard.splice(0)");
        const found = Array.isArray(heard) ? heard.map(([type, hit]) => [type, hit]) : heard;
        const wanted = [["pointerdown", target], ["pointerup", target]];
        assert.deepEqual(found, wanted, `${what} (${x}, ${y}): ${JSON.stringify(heard)}`);
      };
      for (const ratio of RATIOS) {
        for (const held of [UPRIGHT, TURNED]) {
          await phone.hold({ ...held, ratio });
          for (const [transport, device] of Object.entries(ids)) {
            const what = `${transport} at ${ratio}, ${held.rotation}°`;
            const { picture, screen } = await shotOf(device);
            const pixels = [picture.width, picture.height];
            assert.deepEqual(pixels, [held.width * ratio, held.height * ratio], what);
            assert.deepEqual(screen, {
              width: held.width,
              height: held.height,
              scale: ratio,
              orientation: held === UPRIGHT ? "portrait" : "landscape",
            }, what);
            for (const target of rounds(0, 1) === 1 ? TARGETS : SHORT) {
              await hits(picture, device, target, what);
            }
          }
        }
      }

      // A picture that was made smaller for a model: its own pixels are what is touched.
      for (const held of [UPRIGHT, TURNED]) {
        await phone.hold({ ...held, ratio: 3 });
        for (const [transport, device] of Object.entries(ids)) {
          const { picture, screen } = await shotOf(device, true);
          assert.equal(Math.max(picture.width, picture.height), 1568);
          assert.ok(Math.abs(screen.width * screen.scale - picture.width) < 0.01);
          assert.equal(Math.round(screen.width), held.width);
          for (const target of SHORT) await hits(picture, device, target, `${transport}, inline`);
        }
      }

      // From a target to another.
      for (const device of Object.values(ids)) {
        const { picture } = await shotOf(device);
        const [from, to] = [boundsOf(picture, 8), boundsOf(picture, 45)];
        assert.ok(from && to);
        const path = { from: [from.left, from.top], to: [to.right, to.bottom], durationMs: 60 };
        const { status, body } = await call("device_drag", { device, ...path });
        assert.equal(status, 200, JSON.stringify(body));
        const heard: unknown = await evaluate("heard.splice(0)");
        const found = Array.isArray(heard) ? heard.map(([type, hit]) => [type, hit]) : heard;
        assert.deepEqual(found, [["pointerdown", 8], ["pointerup", 45]], device);
      }

      // What was turned since is not touched, also where its size is the same.
      for (
        const turned of [
          { ...UPRIGHT, ratio: 3 },
          { ...TURNED, ratio: 3 },
          { ...TURNED, ratio: 3, rotation: 270 },
        ] satisfies readonly Held[]
      ) {
        for (const device of Object.values(ids)) await shotOf(device);
        await phone.hold(turned);
        for (const device of Object.values(ids)) {
          const lost = await call("device_tap", { device, x: 5, y: 5 });
          assert.deepEqual([lost.status, lost.body.code], [409, "screen-changed"], device);
          const again = await call("device_tap", { device, x: 5, y: 5 });
          assert.equal(again.body.code, "no-screenshot");
        }
      }
      assert.deepEqual(await evaluate("heard"), []);
    }),
);
