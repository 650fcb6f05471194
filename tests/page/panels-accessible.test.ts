import assert from "node:assert/strict";
import { test } from "node:test";
import { violationsIn } from "./axe.ts";
import { NO_CHROMIUM, withEditorPage } from "./editor-page.ts";

const skip = NO_CHROMIUM;
const PANELS = ["Assets", "Console", "Activity", "Diagnose", "Journal", "Watch", "Timeline"];

test(
  "every panel keeps nobody out, in both themes",
  { skip },
  () =>
    withEditorPage(async ({ page, agent }) => {
      const { created: [{ id }] } = await agent("create_entity", {
        name: "Somebody's",
        traits: { Transform: {}, Light: {} },
      });
      await agent("set_selection", { ids: [id] });
      await page.getByLabel("Transform x", { exact: true }).waitFor();
      const found: (readonly [string, readonly string[]])[] = [];
      for (const part of [".toolbar", ".hierarchy", ".inspector"]) {
        found.push([part, await violationsIn(page, part)]);
      }
      for (const name of PANELS) {
        await page.getByRole("tab", { name }).click();
        await page.getByRole("region", { name }).waitFor();
        found.push([name, await violationsIn(page, ".bottom")]);
      }
      assert.deepEqual(found.filter(([, violations]) => violations.length > 0), []);
    }),
);

test("in a page that is enlarged twice no part lies on another, and keys reach the picture", {
  skip,
}, () =>
  withEditorPage(async ({ page }) => {
    await page.getByRole("treeitem").first().waitFor();
    const within = await page.evaluate<(readonly [string, number, number, number, number])[]>(
      `[...document.querySelectorAll(".toolbar button")].map((one) => {
        const { left, top, right, bottom } = one.getBoundingClientRect();
        return [one.getAttribute("aria-label") ?? one.textContent, left, top, right, bottom];
      })`,
    );
    assert.ok(within.length > 10);
    for (const [n, [name, left, top, right, bottom]] of within.entries()) {
      assert.ok(left >= 0 && right <= 640 && top >= 0, `${name} runs out of the page`);
      for (const [other, left2, top2, right2, bottom2] of within.slice(n + 1)) {
        const isApart = right <= left2 + 1 || right2 <= left + 1 || bottom <= top2 ||
          bottom2 <= top;
        assert.ok(isApart, `${name} lies on ${other}`);
      }
    }
    const picture = page.getByRole("main", { name: "Scene" });
    const { width = 0, height = 0 } = await picture.boundingBox() ?? {};
    assert.ok(width >= 200 && height >= 100, `${width} × ${height} are left of the picture`);
    const inspector = await page.locator(".inspector").boundingBox();
    assert.ok(inspector && inspector.x + inspector.width <= 640);
    for (let n = 0; n < 3; n++) await page.keyboard.press("F6");
    assert.equal(
      await page.evaluate("document.activeElement === document.querySelector('main')"),
      true,
    );
  }, { viewport: { width: 640, height: 360 }, deviceScaleFactor: 2 }));
