import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { withDevtools } from "../../scripts/bench/devtools.ts";
import { withoutAdb, withPhones } from "../devices/device-world.ts";
import { type PngPixels, pngPixels } from "../support/png-pixels.ts";
import { rounds } from "../support/rounds.ts";
import { UNTIL_SOURCE } from "../support/until.ts";
import type { Held } from "./chromium-phone.ts";
import { bridgeTo, COLUMNS, ROWS, withChromiumPhone } from "./phone-page.ts";
import { findChromium } from "./web-views.ts";

// A page of Chromium as a phone, by adb and by the bridge at once. What a picture shows at a pixel is what
// a touch of that pixel hits.

const chromium = findChromium();
const skip = chromium.skip || withoutAdb;

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
/** A small screen: a picture costs as much as it has pixels. */
const SMALL = [
  { width: 240, height: 432, rotation: 0 },
  { width: 432, height: 240, rotation: 90 },
] as const;

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
        const expected = [["pointerdown", target], ["pointerup", target]];
        assert.deepEqual(found, expected, `${what} (${x}, ${y}): ${JSON.stringify(heard)}`);
      };
      for (const ratio of RATIOS) {
        for (const held of SMALL) {
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
              orientation: held.rotation === 0 ? "portrait" : "landscape",
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

/** What is asked, and what is answered over either way. */
const HORRORS: readonly (readonly [expression: string, answered: object])[] = [
  ["const a = { b: [] }; a.b.push(a, a.b); a", { value: { b: ["[circular]", "[circular]"] } }],
  ["Promise.resolve({ a: 1 })", { value: { a: 1 } }],
  ["Promise.reject(new RangeError('far'))", { code: "eval-threw" }],
  ["({ get a() { throw new Error('no') }, b: 2 })", { value: { a: "[threw: Error: no]", b: 2 } }],
  [
    `[new Proxy(class {}, new Proxy({}, { get() { throw new Error("all") } }))]`,
    { value: ["[threw: Error: all]"] },
  ],
  ["const { proxy, revoke } = Proxy.revocable([], {}); revoke(); [proxy].length", { value: 1 }],
  ["new Proxy([], { get: (of, name) => name === 'length' ? 1e9 : name })", { truncated: true }],
  ["new Proxy([], { get: (of, name) => name === 'length' ? 'x'.repeat(1e7) : name })", {
    value: [],
  }],
  ["document.querySelector('canvas')", { value: "<canvas>" }],
  ["[document, document.createTextNode('t'), document.all]", {
    value: ["[#document]", "[#text]", "[undefined]"],
  }],
  ["[10n ** 30n, Symbol.iterator]", {
    value: ["1000000000000000000000000000000", "[Symbol(Symbol.iterator)]"],
  }],
  ["Array.from({ length: 1e6 }, (_, i) => i)", { truncated: true }],
  ["new Map(Array.from({ length: 1e6 }, (_, i) => [i, i]))", { truncated: true }],
  ["Object.fromEntries(Array.from({ length: 1e5 }, (_, i) => ['k' + i, i]))", { truncated: true }],
  ["'x'.repeat(1e7)", { truncated: true }],
  ["new Error('x'.repeat(1e7))", { truncated: true }],
  ["1 +", { code: "eval-threw" }],
  ["throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 } })", {
    code: "eval-threw",
  }],
  ["undefined", { value: "[undefined]" }],
  ["[() => 1, class Named {}]", { value: ["[function ]", "[function Named]"] }],
  ["[new Map([[1, new Set([2])]]), new Date(0), new Error('e')]", {
    value: [{ "[map]": [[1, { "[set]": [2] }]] }, "1970-01-01T00:00:00.000Z", "[Error: e]"],
  }],
  ["new (class extends Map { *[Symbol.iterator]() { for (;;) yield 1 } })([[1, 2]])", {
    value: { "[map]": [[1, 2]] },
  }],
  ["new (class extends Date { toISOString() { return { toJSON() { throw 1 } } } })(0)", {
    value: "1970-01-01T00:00:00.000Z",
  }],
  [
    `new (class extends ArrayBuffer { get byteLength() { return "x".repeat(1e7) } })(1)`,
    { truncated: true },
  ],
  ["globalThis.looked = 0; ({ get a() { return ++looked } })", { value: { a: 1 } }],
  ["looked", { value: 1 }],
  ["Array.prototype.toJSON = () => { throw 1 }; [{}]", { value: [{}] }],
  ["delete Array.prototype.toJSON", { value: true }],
  ["await new Promise((done) => setTimeout(done, 10)); return 'late'", { value: "late" }],
];

test(
  "device_eval survives every value, and never hangs (DEV-44)",
  { skip },
  () =>
    withChromiumPhone(async ({ call, ids }) => {
      const evaluate = (device: string, expression: string) =>
        call("device_eval", { device, expression });
      // Those that never end are waited for beside the others, by the bridge and by adb.
      const never = Object.values(ids).map((device) => evaluate(device, "new Promise(() => {})"));
      for (const [transport, device] of Object.entries(ids)) {
        for (const [expression, answered] of HORRORS) {
          const { body } = await evaluate(device, expression);
          const found = Object.fromEntries(Object.keys(answered).map((name) => [name, body[name]]));
          const what = `${expression} over ${transport}: ${JSON.stringify(body).slice(0, 400)}`;
          assert.deepEqual(found, answered, what);
          assert.ok(JSON.stringify(body).length < 60_000, what);
        }
      }
      for (const { body } of await Promise.all(never)) assert.equal(body.code, "eval-timeout");

      const loops = [
        "while (true) {}",
        ...(rounds(0, 1) === 1 ? ["await 0; while (true) {}"] : []),
      ];
      for (const loop of loops) {
        const { body } = await evaluate(ids.adb, loop);
        assert.equal(body.code, "eval-timeout", `${loop}: ${JSON.stringify(body)}`);
        assert.equal((await evaluate(ids.adb, "1 + 1")).body.value, 2, "the page lives on");
      }
      // The bridge is of the page: what hangs it can be stopped by adb alone.
      const hung = evaluate(ids.bridge, "{ get a() { for (;;); } }");
      const stopping = evaluate(ids.adb, "1");
      assert.equal((await hung).body.code, "eval-timeout");
      await stopping;
      assert.equal((await evaluate(ids.adb, "2")).body.value, 2);
      assert.equal((await evaluate(ids.bridge, "3")).body.value, 3);
    }),
);

test(
  "the console of a page is heard over adb, also what it wrote before, each line once (DEV-45)",
  {
    skip,
  },
  () =>
    withChromiumPhone(async ({ call, ids, evaluate, adb, page, phone }) => {
      const texts = async (device: string, more: object = {}) => {
        const { body } = await call("device_console_logs", { device, ...more });
        assert.ok(Array.isArray(body.entries), JSON.stringify(body));
        return body.entries.map(({ text }: { text: string }) => text.replace(/ \(http.*/, ""));
      };
      const missing =
        "Failed to load resource: the server responded with a status of 404 (Whatever)";
      const reported = new Promise((resolve) => page.on("Log.entryAdded", resolve));
      await page.send("Log.enable");
      await evaluate(`fetch("/missing")`);
      await reported;
      await evaluate(`(async () => {
      for (let n = 0; n < 3; n++) console.log("tick");
      console.warn("%cstyled", "color: red", { a: [1] });
    })()`);
      // What the browser tells is of a list of its own: it comes after what the page has written since.
      const before = await texts(ids.adb);
      assert.deepEqual(before.slice(0, 4), [missing, "tick", "tick", "tick"]);
      assert.equal(before.length, 5);
      await evaluate(`for (let n = 0; n < 3; n++) console.log("tock"); null`);
      assert.deepEqual((await texts(ids.adb)).slice(5), ["tock", "tock", "tock"]);
      // Another connection is told all of it again.
      const [port] = adb.forwards.keys();
      adb.unplug(phone);
      assert.equal((await call("device_eval", { device: ids.adb, expression: "1" })).status, 404);
      adb.phones.push(phone);
      await evaluate(`setTimeout(() => { throw new Error("thrown later") }); null`);
      const after = await texts(ids.adb);
      assert.deepEqual(after.slice(0, 8), [...before, "tock", "tock", "tock"]);
      assert.match(after.slice(8).join("|"), /^Uncaught Error: thrown later/);
      assert.notDeepEqual([...adb.forwards.keys()], [port]);
      assert.equal(adb.forwards.size, 1);
    }),
);

test(
  "an app on https://localhost reaches an editor on its own port alone, and says so of another",
  {
    skip,
  },
  () =>
    withPhones([], async ({ url, call }) => {
      const args = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"];
      // What Chromium asks a person before a site may reach the local network.
      args.push("--disable-features=LocalNetworkAccessChecks");
      await withDevtools(chromium.path, args, async (browser) => {
        const page = await browser.openPage();
        const said: unknown[] = [];
        page.on("Runtime.consoleAPICalled", ({ type, args }) => {
          said.push([type, Array.isArray(args) ? Object(args[0]).value : null]);
        });
        page.on("Fetch.requestPaused", ({ requestId }) =>
          void page.send("Fetch.fulfillRequest", {
            requestId,
            responseCode: 200,
            responseHeaders: [{ name: "content-type", value: "text/html" }],
            body: btoa("<!doctype html>"),
          }));
        for (const domain of ["Fetch", "Page", "Runtime"]) await page.send(`${domain}.enable`);
        const loaded = new Promise((resolve) => page.on("Page.loadEventFired", resolve));
        await page.send("Page.navigate", { url: "https://localhost/" });
        await loaded;
        await page.send("Runtime.evaluate", { expression: await bridgeTo("ws://192.0.2.1:4747") });
        assert.match(
          JSON.stringify(said),
          /^\[\["error","The device bridge cannot connect.*adb reverse/,
        );
        // What adb reverse gives: the editor, as a port of the phone's own.
        const expression = `${await bridgeTo(url)}
        (async () => {
          ${UNTIL_SOURCE}
          return await until("the bridge has a code", () => globalThis.code);
        })()`;
        const asked = { expression, awaitPromise: true, returnByValue: true };
        const { result } = await page.send("Runtime.evaluate", asked);
        const { body } = await call("device_list", { pair: Object(result).value });
        assert.equal(typeof body.paired, "string", JSON.stringify(body));
      });
    }),
);
