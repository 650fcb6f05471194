import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import assert from "node:assert/strict";
import { playBack, serializeRecording, worldHash } from "../../lib/game/play/mod.ts";
import { mediaTypeOf } from "../../scripts/demo/media-types.ts";
import { MENU } from "../../scripts/sample/levels.ts";
import { clock, openSampleGame } from "../game/harbor-bot.ts";
import { type DevtoolsPage, type Fields, withDevtools } from "../../scripts/bench/devtools.ts";
import { withDisplay } from "../support/webdriver.ts";
import { withFolder } from "../support/folder.ts";
import type { Skip } from "../support/needs.ts";
import { UNTIL_SOURCE } from "../support/until.ts";
import { builtSample } from "./built-site.ts";
import { DRAWS_NOTHING } from "./draws-nothing.ts";
import { BY_SOFTWARE, findChromium, findXvfb } from "./web-views.ts";

// The origins of a game in an app's web view: there is no server behind them, the app answers each request
// itself.

const press = { kind: "key", code: "Enter", phase: "press" } as const;
const steer = { kind: "key", code: "KeyW", phase: "down" } as const;
/** From the title into the first level. */
const ROUND = {
  scene: MENU,
  viewport: { width: 1280, height: 720 },
  saved: {},
  events: [[20, press], [60, steer]],
  ticks: 180,
} as const;

/** The body of an asynchronous function that each page runs. */
const ASKED = `${UNTIL_SOURCE}
const notice = document.querySelector("#notice");
await until(
  "the game has begun or failed",
  () => notice.hidden || notice.querySelector("progress").hidden,
);
if (!notice.hidden) return JSON.stringify({ failure: notice.textContent });
const game = globalThis.slipwayGame;
await game.playBack(${JSON.stringify(serializeRecording(ROUND))});
localStorage.setItem("kept", "here");
return JSON.stringify({
  hash: await game.hash(),
  origin: location.origin,
  isSecure: isSecureContext,
  kept: localStorage.getItem("kept"),
  workers: (await navigator.serviceWorker?.getRegistrations() ?? []).length,
});`;

async function expectedHash(): Promise<string> {
  const played = await playBack(ROUND, await openSampleGame(), { clock });
  assert.ok(played.ok);
  const hash = await worldHash(played.value.game);
  played.value.end();
  return hash;
}

/** The file of a game that a URL of its app names; `null` for all else. */
function fileAt(folder: string, base: string, url: string): string | null {
  const [address = ""] = url.split("?");
  if (!address.startsWith(base)) return null;
  const path = join(folder, decodeURIComponent(address.slice(base.length)) || "index.html");
  return existsSync(path) ? path : null;
}

const chromium = findChromium();

/** The outcome of opening a built game at an address. */
interface Opened {
  /** Result of {@linkcode ASKED}. */
  readonly answer: string;
  /** Requests for anything but the game. */
  readonly outside: readonly string[];
  readonly complaints: readonly string[];
}

/** Opens a built game in Chromium, and answers its requests as an Android app does. */
async function inAndroid(folder: string, bases: readonly string[]): Promise<readonly Opened[]> {
  const args = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", ...BY_SOFTWARE];
  return await withDevtools(chromium.path, args, async (browser) => {
    const opened: Opened[] = [];
    for (const base of bases) {
      const page = await browser.openPage();
      opened.push(await openedIn(page, folder, base));
      await page.close();
    }
    return opened;
  });
}

