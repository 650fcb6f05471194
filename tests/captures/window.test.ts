import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import assert from "node:assert/strict";
import type { Clock } from "../../lib/ports/clock.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { VIEW, withCaptureWorld } from "./capture-world.ts";
import { answer, joined, noProgram, pngOf, windowAt, withFakeBrowser } from "./fake-page.ts";

// Captures that a window draws which somebody has opened; the window is played by the test.

const PICTURE = answer({}, pngOf(VIEW.width, VIEW.height));

/** How long a window may take, and how long its requests for a task wait, in milliseconds. */
const [WINDOW_MS, WAIT_MS] = [60_000, 20_000];

/** A clock on which the time of a window is over when the test says so. */
function clockOf(real: Clock) {
  let over = () => {};
  let waits = () => {};
  const clock: Clock = {
    now: () => real.now(),
    monotonic: () => real.monotonic(),
    sleep(ms, signal) {
      if (ms === WINDOW_MS) return new Promise((end) => over = end);
      if (ms === WAIT_MS) waits();
      return real.sleep(ms, signal);
    },
  };
  return {
    clock,
    over: () => over(),
    /** Ends when a page next waits for a task. */
    waiting: () => new Promise<void>((seen) => waits = seen),
  };
}

test("a refusal without a browser names an address, and a window that opens it draws", () =>
  withCaptureWorld(async ({ call }) => {
    const refused = await call("render_scene");
    assert.deepEqual([refused.status, refused.body.code], [503, "no-browser"]);
    const [address = ""] = /http:\S+/.exec(refused.body.hint) ?? [];
    assert.equal((await call("render_scene")).body.hint, refused.body.hint); // not opened yet
    const page = await joined(new URL(address));
    await page.attend();
    for (let count = 0; count < 3; count++) {
      const drawing = call("render_scene");
      const { id } = await page.next();
      await page.post(id, PICTURE);
      assert.equal((await drawing).status, 200);
    }
    page.close();
    const later = await call("render_scene");
    assert.equal(later.body.code, "no-browser");
    assert.ok(!later.body.hint.includes(address));
  }, noProgram));

test("a window that is closed while it draws leaves the capture to another, then to a refusal", () =>
  withCaptureWorld(async ({ call, url }) => {
    const [first, second] = [await windowAt(url), await windowAt(url)];
    const drawing = call("render_scene");
    const { id } = await first.next();
    first.close();
    const task = await second.next();
    assert.notEqual(task.id, id);
    assert.equal((await first.post(id, PICTURE)).status, 404);
    await second.post(task.id, PICTURE);
    assert.equal((await drawing).status, 200);

    const last = call("render_scene");
    await second.next();
    second.close();
    const { status, body } = await last;
    assert.deepEqual([status, body.code], [503, "no-browser"]);
    assert.match(body.hint, /SVC_CHROMIUM/);
  }, noProgram));

test("a window draws before a browser is started, which draws what the window leaves (CAP-2)", () =>
  withFakeBrowser(async ({ call, url }, started) => {
    const page = await windowAt(url);
    const drawing = call("render_scene");
    await page.next();
    page.close();
    const browser = await joined(await started());
    const { id } = await browser.next();
    await browser.post(id, PICTURE);
    assert.equal((await drawing).status, 200);
  }));

test("a window that sleeps is asked no more before it asks itself", async () => {
  const { clock, over, waiting } = clockOf((await loadRuntime()).clock);
  await withFakeBrowser(async ({ call, url }, started) => {
    const page = await windowAt(url);
    const drawing = call("render_scene");
    const late = await page.next();
    over();
    const browser = await joined(await started());
    const { id } = await browser.next();
    await browser.post(id, PICTURE);
    assert.equal((await drawing).status, 200);
    assert.equal((await page.post(late.id, PICTURE)).status, 404);

    const next = call("render_scene"); // nobody waits for the window again
    await browser.post((await browser.next()).id, PICTURE);
    assert.equal((await next).status, 200);

    const asks = waiting();
    const awake = page.next();
    await asks;
    const again = call("render_scene");
    await page.post((await awake).id, PICTURE);
    assert.equal((await again).status, 200);
  }, { clock });
});

test("windows of two services in one browser keep a key each", () =>
  withCaptureWorld(({ url: first }) =>
    withCaptureWorld(async ({ url: second }) => {
      const keys = await Promise.all([first, second].map(async (url) => {
        const page = await windowAt(url);
        page.close();
        return page.cookie.split("=")[0];
      }));
      assert.notEqual(keys[0], keys[1]);
    })
  ));

test("HTTP answers with the file of a capture, and with no other file", () =>
  withCaptureWorld(async ({ call, root, url }) => {
    const page = await windowAt(url);
    const drawing = call("render_scene");
    await page.post((await page.next()).id, PICTURE);
    const { body } = await drawing;
    const got = await fetch(`${url}${body.url}`);
    assert.deepEqual(
      [got.status, got.headers.get("content-type"), got.headers.get("x-content-type-options")],
      [200, "image/png", "nosniff"],
    );
    assert.deepEqual(new Uint8Array(await got.arrayBuffer()), pngOf(VIEW.width, VIEW.height));
    const kept = join(root, ".captures");
    symlinkSync(join(root, "project.config.json"), join(kept, "0002-link.png"));
    writeFileSync(join(kept, "0003-text.png"), "no picture");
    writeFileSync(join(root, "0004-scene.png"), pngOf(1, 1));
    for (
      const [name, status] of [
        ["0009-scene.png", 404],
        [".gitignore", 404],
        ["..%2f0004-scene.png", 404],
        ["%2e%2e%2fproject.config.json", 404],
        ["0002-link.png", 404],
        ["0003-text.png", 404],
        ["0001-scene.png%00", 404],
      ] as const
    ) assert.equal((await fetch(`${url}/api/captures/${name}`)).status, status, name);
    page.close();
  }, noProgram));
