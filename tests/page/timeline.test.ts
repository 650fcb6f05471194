import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { clipFrom, rulerTicks, withKeyAt } from "../../lib/page/model/clip-tracks.ts";
import { until } from "../support/until.ts";
import { assertAccessible } from "./axe.ts";
import { NO_CHROMIUM, withEditorPage } from "./editor-page.ts";

const skip = NO_CHROMIUM;
const BOB = "assets/animations/bob.anim.json";

const KEYS = {
  schema: 1,
  length: 2,
  tracks: [{
    field: "Transform.y",
    keys: [{ t: 0, value: 0, outTangent: 1 }, { t: 1, value: 5, ease: "in" }, { t: 2, value: 0 }],
  }],
};

test("clipFrom() reads animations and timelines, and nothing else", () => {
  const shown = clipFrom("animation", KEYS);
  assert.deepEqual(shown?.tracks[0]?.parts.map(({ t, text, ease }) => [t, text, ease]), [
    [0, "0", "linear"],
    [1, "5", "in"],
    [2, "0", "linear"],
  ]);
  assert.equal(shown.loop, true);
  const timeline = clipFrom("timeline", {
    length: 1,
    tracks: [{ type: "signal", items: [{ t: 0.5, signal: "go" }, 7] }, "no track"],
  });
  assert.deepEqual(timeline?.tracks.map(({ parts }) => parts.map(({ text }) => text)), [["go"]]);
  for (
    const [type, content] of [["material", KEYS], ["animation", null], ["timeline", {}]] as const
  ) {
    assert.equal(clipFrom(type, content), null);
  }
});

for (
  const [name, to, want] of [
    ["between others", { index: 0, t: 1.5 }, [1, 1.5, 2]],
    ["onto another, which makes room", { index: 0, t: 2 }, [1, 2]],
    ["nowhere where there is none", { index: 9, t: 1 }, null],
  ] as const
) {
  test(`withKeyAt() moves a key ${name}`, () => {
    const tracks = withKeyAt(KEYS, { track: 0, ...to });
    // deno-lint-ignore no-explicit-any
    const times = tracks === null ? null : (tracks as any)[0].keys.map((key: any) => key.t);
    assert.deepEqual(times, want);
  });
}

test("withKeyAt() keeps all else of a key", () => {
  // deno-lint-ignore no-explicit-any
  const [track] = withKeyAt(KEYS, { track: 0, index: 0, t: 0.25 }) as any;
  assert.deepEqual(track.keys[0], { t: 0.25, value: 0, outTangent: 1 });
});

for (
  const [length, room, want] of [
    [2, 10, [0, 0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.6, 1.8, 2]],
    [4, 8, [0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4]],
    [36_000, 4, [0, 10_000, 20_000, 30_000]],
    [0.001, 1, [0, 0.001]],
  ] as const
) {
  test(`rulerTicks() of ${length} s with room for ${room}`, () =>
    assert.deepEqual(rulerTicks(length, room), want));
}

async function showRunner(page: Page): Promise<void> {
  await page.getByRole("tab", { name: "Timeline" }).click();
  await page.getByLabel(/Search entities/).fill("Runner");
  await page.getByRole("treeitem", { name: "Runner", exact: true }).click();
  await page.getByRole("slider", { name: "Playhead" }).waitFor();
}

test("the playhead shows a moment, keys are dragged, set and removed, each one step of undo", {
  skip,
}, () =>
  withEditorPage(async ({ page, agent }) => {
    const keys = async (): Promise<readonly number[]> => {
      const { content } = await agent("get_asset", { asset: BOB, content: true });
      return content.tracks[0].keys.map(({ t }: { readonly t: number }) => t);
    };
    const steps = async () => (await agent("get_history")).undo.length;
    await showRunner(page);
    const asked = page.waitForRequest((request) =>
      request.url().includes("/api/whole/pose") && request.url().includes("time=1")
    );
    const playhead = page.getByRole("slider", { name: "Playhead" });
    await playhead.focus();
    for (let n = 0; n < 2; n++) await page.keyboard.press("Shift+ArrowRight");
    assert.equal(await playhead.getAttribute("aria-valuenow"), "1");
    await asked; // the picture asks for what it shows
    await assertAccessible(page, ".bottom");
    const key = page.getByRole("button", { name: /^key 0\.15 at/ });
    const box = await key.boundingBox();
    const lane = await page.locator(".ruler .lane").boundingBox();
    assert.ok(box && lane);
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + lane.width / 16, y, { steps: 4 });
    await page.mouse.move(x + lane.width / 8, y, { steps: 4 });
    assert.deepEqual(await keys(), [0, 0.5, 1, 1.5, 2]); // not before it is let go
    await page.mouse.up();
    await until("the dragged key is at 0.75 s", async () =>
      Math.abs(((await keys())[1] ?? 0) - 0.75) < 0.02);
    await until("the undo steps are 1", async () =>
      (await steps()) === 1);
    await agent("undo");
    await until("the undone key is at 0.5 s", async () => (await keys())[1] === 0.5);
    await page.getByRole("button", { name: "key 0.15 at 0.5 s" }).focus();
    await page.keyboard.press("Delete");
    await until("the deleted key is gone", async () => (await keys()).length === 4);
    await playhead.focus();
    await page.keyboard.press("Home");
    for (let n = 0; n < 5; n++) await page.keyboard.press("ArrowRight");
    await page.getByRole("button", { name: "Set a key of Transform.y at the playhead" }).click();
    await until("a key is at the playhead", async () => (await keys()).includes(0.25));
    await page.getByRole("button", { name: "Key", exact: true }).click();
    await page.getByRole("combobox", { name: "Which field to set a key of" }).fill("Transform.rz");
    await page.keyboard.press("Enter");
    await until("the timeline has a second track", async () =>
      (await agent("get_timeline", { asset: BOB })).tracks.length === 2);
  }));

test(
  "items of a timeline are shown, moved and added; a clip is played in the game",
  { skip },
  () =>
    withEditorPage(async ({ page, agent }) => {
      const hostile = `<img src=x onerror=alert(1)>${"s".repeat(150)}`;
      const asset = "assets/timelines/intro.timeline.json";
      await agent("create_asset", {
        path: asset,
        content: {
          schema: 1,
          length: 4,
          tracks: [
            { type: "animation", items: [{ t: 0.5, duration: 1.5, clip: BOB }] },
            { type: "signal", items: [{ t: 3, signal: hostile }] },
          ],
        },
      });
      await agent("set_selection", { asset });
      await page.getByRole("tab", { name: "Timeline" }).click();
      const item = page.getByRole("button", { name: "animation bob at 0.5 s" });
      await item.focus();
      await page.keyboard.press("Shift+ArrowRight");
      await until("the moved item is at 1 s", async () =>
        (await agent("get_timeline", { asset, track: 0 })).items[0].t === 1);
      await page.getByRole("button", { name: "Item", exact: true }).click();
      await page.getByRole("combobox", { name: "Which item to add" }).fill("coin");
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: /^audio coin at 0 s/ }).waitFor();
      await assertAccessible(page, ".bottom");
      assert.equal(await page.locator("img[src=x]").count(), 0);
      await showRunner(page);
      await page.getByRole("button", { name: "Play in game" }).click();
      await until("the game plays", async () =>
        (await agent("get_editor_state")).play === "playing");
    }),
);
