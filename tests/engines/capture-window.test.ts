import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import assert from "node:assert/strict";
import { pngSize } from "../../lib/core/png.ts";
import { noProgram } from "../captures/fake-page.ts";
import { VIEW, withCaptureWorld } from "../captures/capture-world.ts";
import { openChromium, openWebKit, type WebView } from "./web-views.ts";

// Captures in a window that somebody has opened, on a machine where no other browser is found.

const WINDOWS: readonly [string, WebView][] = [
  ["Chromium", openChromium({ webgl: true })],
  ["WebKit", openWebKit()],
];

/** Ends when the page says that it draws. */
const UNTIL_IT_DRAWS = `
  const told = arguments[arguments.length - 1];
  const look = () => /while this window is open/.test(document.body.textContent ?? "");
  if (look()) return told(document.body.textContent);
  const seen = new MutationObserver(() => look() && told(document.body.textContent));
  seen.observe(document.body, { childList: true, characterData: true, subtree: true });
`;

/** What it draws is never told. */
const NEVER_ANSWERS = `
  const real = fetch;
  window.fetch = (url, options) =>
    String(url).includes("/answers/") ? new Promise(() => {}) : real(url, options);
  arguments[0]();
`;

for (const [name, { skip, open }] of WINDOWS) {
  test(`a window of ${name} draws captures while it is open, also after it is loaded again`, {
    skip,
  }, () =>
    withCaptureWorld(async ({ call, root }) => {
      const refused = await call("capture_viewport");
      assert.deepEqual([refused.status, refused.body.code], [503, "no-browser"]);
      const [address = ""] = /http:\S+/.exec(refused.body.hint) ?? [];
      await open(async (page) => {
        await page.navigate(address);
        await page.executeAsync(UNTIL_IT_DRAWS, []);
        const first = await call("capture_viewport");
        assert.equal(first.status, 200, JSON.stringify(first.body));
        assert.deepEqual(pngSize(readFileSync(join(root, first.body.path))), VIEW);
        await page.navigate(address.replace(/#.*/, "")); // its key is the browser's
        await page.executeAsync(UNTIL_IT_DRAWS, []);
        const second = await call("capture_viewport");
        const paths = { before: first.body.path, after: second.body.path };
        const { body } = await call("compare_captures", paths);
        assert.equal(body.same, true, JSON.stringify(body));
      });
      const closed = await call("capture_viewport");
      assert.deepEqual([closed.status, closed.body.code], [503, "no-browser"]);
      assert.match(closed.body.hint, /SVC_CHROMIUM/);
    }, noProgram));
}

const { skip, open } = openChromium({ webgl: true, draws: false });

test(
  "a window that is closed before it answers leaves a refusal",
  { skip },
  () =>
    withCaptureWorld(async ({ call }) => {
      const refused = await call("capture_viewport");
      const [address = ""] = /http:\S+/.exec(refused.body.hint) ?? [];
      const drawing = await open(async (page) => {
        await page.navigate(address);
        await page.executeAsync(UNTIL_IT_DRAWS, []);
        await page.executeAsync(NEVER_ANSWERS, []);
        return { ended: call("capture_viewport") };
      });
      const { status, body } = await drawing.ended;
      assert.deepEqual([status, body.code], [503, "no-browser"]);
    }, noProgram),
);
