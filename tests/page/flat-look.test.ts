import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fitting, shifted, showing, zoomed } from "../../lib/page/viewport/flat-look.ts";
import { runSeed } from "../support/random.ts";
import { until } from "../support/until.ts";
import { NO_CHROMIUM, withEditorPage } from "./editor-page.ts";
import { boxOf, dragIn, entity, opening } from "./picture-page.ts";
import { colorAt } from "./pixels.ts";

const skip = NO_CHROMIUM;
const BOX = { width: 700, height: 500 };
const MADE = { width: 1280, height: 720 };
const near = (a: number, b: number) => Math.abs(a - b) < 1e-6;

test("what fits is whole and in the middle; what is shown is in sight, and no dot fills it", () => {
  const { x, y, scale } = fitting(BOX, MADE);
  assert.deepEqual([x, y], [640, 360]);
  assert.ok(near(scale, 700 / 1280));
  const tall = showing({ min: [10, 0, 0], max: [20, 1_000, 0] }, BOX);
  assert.deepEqual([tall.x, tall.y], [15, 500]);
  assert.ok(tall.scale * 1_000 < 500 && tall.scale * 1_000 > 300);
  assert.equal(showing({ min: [5, 5, 0], max: [5, 5, 0] }, BOX).scale, 4);
});

