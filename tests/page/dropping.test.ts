import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { fromViewport, layoutView, toViewport } from "../../lib/game/layout/mod.ts";
import { IDENTITY } from "../../lib/game/geometry/mod.ts";
import { until } from "../support/until.ts";
import { type EditorWorld, NO_CHROMIUM, withEditorPage } from "./editor-page.ts";
import { box, boxOf, entity, opening } from "./picture-page.ts";

const skip = NO_CHROMIUM;
const ENTITIES = [
  entity(1, "Light", { Light: { kind: "ambient", intensity: 3 } }),
  entity(2, "Tower", {
    Transform: { y: 5, sx: 4, sy: 10, sz: 4 },
    Renderable3D: { mesh: "box" },
  }),
  entity(3, "Beside", box(20)),
  entity(4, "Eye", { Transform: { x: 300, y: 50, rz: 30 }, Camera: { zoom: 2 } }, { layer: "2d" }),
];

test("a pixel of the viewport is one of the 2D world, whatever its camera does", () => {
  const fields = { zoom: 2.5 };
  const [cosine, sine] = [0.8, 0.6];
  const rotation = [cosine, -sine, 0, sine, cosine, 0, 0, 0, 1] as const;
  const affine = { linear: IDENTITY, offset: [30, -40, 0] } as const;
  const seen = layoutView({ width: 800, height: 600 }, {
    fields,
    at: { affine, rotation, placed: true },
  });
  const [x, y] = toViewport(12, 34, seen);
  const [left, top] = fromViewport(x, y, seen);
  assert.ok(Math.abs(left - 12) < 1e-9 && Math.abs(top - 34) < 1e-9, `${left} ${top}`);
});

/** Drops an asset of the sample at a point of an element, as a drag from the browser of assets does. */
async function drop(
  { page, agent }: EditorWorld,
  [name, type]: readonly [name: string, type: string],
  on: ReturnType<Page["getByRole"]>,
  at: { readonly x: number; readonly y: number },
): Promise<void> {
  const { assets } = await agent("list_assets", { name, type });
  const [{ guid }] = assets;
  assert.equal(assets.length, 1);
  // As text: what a page has is not known to these tests' types.
  const dataTransfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    transfer.setData("text/plain", "${guid}");
    return transfer;
  })()`);
  const about = { dataTransfer, clientX: at.x, clientY: at.y };
  await on.dispatchEvent("dragover", about);
  await on.dispatchEvent("drop", about);
}

/** The selected entity with its traits, once another one than before is. */
async function selectedAfter({ agent }: EditorWorld, before: number) {
  let [id = 0] = [before];
  await until("another entity is selected", async () => {
    [id = before] = (await agent("get_editor_state")).selection;
    return id !== before;
  });
  const { entities } = await agent("svc_get_scene_state", { id, full: true });
  return entities[0];
}

test(
  "an asset that is dropped lies where it is pointed at: on what is drawn, on the ground, on a screen",
  { skip },
  () =>
    withEditorPage(async (world) => {
      const { page, agent } = world;
      await page.locator("canvas").first().waitFor();
      await page.getByRole("treeitem", { name: "Tower", exact: true }).click();
      await page.getByRole("button", { name: "Frame the selection" }).click();
      const scene = page.getByRole("main", { name: "Scene" });
      const { x, y, width, height, midX, midY } = await boxOf(page);

      // A model on the side of the tower, which is 4 m wide and 10 m high.
      await drop(world, ["buoy", "model"], scene, { x: midX, y: midY });
      const buoy = await selectedAfter(world, 2);
      assert.equal(buoy.name, "buoy");
      const at = buoy.traits.Transform;
      const onSide = Math.abs(Math.abs(at.x) - 2) < 0.01 || Math.abs(Math.abs(at.z) - 2) < 0.01;
      assert.ok(onSide && at.y > 0 && at.y < 10, JSON.stringify(at));
      assert.equal((await agent("get_history")).undoTotal, 1);

      // A prefab beside it lies on the ground.
      await drop(world, ["coin", "prefab"], scene, { x: x + width * 0.12, y: y + height * 0.7 });
      const coin = await selectedAfter(world, buoy.id);
      const { x: left, y: up = 0, z: deep } = coin.traits.Transform;
      assert.ok(up === 0 && Math.hypot(left, deep) > 3, JSON.stringify(coin.traits.Transform));
      assert.equal((await agent("get_history")).undoTotal, 2);

      // A material paints what it is dropped on, in one step; elsewhere a box of it stands on the ground.
      const { entityCount } = await agent("svc_get_scene_state");
      await drop(world, ["gold", "material"], scene, { x: midX, y: midY - height * 0.15 });
      const tower = await selectedAfter(world, coin.id);
      assert.equal(tower.name, "Tower");
      const [gold] = (await agent("list_assets", { name: "gold", type: "material" })).assets;
      assert.equal(tower.traits.Renderable3D.material, gold.guid);
      assert.equal((await agent("svc_get_scene_state")).entityCount, entityCount);
      assert.equal((await agent("get_history")).undoTotal, 3);
      await agent("undo");
      const { entities: [plain] } = await agent("svc_get_scene_state", { id: 2, full: true });
      assert.equal(plain.traits.Renderable3D.material ?? "", "");
      await drop(world, ["gold", "material"], scene, { x: x + width * 0.88, y: y + height * 0.8 });
      const cube = await selectedAfter(world, tower.id);
      assert.deepEqual([cube.name, cube.traits.Transform.y], ["gold", 0.5]);

      // On a row of the hierarchy it is put below that.
      const row = page.getByRole("treeitem", { name: "Beside", exact: true });
      const rowAt = await row.boundingBox();
      assert.ok(rowAt);
      await drop(world, ["coin", "prefab"], row, { x: rowAt.x + 20, y: rowAt.y + 2 });
      const child = await selectedAfter(world, cube.id);
      assert.equal(child.parentId, 3);
      assert.equal((await agent("get_history")).undoTotal, 4);

      // An image in the pixels of the 2D world, and of the UI.
      await page.getByRole("button", { name: "2D", exact: true }).click();
      const edge = async () => {
        const found = await page.locator(".screen-edge").boundingBox();
        assert.ok(found);
        return found;
      };
      const { x: edgeX, y: edgeY, width: wide, height: high } = await edge();
      await drop(world, ["coin", "sprite"], scene, { x: edgeX + wide / 2, y: edgeY + high / 2 });
      const sprite = await selectedAfter(world, child.id);
      assert.equal(sprite.layer, "2d");
      const { x: middle, y: down } = sprite.traits.Transform;
      assert.ok(Math.hypot(middle - 300, down - 50) < 2, `${middle} ${down}: below the 2D camera`);
      await page.getByRole("button", { name: "UI", exact: true }).click();
      await drop(world, ["coin", "sprite"], scene, { x: edgeX + wide / 4, y: edgeY + high / 2 });
      const badge = await selectedAfter(world, sprite.id);
      assert.equal(badge.layer, "ui");
      const { left: fromLeft, top } = badge.traits.UIElement;
      assert.ok(Math.hypot(fromLeft - 320, top - 360) < 3, `${fromLeft} ${top}`);
      assert.equal((await agent("get_history")).undoTotal, 6);

      // A model that is dropped on the UI is shown where it is.
      await drop(world, ["buoy", "model"], scene, { x: midX, y: midY });
      await selectedAfter(world, badge.id);
      await until("the view shows the scene in 3D", async () =>
        (await agent("get_editor_state")).mode === "3d");
    }, { prepare: opening(ENTITIES) }),
);
