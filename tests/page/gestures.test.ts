import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import type { EmbeddedEditor } from "../../lib/editor/mod.ts";
import { framed, project, START } from "../../lib/page/viewport/orbit.ts";
import { until } from "../support/until.ts";
import { type EditorWorld, NO_CHROMIUM, withEditorPage } from "./editor-page.ts";
import { box, boxOf, dragIn as drag, entity, frame, opening } from "./picture-page.ts";

// Gestures in the picture: dragging each gizmo, selection boxes, touch.

const skip = NO_CHROMIUM;
const Collider = { shape: "box", width: 1, height: 1, depth: 1 };
const ENTITIES = [
  entity(1, "Eye", { Transform: { z: 10 }, Camera: {} }),
  entity(2, "Light", { Light: { kind: "ambient", intensity: 3 } }),
  entity(3, "Left", { ...box(0), Collider }),
  entity(4, "Right", box(1.2)),
  entity(5, "Far", box(12)),
  entity(6, "Lamp", { Transform: { x: -40 }, Light: { kind: "point", range: 8 } }),
];

type At = readonly [number, number];

/** The place on the page of what matches a selector, once it does not move. */
async function placeOf(page: Page, selector: string): Promise<At> {
  let [at, before]: (At | null)[] = [null, null];
  await until(`${selector} is still`, async () => {
    const box = await page.locator(selector).first().boundingBox();
    before = at;
    at = box && [box.x + box.width / 2, box.y + box.height / 2];
    return at !== null && String(at) === String(before);
  });
  assert.ok(at);
  return at;
}

/** Two points of a ring, an eighth of a turn apart; nothing covers the first. */
async function onRing(page: Page, kind: string): Promise<readonly [At, At]> {
  // As text: these tests' types do not include those of a page.
  const [from, to] = await page.evaluate<(readonly [number, number])[]>(`(() => {
    const { left, top } = document.querySelector(".viewport").getBoundingClientRect();
    const line = document.querySelector('[data-part="${kind}"] .line');
    const points = [...line.points].map(({ x, y }) => [x + left, y + top]);
    const isFree = ([x, y]) =>
      document.elementFromPoint(x, y)?.closest("[data-part]")?.dataset.part === "${kind}";
    const first = points.findIndex(isFree);
    return [points[first], points[(first + 6) % 48]];
  })()`);
  assert.ok(from && to);
  return [from, to];
}

/** The fields of a trait of an entity. */
async function fieldsOf({ agent }: EditorWorld, name: string, trait: string) {
  const { entities } = await agent("svc_get_scene_state", { name, full: true });
  return entities[0].traits[trait];
}

