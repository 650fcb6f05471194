import assert from "node:assert/strict";
import { type DevtoolsPage, withDevtools } from "../../scripts/bench/devtools.ts";
import { type DeviceWorld, setBridge, withPhones } from "../devices/device-world.ts";
import { startHostileServer, textAnswer } from "../support/hostile-server.ts";
import { UNTIL_SOURCE } from "../support/until.ts";
import { ChromiumPhone } from "./chromium-phone.ts";
import { bundle } from "./engine.ts";
import { findChromium } from "./web-views.ts";

// A page of Chromium as a phone, over both ways at once: the real adb to a phone that is that page, and the
// bridge in it.

/** How many targets the page has from left to right, and from top to bottom. */
export const [COLUMNS, ROWS] = [6, 9];
/** A page with a grid of targets, each of a colour of its own, that tells which was touched. */
const PAGE = `<!doctype html><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
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

/** A service that has the page as a phone, twice. */
export interface PhoneWorld extends DeviceWorld {
  readonly phone: ChromiumPhone;
  readonly page: DevtoolsPage;
  /** The device's id by its transport. */
  readonly ids: Readonly<Record<"adb" | "bridge", string>>;
  /** The value of an expression in the page, past both transports. */
  evaluate(expression: string): Promise<unknown>;
}

/** Runs `work` with a page that is a phone for adb, and that the bridge has paired. */
export async function withChromiumPhone(work: (world: PhoneWorld) => Promise<void>): Promise<void> {
  const args = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"];
  await withDevtools(findChromium().path, args, async (browser) => {
    const page = await browser.openPage();
    await closeOthers(browser.port);
    const phone = new ChromiumPhone(browser, page);
    const evaluate = async (expression: string) => {
      const asked = { expression, awaitPromise: true, returnByValue: true };
      const { result } = await page.send("Runtime.evaluate", asked);
      return Object(result).value;
    };
    await withPhones([phone], async (world) => {
      const script = await bridgeTo(world.url);
      const headers = { "content-type": "text/html" };
      const site = await startHostileServer((path) =>
        path === "/"
          ? textAnswer(PAGE, { headers })
          : path === "/bridge.js"
          ? textAnswer(script, { headers: { "content-type": "text/javascript" } })
          : undefined
      );
      setBridge(world.root, site.origin.replace("http:", "ws:")); // the page is of this host
      try {
        await page.send("Page.enable");
        const loaded = new Promise((resolve) => page.on("Page.loadEventFired", resolve));
        await page.send("Page.navigate", { url: `${site.origin}/` });
        await loaded;
        const code = await evaluate(`(async () => {
          ${UNTIL_SOURCE}
          return await until("the bridge has a code", () => globalThis.code);
        })()`);
        const { body } = await world.call("device_list", { pair: code });
        assert.equal(typeof body.paired, "string", JSON.stringify(body));
        const ids = { adb: phone.serial, bridge: body.paired };
        await work({ ...world, page, phone, ids, evaluate });
      } finally {
        await site.close();
      }
    });
  });
}

/** A script that starts the bridge. */
export function bridgeTo(editor: string): Promise<string> {
  return bundle(`import { startBridge } from "./lib/device-bridge/mod.ts";
    startBridge({
      editor: ${JSON.stringify(editor.replace("http:", "ws:"))},
      name: "The page",
      showCode: (code) => globalThis.code = code,
    });`);
}

/** Closes the page that the browser has begun with: an app has one. */
async function closeOthers(port: number): Promise<void> {
  const listed = await (await fetch(`http://127.0.0.1:${port}/json/list`)).json();
  const all: readonly { readonly id: string; readonly type: string }[] = listed;
  const pages = all.filter(({ type }) => type === "page");
  for (const { id } of pages.slice(1)) await fetch(`http://127.0.0.1:${port}/json/close/${id}`);
}