async function openedIn(page: DevtoolsPage, folder: string, base: string): Promise<Opened> {
  const outside: string[] = [];
  const complaints: string[] = [];
  page.on("Fetch.requestPaused", ({ requestId, request }) => {
    const url = String(Object(request).url);
    const path = fileAt(folder, base, url);
    if (path === null) outside.push(url);
    void page.send("Fetch.fulfillRequest", {
      requestId,
      responseCode: path === null ? 404 : 200,
      responseHeaders: [{ name: "content-type", value: mediaTypeOf(path ?? "") }],
      body: path === null ? "" : readFileSync(path).toString("base64"),
    });
  });
  const complain = (text: unknown) => void complaints.push(JSON.stringify(text));
  page.on("Log.entryAdded", ({ entry }) => complain(entry));
  page.on("Runtime.exceptionThrown", ({ exceptionDetails }) => complain(exceptionDetails));
  page.on("Runtime.consoleAPICalled", ({ type, args }) => {
    if (type === "warning" || type === "error") complain(args);
  });
  for (const domain of ["Fetch", "Log", "Runtime", "Page"]) await page.send(`${domain}.enable`);
  // Capacitor's bridge is in each page of an app before its scripts; this app has no plugin.
  const source = `globalThis.Capacitor = { PluginHeaders: [] };${DRAWS_NOTHING}`;
  await page.send("Page.addScriptToEvaluateOnNewDocument", { source });
  const loaded = new Promise<Fields>((resolve) => page.on("Page.loadEventFired", resolve));
  await page.send("Page.navigate", { url: `${base}?paused` });
  await loaded;
  const { result, exceptionDetails } = await page.send("Runtime.evaluate", {
    expression: `(async () => { ${ASKED} })()`,
    awaitPromise: true,
  });
  assert.equal(exceptionDetails, undefined);
  return { answer: String(Object(result).value), outside, complaints };
}

const xvfb = findXvfb();
const hasWebKit = ["x86_64", "aarch64"].some((machine) =>
  existsSync(`/usr/lib/${machine}-linux-gnu/libwebkit2gtk-4.1.so.0`)
);
const noWebKit: Skip = !("Deno" in globalThis)
  ? "only Deno calls WebKitGTK's C interface"
  : xvfb.skip ||
    !hasWebKit && "found no libwebkit2gtk-4.1.so.0: expected Debian's package libwebkit2gtk-4.1-0";

/** Opens a built game in an app whose web view is WebKit's. */
async function inWebKit(folder: string, bases: readonly string[]): Promise<readonly Opened[]> {
  const parameters = [folder, ASKED, DRAWS_NOTHING, ...bases];
  const args = ["run", "-A", "--no-check", "tests/engines/scheme-app.ts", ...parameters];
  return await withDisplay(xvfb.path, async (display) => {
    const child = spawn(process.execPath, args, {
      env: {
        ...process.env,
        DISPLAY: display,
        // WebKit keeps the data of pages below these.
        HOME: join(folder, ".."),
        XDG_DATA_HOME: join(folder, "..", "data"),
        XDG_CACHE_HOME: join(folder, "..", "cache"),
        WEBKIT_DISABLE_COMPOSITING_MODE: "1",
        LIBGL_ALWAYS_SOFTWARE: "1",
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let [out, err] = ["", ""];
    child.stdout.on("data", (chunk) => out += chunk);
    child.stderr.on("data", (chunk) => err += chunk);
    const code = await new Promise((resolve) => child.once("close", resolve));
    assert.equal(code, 0, err);
    const lines = out.trim().split("\n");
    const complaints = lines.filter((line) => /^CONSOLE .*(?:ERROR|WARN)/.test(line));
    const opened: readonly Omit<Opened, "complaints">[] = lines
      .filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
    return opened.map((one) => ({ ...one, complaints }));
  });
}

/** The apps, each with the origin of its pages. */
const APPS = [
  {
    name: "an Android app has it, in Chromium",
    origin: "https://localhost",
    skip: chromium.skip,
    opens: inAndroid,
  },
  {
    name: "an iOS app has it, in WebKit",
    origin: "capacitor://localhost",
    skip: noWebKit,
    opens: inWebKit,
  },
] as const;

for (const { name, origin, skip, opens } of APPS) {
  test(
    `a built game plays at ${origin} as ${name}: the app answers each request, none goes elsewhere`,
    { skip },
    () =>
      withFolder(async (folder) => {
        const dist = await builtSample(join(folder, "game"));
        const hash = await expectedHash();
        const bases = [`${origin}/`, `${origin}/some/where/`];
        const opened = await opens(dist, bases);
        assert.equal(opened.length, bases.length);
        for (const { answer, outside, complaints } of opened) {
          const expected = { hash, origin, isSecure: true, kept: "here", workers: 0 };
          assert.deepEqual(JSON.parse(answer), expected);
          assert.deepEqual(outside, []);
          assert.deepEqual(complaints, []);
        }
      }),
  );
}