test(
  "things are turned, scaled, boxed and moved together by drags, each one step of undo",
  { skip },
  () =>
    withEditorPage(async (world) => {
      const { page, agent } = world;
      const steps = async () => (await agent("get_history")).undoTotal;
      const transform = async (name: string) => {
        const { x = 0, y = 0, z = 0, rx = 0, ry = 0, rz = 0, sx = 1, sy = 1, sz = 1 } =
          await fieldsOf(world, name, "Transform");
        return { at: [x, y, z], turn: [rx, ry, rz], scale: [sx, sy, sz] };
      };
      const start = await transform("Left");
      const undone = async () => {
        assert.equal(await steps(), 1);
        // The page learns of it a little later than other clients.
        const button = page.getByRole("button", { name: /^Undo/ });
        await button.and(page.locator(":enabled")).waitFor();
        await page.keyboard.press("Control+z");
        await button.and(page.locator(":disabled")).waitFor();
        assert.deepEqual(await transform("Left"), start);
      };
      await frame(page, "Lamp");
      const { x: minX, y: minY, width, height } = await boxOf(page);
      const reach = '[data-shape="6 Light.range"]';
      await until("the whole range of the lamp is in sight", async () => { // all of what it reaches comes into sight
        const [x, y] = await placeOf(page, reach);
        return x > minX && x < minX + width && y > minY && y < minY + height;
      });
      const [reachX, reachY] = await placeOf(page, reach);
      await drag(page, [reachX, reachY], [reachX + 15, reachY + 5]);
      await until("the drag of the range is one step", async () => await steps() === 1);
      assert.ok((await fieldsOf(world, "Lamp", "Light")).range > 8);
      await undone();
      assert.equal((await fieldsOf(world, "Lamp", "Light")).range, 8);

      await frame(page, "Left");
      await page.getByRole("main", { name: "Scene" }).focus();

      await page.keyboard.press("e");
      await placeOf(page, '[data-part="rotate-y"]');
      await drag(page, ...await onRing(page, "rotate-y"));
      await until("the rotation is one step", async () => await steps() === 1);
      const { turn } = await transform("Left");
      assert.ok(Math.abs(Math.abs(turn[1]) - 45) < 2 && turn[0] === 0 && turn[2] === 0, `${turn}`);
      await undone();

      await page.keyboard.press("r");
      const [tipX, tipY] = await placeOf(page, '[data-part="scale-x"] .tip');
      const [x, y] = await placeOf(page, '[data-part="scale-all"]');
      await drag(page, [tipX, tipY], [tipX + (tipX - x) / 2, tipY + (tipY - y) / 2]);
      await until("the scaling along x is one step", async () => await steps() === 1);
      const { scale: [sx, ...others] } = await transform("Left");
      assert.ok(Math.abs(sx - 1.5) < 0.1, `${sx}`);
      assert.deepEqual(others, [1, 1]);
      await undone();
      await drag(page, [x, y], [x + 42, y]); // half of an arm
      await until("the uniform scaling is one step", async () => await steps() === 1);
      assert.deepEqual((await transform("Left")).scale, [1.5, 1.5, 1.5]);
      await undone();

      // From farther away, the faces of the collider are nearer than the tips of the arrows.
      await page.keyboard.press("w");
      await page.mouse.move(x, y);
      for (let n = 0; n < 3; n++) await page.mouse.wheel(0, 400);
      const face = '[data-shape="3 Collider.height"]';
      await until("the face of the collider is clear of the arrow", async () => {
        const [, at] = await placeOf(page, face);
        const [, arrow] = await placeOf(page, '[data-part="move-y"] .tip');
        return at > arrow + 20;
      });
      const [gripX, gripY] = await placeOf(page, face);
      await drag(page, [gripX, gripY], [gripX, gripY - 15]);
      await until("the drag of the face is one step", async () => await steps() === 1);
      assert.ok((await fieldsOf(world, "Left", "Collider")).height > 1.1);
      await undone();

      // A box around the two, without what is far away.
      await frame(page, "Left");
      const screen = await boxOf(page);
      const orbit = framed(START, { min: [-0.5, -0.5, -0.5], max: [0.5, 0.5, 0.5] });
      await placeOf(page, '[data-part="move-y"] .tip');
      const [left, right] = [0, 1.2].map((at) => {
        const pixel = project(orbit, screen, [at, 0, 0]);
        assert.ok(pixel);
        return [pixel.x + screen.x, pixel.y + screen.y] as const;
      });
      assert.ok(left && right);
      await page.keyboard.down("Control");
      await drag(
        page,
        [Math.min(left[0], right[0]) - 30, Math.min(left[1], right[1]) - 60],
        [Math.max(left[0], right[0]) + 30, Math.max(left[1], right[1]) + 30],
      );
      await page.keyboard.up("Control");
      await until("both boxes are selected", async () =>
        String((await agent("get_editor_state")).selection.toSorted()) === "3,4");
      const before = await transform("Right");
      const [armX, armY] = await placeOf(page, '[data-part="move-y"] .tip');
      await drag(page, [armX, armY], [armX, armY - 40]);
      await until("the drag of both is one step", async () =>
        await steps() === 1);
      const [one, two] = [await transform("Left"), await transform("Right")];
      assert.ok((one.at[1] ?? 0) > 0.1);
      assert.deepEqual([two.at, one.at[0]], [[1.2, one.at[1], 0], 0]);
      await undone();
      assert.deepEqual(await transform("Right"), before);
    }, { prepare: opening(ENTITIES) }),
);

