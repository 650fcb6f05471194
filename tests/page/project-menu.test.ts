import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { commandFrom, commandText } from "../../lib/page/model/commands.ts";
import { settingFrom, settingIn, SETTINGS, settingText } from "../../lib/page/model/settings.ts";
import { until } from "../support/until.ts";
import { assertAccessible } from "./axe.ts";
import { NO_CHROMIUM, withEditorPage } from "./editor-page.ts";

const skip = NO_CHROMIUM;

const choose = async (page: Page, item: string) => {
  await page.getByTitle("Project and scenes").click();
  await page.getByRole("menuitem", { name: item }).click();
};

for (
  const [line, words] of [
    ["npx cap sync android", ["npx", "cap", "sync", "android"]],
    ['sh -c "a b"', ["sh", "-c", "a b"]],
    ['say "a \\"word\\"" ""', ["say", 'a "word"', ""]],
    ["  one   ", ["one"]],
    ["", []],
  ] as const
) {
  test(`commandFrom() reads ${JSON.stringify(line)}, and commandText() writes it back`, () => {
    assert.deepEqual(commandFrom(line), words);
    assert.deepEqual(commandFrom(commandText(words)), words);
  });
}

test("every setting of the sample is read back from the text that its field shows", () => {
  const settings: unknown = JSON.parse(
    readFileSync("lib/editor/sample/project.config.json", "utf8"),
  );
  const shown = Object.values(SETTINGS).flat().filter(({ at }) =>
    settingIn(settings, at) !== undefined
  );
  assert.ok(shown.length >= 12);
  for (const setting of shown) {
    const value = settingIn(settings, setting.at);
    assert.deepEqual(settingFrom(setting, settingText(setting, value)), value, setting.title);
  }
});

test("scenes are opened, made and saved from the project's menu; unsaved changes are asked for", {
  skip,
}, () =>
  withEditorPage(async ({ page, agent, root }) => {
    const open = async () => (await agent("list_scenes")).open;
    await agent("create_entity", { name: "Not saved" });
    await page.getByTitle("Unsaved changes").waitFor();
    await choose(page, "Open scene…");
    const which = page.getByRole("combobox", { name: "Which scene to open" });
    await which.fill("night");
    await which.press("Enter");
    const question = page.getByRole("dialog", { name: "Unsaved changes" });
    await question.waitFor();
    await assertAccessible(page, "dialog");
    await question.getByRole("button", { name: "Cancel" }).click();
    assert.equal(await open(), "assets/scenes/harbor.scene.json");
    await choose(page, "Open scene…");
    await which.fill("night");
    await which.press("Enter");
    await question.getByRole("button", { name: "Lose them" }).click();
    await until("the scene night is open", async () =>
      await open() === "assets/scenes/night.scene.json");
    await choose(page, "New scene…");
    await page.getByRole("textbox", { name: "Path in the project" }).fill(
      "assets/scenes/level-9.scene.json",
    );
    await page.keyboard.press("Enter");
    await until("the new scene is open", async () =>
      await open() === "assets/scenes/level-9.scene.json");
    await page.keyboard.press("Control+s");
    await until("the new scene is saved", () =>
      existsSync(join(root, "assets/scenes/level-9.scene.json")));
    await choose(page, "Save as…");
    await page.getByRole("textbox", { name: "Path in the project" }).fill(
      "assets/scenes/night.scene.json",
    );
    await page.keyboard.press("Enter");
    const over = page.getByRole("dialog", { name: "Save over another version?" });
    await over.getByRole("button", { name: "Cancel" }).click();
    assert.equal(await open(), "assets/scenes/level-9.scene.json");
  }, { says: /status of 409/ }));

