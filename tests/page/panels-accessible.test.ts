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