test("what is below the pointer stays there however it is zoomed; a drag never loses the screen", () => {
  const pixel = fc.double({ min: 0, max: 500, noNaN: true });
  const factor = fc.double({ min: 1e-6, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(fc.record({ x: pixel, y: pixel }), factor, pixel, (at, by, drag) => {
      const look = { x: 300, y: 200, scale: 0.7 };
      const below = ({ x, y, scale }: typeof look) => [
        x + (at.x - 350) / scale,
        y + (at.y - 250) / scale,
      ];
      const after = zoomed(look, BOX, at, by);
      for (const [n, was] of below(look).entries()) assert.ok(near(below(after)[n] ?? NaN, was));
      assert.ok(after.scale >= 0.02 && after.scale <= 32);
      const moved = shifted(look, MADE, drag, -drag * 1e4);
      assert.ok(near(moved.x, Math.max(-640, 300 - drag / 0.7)));
      assert.ok(moved.y <= 1_080);
    }),
    { seed: runSeed() },
  );
});

const px = { widthUnit: "px", heightUnit: "px", position: "absolute", pinX: "left", pinY: "top" };
const panel = (n: number, name: string, left: number, background: string) => {
  const UIElement = { ...px, left, top: 100, width: 100, height: 60, background };
  return entity(n, name, { UIElement }, { layer: "ui" });
};
const PANELS = [panel(1, "Red", 200, "#ff0000"), panel(2, "Blue", 900, "#0000ff")];

test("2D and UI are zoomed at the pointer and moved; handles, picking and marks follow", {
  skip,
}, () =>
  withEditorPage(async ({ page, agent }) => {
    await page.locator("canvas").first().waitFor();
    await page.getByRole("button", { name: "UI", exact: true }).click();
    const { x, y, width, height } = await boxOf(page);
    const fit = Math.min(width / 1280, height / 720);
    const edge = () => page.locator(".screen-edge").boundingBox();
    const at = async (left: number, top: number): Promise<[number, number]> => {
      const box = await edge();
      assert.ok(box);
      const scale = (box.width - 1) / 1280; // the line has a width
      return [box.x + 0.5 + left * scale, box.y + 0.5 + top * scale];
    };
    const red = async () => {
      const [r = 0, , b = 0] = await colorAt(page, ...await at(250, 130));
      return r > 200 && b < 60;
    };
    const percent = page.getByRole("button", { name: /^Shown at/ });
    const isSeenAt = (expected: number, across = 1280) =>
      until(`the button and the screen have the zoom ${expected}`, async () => {
        const shown = ((await edge())?.width ?? 0) / across;
        const reported = Number.parseInt(await percent.innerText()) / 100;
        return Math.abs(reported - expected) < 0.02 && Math.abs(shown - expected) < 0.02;
      });
    await isSeenAt(fit);
    await until("the red panel is drawn", red);

    // What is below the pointer stays there, and is drawn there.
    const held = await at(250, 130);
    await page.mouse.move(...held);
    await page.mouse.wheel(0, -700);
    await isSeenAt(fit * Math.exp(700 * 0.0015));
    const now = await at(250, 130);
    assert.ok(Math.hypot(now[0] - held[0], now[1] - held[1]) < 2, `${held} ${now}`);
    await until("the red panel is drawn after the zoom", red);

    // It is picked and dragged there, by the pixels of the game.
    await page.mouse.click(...held);
    await page.locator(".grip.resize-e").waitFor();
    const values = async () => {
      const { entities } = await agent("svc_get_scene_state", { name: "Red", full: true });
      const { left, top, width } = entities[0].traits.UIElement;
      return [left, top, width].map(Math.round).join();
    };
    await dragIn(page, await at(250, 130), await at(270, 130));
    await until("the panel has moved by 20 pixels", async () => await values() === "220,100,100");
    await dragIn(page, await at(320, 130), await at(350, 130));
    await until("the panel is 30 pixels wider", async () => await values() === "220,100,130");
    assert.equal((await agent("get_history")).undoTotal, 2);

    // The middle button, shift and space move the picture, and nothing of the scene.
    const before = await at(0, 0);
    const moved = async (dx: number, dy: number) => {
      const [left, top] = await at(0, 0);
      return Math.hypot(left - before[0] - dx, top - before[1] - dy) < 2;
    };
    const start = await at(280, 130);
    const by = (dx: number, dy: number): [number, number] => [start[0] + dx, start[1] + dy];
    await dragIn(page, start, by(30, 20), "middle");
    await until("the middle button has panned the view", () => moved(30, 20));
    await page.keyboard.down("Shift");
    await dragIn(page, by(30, 20), by(10, 50));
    await page.keyboard.up("Shift");
    await until("Shift has panned the view", () => moved(10, 50));
    await page.keyboard.down("Space");
    await dragIn(page, by(10, 50), by(-20, 60));
    await page.keyboard.up("Space");
    await until("Space has panned the view", () => moved(-20, 60));
    assert.equal((await agent("get_history")).undoTotal, 2);
    assert.equal(await page.locator(".marquee").count(), 0);

    // Keys and the bar: what is selected, the size that it has, all of it.
    await page.keyboard.press("f");
    await isSeenAt(Math.min(4, 0.8 * Math.min(width / 130, height / 60)));
    const framed = await at(285, 130);
    const off = Math.hypot(framed[0] - x - width / 2, framed[1] - y - height / 2);
    assert.ok(off < 3, `${off} pixels`);
    await page.keyboard.press("1");
    await isSeenAt(1);
    await page.keyboard.press("0");
    await isSeenAt(fit);
    await percent.click();
    await isSeenAt(1);
    await page.getByRole("button", { name: "Fit" }).click();
    await isSeenAt(fit);

    // A rectangle selects what is in it, as it is seen; another screen is seen from its beginning.
    await page.mouse.move(...await at(950, 130));
    await page.mouse.wheel(0, -500);
    await isSeenAt(fit * Math.exp(500 * 0.0015));
    await dragIn(page, await at(880, 80), await at(1_020, 180));
    await until("the panel in the rectangle is selected", async () =>
      String((await agent("get_editor_state")).selection) === "2");
    await agent("set_view", { width: 640, height: 360 });
    await isSeenAt(Math.min(width / 640, height / 360), 640);
  }, { prepare: opening(PANELS) }));

test(
  "two fingers zoom and move the flat layers",
  { skip },
  () =>
    withEditorPage(async ({ page }) => {
      await page.locator("canvas").first().waitFor();
      await page.getByRole("button", { name: "UI", exact: true }).click();
      const edge = async () => (await page.locator(".screen-edge").boundingBox())?.width ?? 0;
      await until("the edge of the screen is laid out", async () => await edge() > 0);
      const before = await edge();
      const { midX, midY } = await boxOf(page);
      const client = await page.context().newCDPSession(page);
      const touch = (type: "touchStart" | "touchMove" | "touchEnd", apart: number) =>
        client.send("Input.dispatchTouchEvent", {
          type,
          touchPoints: apart === 0
            ? []
            : [{ x: midX - apart / 2, y: midY, id: 0 }, { x: midX + apart / 2, y: midY, id: 1 }],
        });
      await touch("touchStart", 100);
      await touch("touchMove", 150);
      await touch("touchMove", 200);
      await touch("touchEnd", 0);
      await until("the pinch has doubled the zoom", async () =>
        Math.abs(await edge() / before - 2) < 0.05);
    }, { prepare: opening(PANELS), hasTouch: true }),
);