test("a setting is set as its field is left, undone by one step, and refused in a sentence", {
  skip,
}, () =>
  withEditorPage(async ({ page, agent }) => {
    await choose(page, "Project settings…");
    const name = page.getByRole("textbox", { name: "Name", exact: true }).last();
    await name.fill("Harbor Two");
    await name.press("Tab");
    await until("the project has its new name", async () =>
      (await agent("get_project")).name === "Harbor Two");
    await page.getByTitle("Project and scenes").getByText("Harbor Two").waitFor({
      state: "attached",
    });
    const width = page.getByRole("textbox", { name: "Viewport width" });
    await width.fill("wide");
    await width.press("Tab");
    await page.getByRole("alert").getByText(/viewport/).waitFor();
    assert.equal((await agent("get_project")).viewport.width, 1280);
    await assertAccessible(page, "dialog");
    await agent("undo");
    await until("the settings show the undone name", async () =>
      await name.inputValue() === "Harbor Run");
  }, { says: /status of 422/ }));

test(
  "? lists the keys, and F6 goes round the parts of the page",
  { skip },
  () =>
    withEditorPage(async ({ page }) => {
      await page.getByRole("treeitem").first().waitFor();
      await page.keyboard.press("?");
      const keys = page.getByRole("dialog", { name: "Keys" });
      await keys.getByText("Go to the next part of the page").waitFor();
      await assertAccessible(page, "dialog");
      // The keys are pressed so fast that the browser reports the close of a dialog once the next is open.
      for (const name of ["Publish", "Devices", "Publish", "Devices"]) {
        await page.keyboard.press("Escape");
        await keys.waitFor({ state: "detached" });
        await page.getByRole("button", { name, exact: true }).click();
        await page.getByRole("dialog", { name }).waitFor();
        await page.evaluate(`globalThis.hasClosed = false;
          document.querySelector("dialog[open]")
            .addEventListener("close", () => globalThis.hasClosed = true)`);
        await page.keyboard.press("Escape");
        await page.keyboard.press("?");
        await until(`the close of ${name} is reported`, () => page.evaluate("hasClosed"));
        await keys.waitFor();
      }
      await page.keyboard.press("Escape");
      await keys.waitFor({ state: "detached" });
      const within: unknown[] = [];
      for (let n = 0; n < 4; n++) {
        await page.keyboard.press("F6");
        within.push(
          await page.evaluate(`[".toolbar", ".hierarchy", ".inspector", ".bottom"]
          .find((one) => document.querySelector(one)?.contains(document.activeElement)) ?? ""`),
        );
      }
      assert.ok(within.includes(".toolbar") && within.includes(".hierarchy"), String(within));
      assert.ok(within.includes(".bottom"), String(within));
    }),
);

test(
  "captures are drawn in a window that the project's menu opens",
  { skip },
  () =>
    withEditorPage(async ({ page, agent }) => {
      const [window] = await Promise.all([
        page.context().waitForEvent("page"),
        choose(page, "Draw captures in a window"),
      ]);
      await window.getByText("Slipway draws captures here while this window is open").waitFor();
      const { path, width, height } = await agent("render_scene", { width: 64, height: 36 });
      assert.match(path, /^\.captures\/\d{4}-scene\.png$/);
      assert.deepEqual([width, height], [64, 36]);
      await window.getByText("1 so far").waitFor();
    }),
);

test("a question takes Enter for what it asks: the name that it offers, or its main answer", {
  skip,
}, () =>
  withEditorPage(async ({ page, agent }) => {
    const before = (await agent("list_scenes")).open;
    await choose(page, "New scene…");
    await page.getByRole("dialog", { name: "New scene" }).waitFor();
    await page.keyboard.press("Enter");
    await until("the new scene is open", async () => (await agent("list_scenes")).open !== before);
    await agent("create_entity", { name: "Not saved" });
    await page.getByTitle("Unsaved changes").waitFor();
    await choose(page, "Open scene…");
    const which = page.getByRole("combobox", { name: "Which scene to open" });
    await which.fill("night");
    await which.press("Enter");
    await page.getByRole("dialog", { name: "Unsaved changes" }).waitFor();
    await page.keyboard.press("Enter"); // saves
    await until("the scene night is open", async () =>
      /night/.test((await agent("list_scenes")).open));
  }));
