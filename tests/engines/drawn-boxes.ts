import assert from "node:assert/strict";
import type { JsonObject } from "../../lib/core/json.ts";
import type { Rect } from "../../lib/game/types/mod.ts";
import { withFolder } from "../support/folder.ts";
import { withProjectService } from "../support/project-service.ts";
import { scenePath, type Sketch, VIEWPORT, withPicturePage, writeProject } from "./picture-site.ts";
import type { WebView } from "./web-views.ts";

const EYE: Sketch = { traits: { Transform: { y: 1, z: 6, rx: -10 }, Camera: { fov: 50 } } };
const FLAT_EYE: Sketch = {
  traits: { Transform: { z: 6 }, Camera: { projection: "orthographic", size: 4 } },
};
const LAMP: Sketch = { traits: { Light: { kind: "ambient", intensity: 3 } } };
const shown = (transform: JsonObject, renderable: JsonObject = {}): Sketch => ({
  traits: { Transform: transform, Renderable3D: renderable },
});

/** Scenes with one thing in each, which is the last entity. */
const BOXES: Readonly<Record<string, readonly Sketch[]>> = {
  turned: [EYE, LAMP, shown({ x: 0.5, rx: 20, ry: 30, rz: 40, sy: 2 })],
  near: [EYE, LAMP, shown({ x: -0.7, y: 0.4, z: 2, ry: 70 })],
  sheared: [EYE, LAMP, { traits: { Transform: { sx: 3, ry: 20 } } }, {
    parent: 2,
    ...shown({ rz: 30 }),
  }],
  mirrored: [EYE, LAMP, shown({ sx: -1.5, ry: 30 })],
  sphere: [FLAT_EYE, LAMP, shown({ x: 0.5, sx: 2 }, { mesh: "sphere" })],
  plane: [FLAT_EYE, LAMP, shown({ y: -0.5, rx: 90, sx: 2 }, { mesh: "plane" })],
  quad: [FLAT_EYE, LAMP, shown({ x: -1, sy: 2 }, { mesh: "quad" })],
  cylinder: [FLAT_EYE, LAMP, shown({ sx: 2 }, { mesh: "cylinder" })],
  cone: [FLAT_EYE, LAMP, shown({ y: 0.5 }, { mesh: "cone" })],
  capsule: [FLAT_EYE, LAMP, shown({ x: 1 }, { mesh: "capsule" })],
};

/** Fails where a picture draws something elsewhere than the layout says that it is. */
export async function assertDrawnBoxes(open: WebView["open"]): Promise<void> {
  await withFolder(async (root) => {
    writeProject(root, BOXES);
    const expected = new Map<string, Rect | null | undefined>();
    await withProjectService(root, async ({ editor }) => {
      for (const [name, sketches] of Object.entries(BOXES)) {
        const opened = await editor.editing.openScene(scenePath(name), { source: "agent" });
        assert.ok(opened.ok, name);
        const { entries } = await editor.layoutBounds();
        expected.set(name, entries.find(({ id }) => id === sketches.length)?.rect);
      }
    });
    await open((page) =>
      withPicturePage(root, page, async (run) => {
        for (const [name, rect] of expected) {
          const drawn = await run(
            `const game = await openGame(args);
             await game.whenLoaded();
             game.show();
             return { box: drawnBox(pixelsOf(game.canvas)), warnings: game.warnings };`,
            { ...VIEWPORT, scene: scenePath(name) },
          );
          assert.ok(rect !== null && rect !== undefined, name);
          assertNear(drawn, rect, name);
        }
      })
    );
  });
}

/** A pixel's middle must be covered, so a drawn box is at most one pixel off on each side. */
function assertNear(drawn: unknown, { x, y, w, h }: Rect, name: string): void {
  const { box, warnings }: { box: Rect; warnings: string[] } = JSON.parse(JSON.stringify(drawn));
  assert.deepEqual(warnings, [], name);
  const sides = [box.x - x, box.y - y, box.x + box.w - x - w, box.y + box.h - y - h];
  assert.ok(
    sides.every((off) => Math.abs(off) <= 1.01),
    `${name}: ${JSON.stringify({ box, x, y, w, h })}`,
  );
}
