import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";

/** An entity as a scene file has it; of the 3D layer, unless told. */
export const entity = (n: number, name: string, traits: object, more: object = {}) => ({
  guid: `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`,
  name,
  layer: "3d",
  traits,
  ...more,
});
/** The traits of a box of a metre, so far to the right. */
export const box = (x: number) => ({ Transform: { x }, Renderable3D: { mesh: "box" } });

/** Writes a scene of these, and opens it. */
export function opening(entities: readonly object[]): (root: string) => void {
  return (root) => {
    const path = "assets/scenes/test.scene.json";
    writeFileSync(join(root, path), JSON.stringify({ schema: 1, name: "Test", entities }));
    const config = join(root, "project.config.json");
    const settings = JSON.parse(readFileSync(config, "utf8"));
    writeFileSync(config, JSON.stringify({ ...settings, editScene: path }));
  };
}

/** Where the viewport is. */
export async function boxOf(page: Page) {
  const box = await page.getByRole("main", { name: "Scene" }).boundingBox();
  assert.ok(box);
  return { ...box, midX: box.x + box.width / 2, midY: box.y + box.height / 2 };
}

/** Drags with a button of the mouse, in CSS pixels of the page. */
export async function dragIn(
  page: Page,
  from: readonly [number, number],
  to: readonly [number, number],
  button: "left" | "middle" = "left",
): Promise<void> {
  await page.mouse.move(...from);
  await page.mouse.down({ button });
  await page.mouse.move((from[0] + to[0]) / 2, (from[1] + to[1]) / 2);
  await page.mouse.move(...to);
  await page.mouse.up({ button });
}

/** Selects an entity in the hierarchy, and has it in the middle of the picture. */
export async function frame(page: Page, name: string): Promise<void> {
  await page.locator("canvas").first().waitFor();
  await page.getByRole("treeitem", { name, exact: true }).click();
  await page.getByRole("treeitem", { name, exact: true, selected: true }).waitFor();
  await page.getByRole("button", { name: "Frame the selection" }).click();
  await turns(page);
}

/** Ends once frames were drawn: what stands on the picture is where that shows it. */
async function turns(page: Page): Promise<void> {
  await page.evaluate(`new Promise((done) => {
    const turn = (left) => left === 0 ? done() : requestAnimationFrame(() => turn(left - 1));
    turn(4);
  })`);
}
