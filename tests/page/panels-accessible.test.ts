import assert from "node:assert/strict";
import { test } from "node:test";
import { violationsIn } from "./axe.ts";
import { type EditorWorld, NO_CHROMIUM, withEditorPage } from "./editor-page.ts";

const skip = NO_CHROMIUM;
const TOKEN = "a-token-of-32-letters-or-so-long";
/** Notices that only inform stay for as long as they are looked at. */
const KEEPS_INFORMING = `const own = globalThis.setTimeout;
  globalThis.setTimeout = (work, ms, ...more) => ms === 5_000 ? 0 : own(work, ms, ...more);`;
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

/** What the whole document is looked at in, by name: how one gets there from the one before. */
const STATES: Readonly<Record<string, (world: EditorWorld) => Promise<void>>> = {
  async "as it opens"({ page }) {
    await page.getByRole("treeitem").first().waitFor();
    await page.getByRole("toolbar", { name: "View" }).waitFor();
  },
  async "the project's menu"({ page }) {
    await page.getByTitle("Project and scenes").click();
    await page.getByRole("menuitem", { name: "Project settings…" }).waitFor();
  },
  async "the menu of new assets"({ page }) {
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Add an asset" }).click();
    await page.getByRole("menuitem").first().waitFor();
  },
  async "the list of what to add"({ page }) {
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Add an entity" }).click();
    await page.getByRole("combobox", { name: "Kind of entity" }).waitFor();
  },
  async "gizmos on what is selected"({ page }) {
    await page.keyboard.press("Escape");
    await page.getByRole("treeitem", { name: "Lighthouse", exact: true }).click();
    await page.getByLabel("Transform x", { exact: true }).waitFor();
    await page.locator(".viewport svg").first().waitFor();
  },
  async "an asset, and its menu"({ page, agent }) {
    await agent("set_selection", { asset: "assets/scenes/night.scene.json" });
    await page.getByRole("button", { name: "More for this asset" }).click();
    await page.getByRole("menuitem", { name: "Copy guid" }).waitFor();
  },
  async "a notice that informs, and one that refuses"({ page }) {
    await page.keyboard.press("Escape");
    await page.evaluate(KEEPS_INFORMING);
    await page.getByTitle("Project and scenes").click();
    await page.getByRole("menuitem", { name: "Save", exact: false }).first().click();
    await page.locator(".notice.info").waitFor();
    await page.getByRole("treeitem", { name: "Lighthouse", exact: true }).click();
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("x".repeat(5_000));
    await page.keyboard.press("Enter");
    await page.locator(".notice.error").waitFor();
  },
  async "the flat layer"({ page }) {
    await page.getByRole("button", { name: "2D", exact: true }).click();
    await page.getByRole("button", { name: "Fit", exact: true }).waitFor();
  },
  async "the UI layer"({ page }) {
    await page.getByRole("button", { name: "UI", exact: true }).click();
    await page.getByRole("button", { name: "Fit", exact: true }).waitFor();
  },
  async "a game"({ agent, page }) {
    await agent("play_control", { action: "play" });
    await agent("play_control", { action: "pause" });
    await page.getByRole("button", { name: "Look around next to the game" }).waitFor();
  },
  async "beside the game"({ page }) {
    await page.getByRole("button", { name: "Look around next to the game" }).click();
    await page.locator(".view-bar [aria-pressed='true']").first().waitFor();
  },
};

test(
  "the whole page keeps nobody out, whatever is open in it, in both themes",
  { skip },
  () =>
    withEditorPage(async (world) => {
      const found: (readonly [string, readonly string[]])[] = [];
      for (const [name, open] of Object.entries(STATES)) {
        await open(world);
        found.push([name, await violationsIn(world.page, "html")]);
      }
      assert.deepEqual(found.filter(([, violations]) => violations.length > 0), []);
    }, { says: /status of 4/ }),
);

test(
  "the sign-in panel keeps nobody out, in both themes",
  { skip },
  () =>
    withEditorPage(async ({ page }) => {
      await page.getByLabel("Token of this service").waitFor();
      assert.deepEqual(await violationsIn(page, "html"), []);
    }, { token: TOKEN, says: /status of 401/ }),
);

test("the edges between the parts tell the sizes that these have, and are moved by keys", {
  skip,
}, () =>
  withEditorPage(async ({ page }) => {
    await page.getByRole("treeitem").first().waitFor();
    for (
      const [name, part, side, key] of [
        ["Width of the hierarchy", ".hierarchy", "width", "ArrowRight"],
        ["Width of the inspector", ".inspector", "width", "ArrowLeft"],
        ["Height of the panels", ".bottom", "height", "ArrowUp"],
      ] as const
    ) {
      const edge = page.getByRole("separator", { name });
      const readReport = async () => Number(await edge.getAttribute("aria-valuenow"));
      const size = async () => (await page.locator(part).boundingBox())?.[side];
      const before = await readReport();
      assert.equal(before, await size(), name);
      await edge.press(key);
      assert.equal(await readReport(), before + 16, name);
      assert.equal(await size(), before + 16, name);
    }
  }));

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
