import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_CHROMIUM, wasSaid, withEditorPage } from "./editor-page.ts";

const skip = NO_CHROMIUM;
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

test(
  "a picture that is dropped on the assets is an asset, and what cannot be one is named",
  { skip },
  () =>
    withEditorPage(async ({ page, agent }) => {
      const panel = page.getByRole("region", { name: "Assets" });
      await panel.waitFor();
      // As text: what a page has is not known to these tests' types.
      const data = await page.evaluateHandle(`(() => {
        const bytes = Uint8Array.from(atob("${PIXEL}"), (one) => one.charCodeAt(0));
        const transfer = new DataTransfer();
        transfer.items.add(new File([bytes], "dropped.png", { type: "image/png" }));
        transfer.items.add(new File(["nonsense"], "broken.glb"));
        return transfer;
      })()`);
      await panel.dispatchEvent("drop", { dataTransfer: data });
      await page.getByText(/Cannot import "broken\.glb"/).waitFor();
      await wasSaid(page, "Imported assets/textures/dropped.png");
      // Only the rows in sight are in the document.
      await panel.getByRole("searchbox").fill("dropped");
      await panel.getByRole("option", { name: /dropped/ }).waitFor();
      const { assets } = await agent("list_assets", { name: "dropped" });
      // deno-lint-ignore no-explicit-any
      assert.deepEqual(assets.map(({ path }: any) => path), ["assets/textures/dropped.png"]);
    }, { says: /status of 422/ }),
);

test(
  "files that are dropped beside the assets are imported as well, and move nothing",
  { skip },
  () =>
    withEditorPage(async ({ page, agent }) => {
      const row = page.getByRole("treeitem").nth(1);
      await page.getByRole("treeitem").first().click();
      for (const [name, where] of [["row", row], ["picture", page.locator(".viewport")]] as const) {
        const data = await page.evaluateHandle(`(() => {
        const bytes = Uint8Array.from(atob("${PIXEL}"), (one) => one.charCodeAt(0));
        const transfer = new DataTransfer();
        transfer.items.add(new File([bytes], "on-${name}.png", { type: "image/png" }));
        return transfer;
      })()`);
        await where.dispatchEvent("dragover", { dataTransfer: data });
        await where.dispatchEvent("drop", { dataTransfer: data });
        await wasSaid(page, `Imported assets/textures/on-${name}.png`);
      }
      const { undo } = await agent("get_history", {});
      // deno-lint-ignore no-explicit-any
      assert.deepEqual(undo.filter(({ label }: any) => /move/i.test(label)), []);
    }),
);

test(
  "the journal shows what happens in a game as it happens, by type",
  { skip },
  () =>
    withEditorPage(async ({ page, agent }) => {
      await page.getByRole("tab", { name: "Journal" }).click();
      await page.getByText("No such events in a game yet.").waitFor();
      await agent("step_play", { ticks: 120 });
      const list = page.getByRole("list", { name: "Events of the game" });
      await list.getByRole("listitem").first().waitFor();
      const { byType } = await agent("journal", {});
      const types = page.getByLabel("Type of events");
      const [type = ""] = Object.keys(byType);
      await types.selectOption(type);
      const shown = await list.locator(".badge").allTextContents();
      assert.ok(shown.length > 0);
      assert.deepEqual([...new Set(shown)], [type]);
    }),
);
