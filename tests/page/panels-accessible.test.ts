import { test } from "node:test";
import { assertAccessible } from "./axe.ts";
import { NO_CHROMIUM, withEditorPage } from "./editor-page.ts";

const skip = NO_CHROMIUM;

test(
  "every panel keeps nobody out, in both themes",
  { skip },
  () =>
    withEditorPage(async ({ page, agent }) => {
      await agent("create_entity", { name: "Somebody's", traits: { Transform: {} } });
      await page.getByRole("treeitem").first().click();
      await page.getByRole("region", { name: "Inspector" }).getByText("Transform").first()
        .waitFor();
      await assertAccessible(page, ".toolbar");
      await assertAccessible(page, ".hierarchy");
      await assertAccessible(page, ".inspector");
      for (
        const name of ["Assets", "Console", "Activity", "Diagnose", "Journal", "Watch", "Timeline"]
      ) {
        await page.getByRole("tab", { name }).click();
        await page.getByRole("region", { name }).waitFor();
        await assertAccessible(page, ".bottom");
      }
    }),
);