/** Fingers on the page, by their ids. */
async function fingersOn(page: Page) {
  const session = await page.context().newCDPSession(page);
  return async (type: "touchStart" | "touchMove" | "touchEnd", ...points: readonly At[]) => {
    const touchPoints = points.map(([x, y], id) => ({ x, y, id }));
    await session.send("Input.dispatchTouchEvent", { type, touchPoints });
  };
}

test(
  "a finger draws a box around what it selects, and taps add to that; so do keys",
  { skip },
  () =>
    withEditorPage(async ({ page, agent }) => {
      const touch = await fingersOn(page);
      const selection = async () => String((await agent("get_editor_state")).selection.toSorted());
      await frame(page, "Left");
      await page.keyboard.press("Escape");
      const { midX, midY, width, height } = await boxOf(page);
      const [from, to]: readonly At[] = [
        [midX - width * 0.4, midY - height * 0.3],
        [midX + width * 0.4, midY + height * 0.4],
      ];
      assert.ok(from && to);
      const draw = async () => {
        await touch("touchStart", from);
        await touch("touchMove", [midX, midY + 40]);
        await touch("touchMove", to);
        await touch("touchEnd");
      };
      const button = page.getByRole("button", { name: /^Multi-select/ });
      assert.equal(await button.getAttribute("aria-pressed"), "false");
      await agent("set_selection", { ids: [] });
      await until("no outline is drawn", async () => await page.locator(".outline").count() === 0);
      await button.tap();
      await draw();
      await until("both boxes are selected", async () => await selection() === "3,4");

      // A tap removes one, or adds it; a tap on an empty place changes nothing.
      const onRight: At = [midX + width * 0.4, midY + height * 0.1]; // next to the gizmo
      for (const [tapped, left] of [[onRight, "3"], [from, "3"], [onRight, "3,4"]] as const) {
        await touch("touchStart", tapped);
        await touch("touchEnd");
        await until(`the selection is ${left}`, async () => await selection() === left);
      }

      // Keys do the same, and leave the mode.
      const scene = page.getByRole("main", { name: "Scene" });
      await scene.focus();
      await page.keyboard.press("Escape");
      assert.equal(await button.getAttribute("aria-pressed"), "false");
      await page.keyboard.press("b");
      assert.equal(await button.getAttribute("aria-pressed"), "true");
      await agent("set_selection", { ids: [] });
      await until("no outline is drawn", async () => await page.locator(".outline").count() === 0);
      await drag(page, from, to);
      await until("both boxes are selected by the mouse", async () => await selection() === "3,4");
    }, { prepare: opening(ENTITIES), hasTouch: true }),
);

