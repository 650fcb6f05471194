import assert from "node:assert/strict";
import { test } from "node:test";
import { framed, metresPerPixel, project, START } from "../../lib/page/viewport/orbit.ts";
import { until } from "../support/until.ts";
import { type EditorWorld, NO_CHROMIUM, withEditorPage } from "./editor-page.ts";
import { box, boxOf, dragIn, entity, frame, opening } from "./picture-page.ts";
import { colorAt } from "./pixels.ts";

const skip = NO_CHROMIUM;
/** Pixels from the middle of a gizmo to the tip of an arrow. */
const ARM = 84;

/** Two boxes, far enough from each other that one is seen alone. */
const ENTITIES = [
  entity(1, "Eye", { Transform: { z: 10 }, Camera: {} }),
  entity(2, "Light", { Light: { kind: "ambient", intensity: 3 } }),
  entity(3, "Left", box(0)),
  entity(4, "Right", box(2.5)),
];

const selection = async ({ agent }: EditorWorld): Promise<readonly number[]> =>
  (await agent("get_editor_state")).selection;

test("what an agent moves is seen to move; the page tells its own service where it is", {
  skip,
}, () =>
  withEditorPage(async ({ page, agent, url }) => {
    const asked = page.waitForRequest(/\/api\/tools\//);
    await frame(page, "Left");
    assert.equal((await (await asked).allHeaders())["referer"], `${url}/`);
    const { midX, midY } = await boxOf(page);
    const lightness = async () => (await colorAt(page, midX + 20, midY + 20))[0] ?? 0;
    await until("the box is drawn below the pixel", async () => await lightness() > 60);
    await agent("set_transform", { id: 3, position: [0, 40, 0] });
    await until("the box has left the pixel", async () => await lightness() < 60);
    await agent("undo");
    await until("the undone box is drawn again", async () => await lightness() > 60);
  }, { draws: true, prepare: opening(ENTITIES) }));

test("a click selects what is there, with a key beside what is selected, and nothing clears", {
  skip,
}, () =>
  withEditorPage(async (world) => {
    const { page } = world;
    await frame(page, "Left");
    await page.getByRole("treeitem", { name: "Eye", exact: true }).click();
    const { x, y, midX, midY, width } = await boxOf(page);
    await until("the box is drawn in the middle", async () =>
      ((await colorAt(page, midX, midY))[0] ?? 0) > 60);
    await page.mouse.click(midX, midY);
    await until("the clicked box is selected", async () =>
      String(await selection(world)) === "3");
    await page.mouse.click(x + width / 2, y + 20);
    await until("a click beside the box has cleared the selection", async () =>
      (await selection(world)).length === 0);
    await page.keyboard.down("Shift");
    await page.mouse.click(midX, midY);
    await page.keyboard.up("Shift");
    await until("a click with Shift has selected the box", async () =>
      String(await selection(world)) === "3");
  }, { draws: true, prepare: opening(ENTITIES) }));

test("a drag of the gizmo is one step of undo, by what is below the pointer; Escape gives it up", {
  skip,
}, () =>
  withEditorPage(async (world) => {
    const { page, agent } = world;
    await frame(page, "Left");
    const tip = page.locator('[data-part="move-x"] .tip');
    const middleOf = async () => {
      const box = await tip.boundingBox();
      return {
        x: (box?.x ?? NaN) + (box?.width ?? 0) / 2,
        y: (box?.y ?? NaN) + (box?.height ?? 0) / 2,
      };
    };
    const place = async () => {
      const { entities } = await agent("svc_get_scene_state", { name: "Left", full: true });
      const { x, y, z } = entities[0].traits.Transform;
      return [x ?? 0, y ?? 0, z ?? 0];
    };
    const steps = async () => (await agent("get_history")).undo.length;
    const drag = async (way: number, end: () => Promise<void>) => {
      const from = await middleOf();
      const { midX, midY } = await boxOf(page);
      const [dx, dy] = [(from.x - midX) * way, (from.y - midY) * way];
      await page.mouse.move(from.x, from.y);
      await page.mouse.down();
      await page.mouse.move(from.x + dx / 2, from.y + dy / 2);
      await page.mouse.move(from.x + dx, from.y + dy);
      await end();
      await page.mouse.up();
      return { x: from.x + dx, y: from.y + dy };
    };
    const before = await steps();
    const end = await drag(0.5, async () => {});
    await until("the dragged entity has moved along x", async () => (await place())[0] > 0);
    const [x = 0, y, z] = await place();
    assert.deepEqual([y, z], [0, 0]);
    assert.equal(await steps(), before + 1);
    // What was below the pointer is below it again.
    const screen = await boxOf(page);
    const orbit = framed(START, { min: [-0.5, -0.5, -0.5], max: [0.5, 0.5, 0.5] });
    const grabbed = ARM * metresPerPixel(screen, orbit.distance);
    const now = project(orbit, screen, [grabbed + x, 0, 0]);
    const off = Math.hypot((now?.x ?? NaN) + screen.x - end.x, (now?.y ?? NaN) + screen.y - end.y);
    assert.ok(off < 6, `${off} pixels`); // the tip was not grabbed to the pixel
    // The inspector has the numbers while it is dragged, and nothing is edited yet.
    const shown = page.getByRole("textbox", { name: "Transform x", exact: true });
    await drag(0.5, async () => {
      await until("the inspector shows the x of the drag", async () =>
        Number(await shown.inputValue()) > x + 0.1);
      assert.equal((await place())[0], x);
      await page.keyboard.press("Escape");
      await until("the inspector shows the x of before the cancelled drag", async () =>
        Math.abs(Number(await shown.inputValue()) - x) < 0.01);
    });
    assert.deepEqual([await place(), await steps()], [[x, 0, 0], before + 1]);
    // In steps of half a metre, with the key.
    await page.keyboard.down("Control");
    await drag(-0.7, async () => {});
    await page.keyboard.up("Control");
    await until("the drag in steps has moved the entity", async () =>
      (await place())[0] !== x);
    const by = (await place())[0] - x;
    assert.ok(Math.abs(by / 0.5 - Math.round(by / 0.5)) < 1e-3, String(by));
    await page.keyboard.press("Control+z");
    await page.keyboard.press("Control+z");
    await until("both drags are undone", async () =>
      (await place())[0] === 0);
  }, { prepare: opening(ENTITIES) }));

test("a UI box is moved and resized by its rectangle, each as one step of undo", { skip }, () => {
  const px = { widthUnit: "px", heightUnit: "px" };
  const fields = { position: "absolute", pinX: "left", pinY: "top", left: 200, top: 100 };
  const UIElement = { ...px, ...fields, width: 300, height: 200, background: "#ff0000" };
  const panel = entity(9, "Panel", { UIElement }, { layer: "ui" });
  return withEditorPage(async (world) => {
    const { page, agent } = world;
    await page.locator("canvas").first().waitFor();
    await page.getByRole("button", { name: "UI", exact: true }).click();
    const { x, y, width, height } = await boxOf(page);
    const scale = Math.min(width / 1280, height / 720);
    const at = (left: number, top: number) =>
      [
        x + (width - 1280 * scale) / 2 + left * scale,
        y + (height - 720 * scale) / 2 + top * scale,
      ] as const;
    await until(
      "the UI box is drawn",
      async () => ((await colorAt(page, ...at(350, 200)))[0] ?? 0) > 200,
    );
    const drag = async (from: readonly [number, number], to: readonly [number, number]) => {
      await page.mouse.move(...from);
      await page.mouse.down();
      await page.mouse.move((from[0] + to[0]) / 2, (from[1] + to[1]) / 2);
      await page.mouse.move(...to);
      await page.mouse.up();
    };
    const now = async () => {
      const { entities } = await agent("svc_get_scene_state", { name: "Panel", full: true });
      const { left, top, width, height } = entities[0].traits.UIElement;
      return [left, top, width, height].map(Math.round);
    };
    await page.mouse.click(...at(350, 200));
    await page.locator(".grip.resize-e").waitFor();
    await drag(at(350, 200), at(450, 260));
    await until(
      "the UI box has moved by 100 and 60",
      async () => String(await now()) === "300,160,300,200",
    );
    await drag(at(600, 260), at(700, 300));
    await until("the UI box is 100 wider", async () => String(await now()) === "300,160,400,200");
    assert.equal((await agent("get_history")).undoTotal, 2);
    await page.keyboard.press("ArrowDown");
    await until(
      "the UI box has moved down by one pixel",
      async () => String(await now()) === "300,161,400,200",
    );
    assert.equal((await agent("get_history")).undoTotal, 3);
  }, { prepare: opening([...ENTITIES, panel]) });
});

test("what rests below the pointer is named, as text", { skip }, () => {
  const name = `<img src=x onerror="document.title='hacked'">\u202e&amp;`;
  const hostile = { ...entity(3, name, box(0)) };
  return withEditorPage(async ({ page }) => {
    await page.locator("canvas").first().waitFor();
    await page.getByRole("treeitem").last().click();
    await page.getByRole("button", { name: "Frame the selection" }).click();
    const { midX, midY } = await boxOf(page);
    await until(
      "the entity is drawn below the pointer",
      async () => ((await colorAt(page, midX - 12, midY + 30))[0] ?? 0) > 60,
    );
    await page.mouse.move(midX - 12, midY + 30);
    await page.locator(".overlay .name").waitFor();
    assert.equal(await page.locator(".overlay .name").textContent(), name);
    assert.equal(await page.title(), "Slipway");
    assert.equal(await page.locator("img[src=x]").count(), 0);
  }, { draws: true, prepare: opening([...ENTITIES.slice(0, 2), hostile]) });
});

test("the way of a walker is seen, and its points are dragged along the ground", { skip }, () => {
  const guid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
  const point = (n: number, name: string, x: number, z: number, next: number) =>
    entity(n, name, { Transform: { x, z }, Patrol: { target: guid(next) } });
  // From 3 to 4, 5 and back to 4: a way that comes back to another point than it began at.
  const way = [
    entity(3, "Left", { ...box(0), Patrol: { target: guid(4) } }),
    point(4, "First", 3, 0, 5),
    point(5, "Second", 3, 3, 4),
  ];
  return withEditorPage(async ({ page, agent }) => {
    await frame(page, "Left");
    await page.getByRole("button", { name: "Top view" }).click();
    await page.mouse.move(...await boxOf(page).then(({ midX, midY }) => [midX, midY] as const));
    for (let n = 0; n < 3; n++) await page.mouse.wheel(0, 400);
    const grip = page.locator('[data-way="5"]');
    let before = "";
    await until("the grip of the waypoint is still", async () => {
      const at = JSON.stringify(await grip.boundingBox());
      const isStill = at === before && at !== "null";
      before = at;
      return isStill;
    });
    assert.equal(await page.locator("[data-way]").count(), 2);
    const line = await page.locator(".shape.way polyline").getAttribute("points");
    assert.equal(line?.split(" ").length, 4);
    const at = await grip.boundingBox();
    assert.ok(at);
    const [x, y] = [at.x + at.width / 2, at.y + at.height / 2];
    await dragIn(page, [x, y], [x + 30, y]);
    const place = async () => {
      const { entities } = await agent("svc_get_scene_state", { name: "Second", full: true });
      const { x, y = 0, z } = entities[0].traits.Transform;
      return [x, y, z];
    };
    await until("the dragged waypoint has moved along x", async () => (await place())[0] > 3.2);
    assert.equal((await place())[1], 0);
    assert.equal((await agent("get_history")).undoTotal, 1);
    const after = await grip.boundingBox();
    assert.ok(Math.abs((after?.x ?? NaN) - at.x - 30) < 2, "it lies below the pointer");
    await page.mouse.click(x + 30, y);
    await until(
      "the clicked waypoint is selected",
      async () => String((await agent("get_editor_state")).selection) === "5",
    );
  }, { prepare: opening([...ENTITIES.slice(0, 2), ...way]) });
});

test("the size of a collider is dragged at its face, as one step of undo", { skip }, () => {
  const Collider = { shape: "box", width: 1, height: 1, depth: 1 };
  const solid = entity(3, "Left", { ...box(0), Collider });
  return withEditorPage(async ({ page, agent }) => {
    await frame(page, "Left");
    const grip = page.locator('[data-shape="3 Collider.height"]');
    let before = "";
    await until("the grip of the collider is still, and clear of the gizmo", async () => {
      const [at, { midX, midY }] = [await grip.boundingBox(), await boxOf(page)];
      const isStill = JSON.stringify(at) === before; // what is framed comes into sight by and by
      before = JSON.stringify(at);
      const isFramed = at !== null && at.y < midY - 60; // before that the gizmo lies over it
      return isStill && isFramed && Math.abs(at.x + at.width / 2 - midX) < 3;
    });
    const at = await grip.boundingBox();
    const { midX, midY } = await boxOf(page);
    assert.ok(at);
    const [x, y] = [at.x + at.width / 2, at.y + at.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(midX, y - (midY - y) / 2);
    await page.mouse.move(midX, y - (midY - y));
    await page.mouse.up();
    const height = async () => {
      const { entities } = await agent("svc_get_scene_state", { name: "Left", full: true });
      return entities[0].traits.Collider.height;
    };
    await until(
      "the collider has the dragged height",
      async () => await height() > 1.7 && await height() < 2.3,
    );
    assert.equal((await agent("get_history")).undoTotal, 1);
  }, { prepare: opening([...ENTITIES.slice(0, 2), solid]) });
});

test(
  "a browser without WebGL says so, and the rest of the page works",
  { skip },
  () =>
    withEditorPage(async ({ page }) => {
      await page.getByRole("alert").getByText(/no WebGL/).waitFor();
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByRole("alert").getByText(/no WebGL/).waitFor();
      await page.getByRole("treeitem", { name: "Left", exact: true }).click();
      await page.getByRole("textbox", { name: "Name" }).first().waitFor();
    }, {
      prepare: opening(ENTITIES),
      switches: ["--disable-gpu", "--disable-3d-apis"],
      says: /WebGL/,
    }),
);