test("two fingers come nearer and move along, and play the game at once; Play gives it the keys", {
  skip,
}, () =>
  withEditorPage(async ({ page, agent, service }) => {
    const touch = await fingersOn(page);
    await frame(page, "Far");
    const outline = page.locator(".outline.first");
    const seen = async () => {
      await placeOf(page, ".outline.first");
      const at = await outline.boundingBox();
      assert.ok(at);
      return { x: at.x + at.width / 2, y: at.y + at.height / 2, width: at.width };
    };
    const { midX: x, midY: y } = await boxOf(page);
    let before = await seen();
    await until("the framed entity is still, in the middle", async () => { // it comes into the middle by and by
      const { width } = before;
      before = await seen();
      return Math.hypot(before.x - x, before.y - y) < 40 && before.width === width;
    });
    await touch("touchStart", [x - 100, y], [x + 100, y]);
    for (const apart of [90, 80, 70, 60, 50]) {
      await touch("touchMove", [x - apart, y], [x + apart, y]);
    }
    await touch("touchEnd");
    const farther = await seen();
    assert.ok(
      Math.abs(farther.width / before.width - 0.5) < 0.1,
      `${farther.width / before.width}`,
    );
    await touch("touchStart", [x - 50, y], [x + 50, y]);
    for (const by of [10, 20, 30, 40]) {
      await touch("touchMove", [x - 50 + by, y + by], [x + 50 + by, y + by]);
    }
    await touch("touchEnd");
    const moved = await seen();
    assert.ok(Math.hypot(moved.x - farther.x - 40, moved.y - farther.y - 40) < 6);
    assert.equal((await agent("get_history")).undoTotal, 0);

    await page.getByRole("button", { name: "Play", exact: true }).click();
    await until("the scene has the focus", () =>
      page.evaluate("document.activeElement === document.querySelector('main')"));
    const editor = service.services.editor as EmbeddedEditor;
    const readReport = () => {
      const round = editor.play.round();
      return round.ok
        ? round.value.events.map(([, event]) => event)
        : [];
    };
    await page.getByRole("button", { name: "Pause", exact: true }).waitFor();
    await page.keyboard.press("ArrowUp");
    await until("the round has recorded the key", () =>
      readReport().some(({ kind }) => kind === "key"));
    // Wherever the fingers are: the game gets both, and the end of each.
    await touch("touchStart", [x - 40, y]);
    await touch("touchStart", [x - 40, y], [x + 40, y]);
    await touch("touchMove", [x - 40, y - 20], [x + 40, y]);
    await touch("touchEnd", [x - 40, y - 20]); // this one alone
    await touch("touchEnd");
    const pointed = () =>
      readReport().flatMap((event) =>
        event.kind === "pointer" ? [`${event.id} ${event.phase}`] : []
      );
    await until("the round has recorded both fingers", () =>
      pointed().filter((one) => one.endsWith("up")).length === 2);
    assert.deepEqual(
      pointed().filter((one) =>
        !one.endsWith("move")
      ),
      ["0 down", "1 down", "0 up", "1 up"],
    );
    assert.ok(pointed().includes("0 move"));
    await page.getByRole("combobox", { name: "Speed of the game" }).selectOption("0.5");
    await until("the game runs at half speed", () => editor.play.state().timeScale === 0.5);
  }, { prepare: opening(ENTITIES), hasTouch: true, viewport: { width: 1024, height: 768 } }));

test("a game is played, paused and stopped as fast as hands go: each in its turn, none refused", {
  skip,
}, () =>
  withEditorPage(async ({ page, agent }) => {
    await page.locator("canvas").first().waitFor();
    const stopped = async () => (await agent("play_control")).state === "stopped";
    for (let n = 0; n < 3; n++) {
      for (let press = 0; press < 5; press++) await page.keyboard.press("Control+p");
      await page.getByRole("button", { name: "Stop" }).click();
      await page.keyboard.press("Control+p");
      await page.getByRole("button", { name: "Pause", exact: true }).waitFor();
      await page.getByRole("button", { name: "Stop" }).click();
      await until("the game has stopped", stopped);
      await page.getByRole("button", { name: "Play", exact: true }).waitFor();
    }
    assert.equal((await agent("get_history")).undoTotal, 0);
  }, { prepare: opening(ENTITIES) }));

test(
  "Stop also stops a game that was only just requested",
  { skip },
  () =>
    withEditorPage(async ({ page, agent }) => {
      await page.locator("canvas").first().waitFor();
      const button = (name: string) => page.getByRole("button", { name, exact: true });
      await page.keyboard.press("Control+p");
      await button("Pause").waitFor();
      // The answer to Stop is held back until the stream has reported what it did.
      let answer = () => {};
      const isAnswered = new Promise<void>((resolve) => answer = resolve);
      await page.route("**/api/tools/play_control", async (route) => {
        const response = await route.fetch();
        await isAnswered;
        await route.fulfill({ response });
      }, { times: 1 });
      await button("Stop").click();
      await button("Play").waitFor();
      await page.keyboard.press("Control+p");
      const place = await button("Stop").boundingBox();
      assert.ok(place);
      await page.mouse.click(place.x + place.width / 2, place.y + place.height / 2);
      answer();
      const ofGame = async () => {
        const { events } = await agent("editor_journal");
        return events.map(({ type }: { type: string }) => type).filter((type: string) =>
          /^(play|pause|stop)$/.test(type)
        );
      };
      await until(
        "the second game was stopped too",
        async () => String(await ofGame()) === "play,stop,play,stop",
      );
      assert.equal((await agent("play_control")).state, "stopped");
      await button("Stop").and(page.locator(":disabled")).waitFor();
    }, { prepare: opening(ENTITIES) }),
);
