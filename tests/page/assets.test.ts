import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { crumbsOf, entriesIn, folderPrefix, stepIn, TOP } from "../../lib/page/model/asset-list.ts";
import { factLines, hasThumbnail } from "../../lib/page/model/asset-facts.ts";
import { until } from "../support/until.ts";
import { assertAccessible } from "./axe.ts";
import { NO_CHROMIUM, withEditorPage } from "./editor-page.ts";

const skip = NO_CHROMIUM;

const asset = (path: string, type = "texture") => ({
  guid: path,
  path,
  name: path.split("/").at(-1) ?? "",
  type,
  size: 1,
  pixels: null,
});
const SOME = [
  asset("assets/a.png"),
  asset("assets/b/c.png"),
  asset("assets/b/d/e.wav", "audio"),
  asset("scenes/main.scene.json", "scene"),
];

for (
  const [path, more, want] of [
    ["a.png", { pixels: 4_096 * 4_096 }, true],
    ["a.png", { pixels: 4_096 * 4_096 + 1 }, false],
    ["a.png", { pixels: null }, false],
    ["a.jpg", { pixels: 100, size: 8 * 1024 * 1024 + 1 }, false],
    ["a.hdr", { pixels: 100 }, false],
    ["a.svg", { pixels: null }, false],
  ] as const
) {
  test(`hasThumbnail() is ${want} of ${path} with ${JSON.stringify(more)}`, () =>
    assert.equal(hasThumbnail({ ...asset(`assets/${path}`), ...more }), want));
}

for (
  const [name, listing, want] of [
    ["the top: folders first, and what lies elsewhere", {}, [
      "assets/b/",
      "scenes/",
      "assets/a.png",
    ]],
    ["a folder", { folder: "assets/b/" }, ["assets/b/d/", "assets/b/c.png"]],
    ["a search goes below", { text: "b PNG" }, ["assets/b/c.png"]],
    ["a type goes below", { type: "audio" }, ["assets/b/d/e.wav"]],
    ["a search stays in its folder", { folder: "assets/b/", text: "png" }, ["assets/b/c.png"]],
    ["nothing", { text: "zzz" }, []],
  ] as const
) {
  test(`entriesIn() lists ${name}`, () => {
    const found = entriesIn(SOME, { folder: TOP, text: "", type: "", ...listing });
    const paths = found.map(({ path }) => path);
    assert.deepEqual(paths.map((path) => path === "scenes" ? "scenes/" : path), want);
  });
}

for (
  const [key, at, want] of [
    ["ArrowRight", 0, 1],
    ["ArrowDown", 1, 5],
    ["ArrowDown", 8, 9],
    ["ArrowUp", 1, 0],
    ["End", 2, 9],
    ["Home", 7, 0],
    ["End", -1, 9],
    ["ArrowLeft", -1, 0],
    ["x", 3, null],
  ] as const
) {
  test(`stepIn() goes by ${key} from ${at} of a grid of 4 columns to ${want}`, () =>
    assert.equal(stepIn(key, { at, columns: 4, count: 10 }), want));
}

test("crumbsOf() and folderOf() go up to the top", () => {
  assert.deepEqual(crumbsOf("assets/b/d/").map(({ path }) => path), [
    "assets/",
    "assets/b/",
    "assets/b/d/",
  ]);
  assert.equal(folderPrefix("assets/b/d/"), "assets/b/");
  assert.equal(folderPrefix("assets/a.png"), "assets/");
});

test("factLines() says sizes in units; what is long is cut", () => {
  assert.deepEqual(
    factLines({ bounds: { min: [0, 0, 0], max: [1, 2, 0.5] }, seconds: 1.25 }),
    [["Size", "1 × 2 × 0.5 m"], ["Length", "1.25 s"]],
  );
  const [[, long] = []] = factLines({ note: "x".repeat(1_000_000) });
  assert.equal(long?.length, 500);
});

const panel = (page: Page): Locator => page.getByRole("region", { name: "Assets" });
const inspector = (page: Page): Locator => page.getByRole("region", { name: "Inspector" });
const enter = (page: Page, name: string) =>
  panel(page).getByRole("option", { name: `${name}, folder` }).dblclick();

test("folders are gone into, textures are shown as pictures, a selected one by the keyboard", {
  skip,
}, () =>
  withEditorPage(async ({ page, agent }) => {
    await enter(page, "textures");
    await panel(page).getByRole("option", { name: "crate, texture" }).click();
    await panel(page).getByRole("listbox").focus();
    await page.keyboard.press("ArrowRight");
    await until("the arrow key has selected the next asset", async () =>
      (await agent("get_editor_state")).asset === "assets/textures/hull.png");
    // A picture that did not load has no size of its own.
    await until("all seven thumbnails have loaded", async () =>
      await page.evaluate(`[...document.querySelectorAll(".tile img")]
        .every((one) => one.complete && one.naturalWidth > 0) &&
        document.querySelectorAll(".tile img").length === 7`) === true);
    await inspector(page).getByText("32 × 32").or(inspector(page).getByText("Pixels")).first()
      .waitFor();
    await assertAccessible(page, ".bottom");
    await assertAccessible(page, ".inspector");
    await page.keyboard.press("Backspace");
    await panel(page).getByRole("option", { name: "textures, folder" }).waitFor();
    await panel(page).getByLabel("Type of assets").selectOption("material");
    await panel(page).getByRole("option", { name: "sand, material" }).click();
    await panel(page).getByRole("button", { name: "Show pictures" }).click();
    await panel(page).getByRole("option", { name: /^sand assets/ }).waitFor();
    await assertAccessible(page, ".bottom");
  }));

test("an asset's fields and import settings are changed in the inspector and undone", {
  skip,
}, () =>
  withEditorPage(async ({ page, agent }) => {
    const content = async (path: string) =>
      (await agent("get_asset", { asset: path, content: true })).content;
    await agent("set_selection", { asset: "assets/materials/sand.material.json" });
    const roughness = inspector(page).getByRole("textbox", { name: "Roughness" });
    await roughness.fill("0.25");
    await roughness.press("Enter");
    await until("the material has the new roughness", async () =>
      (await content("assets/materials/sand.material.json")).roughness === 0.25);
    await page.getByRole("button", { name: /^Undo/ }).click();
    await until("the inspector shows the undone roughness", async () =>
      await roughness.inputValue() === "1");
    await assertAccessible(page, ".inspector");
    await inspector(page).getByRole("button", { name: /Beach\/Renderable3D.material here/ })
      .click();
    await page.getByRole("textbox", { name: "Name", exact: true }).waitFor();
    await until("the entity that uses the material is selected", async () =>
      (await agent("get_editor_state")).selection.length === 1);
    await agent("set_selection", { asset: "assets/textures/crate.png" });
    await inspector(page).getByRole("combobox", { name: "Filter" }).selectOption("nearest");
    await until("the texture has the chosen filter", async () =>
      (await agent("get_asset", { asset: "assets/textures/crate.png" })).meta?.filter ===
        "nearest");
    await inspector(page).getByRole("button", { name: "Reset Filter" }).click();
    await until("the texture has the default filter", async () =>
      (await agent("get_asset", { asset: "assets/textures/crate.png" })).meta?.filter ===
        undefined);
  }));

test("an asset is made, moved and deleted, which says what uses it; a prefab is placed", {
  skip,
}, () =>
  withEditorPage(async ({ page, agent }) => {
    const there = async (path: string) =>
      (await agent("list_assets", { limit: 1000 })).assets
        // deno-lint-ignore no-explicit-any
        .some((one: any) => one.path === path);
    await panel(page).getByRole("button", { name: "Add an asset" }).click();
    await page.getByRole("menuitem", { name: "New material…" }).click();
    const path = page.getByRole("textbox", { name: "Path in the project" });
    assert.equal(await path.inputValue(), "assets/materials/new.material.json");
    await path.press("Enter");
    await until("the new material exists", () => there("assets/materials/new.material.json"));
    await inspector(page).getByRole("heading", { name: "new" }).waitFor();
    await inspector(page).getByRole("button", { name: "More for this asset" }).click();
    await page.getByRole("menuitem", { name: /Rename or move/ }).click();
    const to = page.getByRole("textbox", { name: /Path, or a folder/ });
    await to.fill("assets/materials/<b>bold</b>.material.json");
    await to.press("Enter");
    await page.getByText(/bold/).first().waitFor(); // moved, or refused in a sentence
    await agent("set_selection", { asset: "assets/materials/sand.material.json" });
    await inspector(page).getByRole("button", { name: "More for this asset" }).click();
    await page.getByRole("menuitem", { name: /Delete/ }).click();
    const question = page.getByRole("dialog", { name: /Delete sand/ });
    await question.getByText(/It is used by .*Beach\/Renderable3D.material/).waitFor();
    await question.getByRole("button", { name: "Delete", exact: true }).click();
    await until("the deleted material is gone", async () =>
      !await there("assets/materials/sand.material.json"));
    await agent("undo");
    await until("the undone deletion has restored the material", () =>
      there("assets/materials/sand.material.json"));
    const { entityCount: before } = await agent("svc_get_scene_state", { limit: 0 });
    await panel(page).getByRole("button", { name: "assets", exact: true }).click();
    await enter(page, "prefabs");
    await panel(page).getByRole("option", { name: "coin, prefab" }).dblclick();
    await until("the double-clicked prefab is in the scene", async () =>
      (await agent("svc_get_scene_state", { limit: 0 })).entityCount > before);
    await until("the placed entity is selected", async () =>
      (await agent("get_editor_state")).selection.length === 1);
    await panel(page).getByRole("option", { name: "patrol, prefab" }).dragTo(
      page.locator(".viewport"),
    );
    await until("the dropped prefab is in the scene", async () =>
      (await agent("svc_get_scene_state", { limit: 0 })).entityCount > before + 1);
  }, { says: /status of 4|cannot be drawn/ })); // what is deleted is missed by the picture

test(
  "a folder that is dropped is imported, a .gltf with what it names as one",
  { skip },
  () =>
    withEditorPage(async ({ page, agent, root }) => {
      const folder = join(root, "../dropped/chair");
      mkdirSync(join(folder, "maps"), { recursive: true });
      const bytes = Buffer.from(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]).buffer);
      writeFileSync(join(folder, "chair.bin"), bytes);
      writeFileSync(
        join(folder, "chair.gltf"),
        JSON.stringify({
          asset: { version: "2.0" },
          scene: 0,
          scenes: [{ nodes: [0] }],
          nodes: [{ name: "Chair", mesh: 0 }],
          meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
          accessors: [{
            bufferView: 0,
            componentType: 5126,
            count: 3,
            type: "VEC3",
            min: [0, 0, 0],
            max: [1, 1, 0],
          }],
          bufferViews: [{ buffer: 0, byteLength: 36 }],
          buffers: [{ uri: "chair.bin", byteLength: 36 }],
        }),
      );
      await panel(page).getByRole("option", { name: /, folder$/ }).first().waitFor(); // it moves before
      const box = await panel(page).boundingBox();
      assert.ok(box);
      const session = await page.context().newCDPSession(page);
      for (const type of ["dragEnter", "dragOver", "drop"] as const) {
        await session.send("Input.dispatchDragEvent", {
          type,
          x: box.x + box.width / 2,
          y: box.y + box.height / 2,
          data: { items: [], files: [folder], dragOperationsMask: 1 },
        });
      }
      await until("the dropped folder is imported as a prefab", async () =>
        (await agent("list_assets", { type: "prefab", name: "chair" })).count === 1);
    }),
);

test(
  "20,000 assets scroll: only the rows in sight are in the document",
  { skip },
  () =>
    withEditorPage(async ({ page }) => {
      await enter(page, "many");
      await panel(page).getByText("20000", { exact: true }).waitFor();
      assert.ok(await panel(page).getByRole("option").count() < 200);
      await panel(page).getByRole("listbox").focus();
      await page.keyboard.press("End");
      await panel(page).getByRole("option", { name: "m19999, material" }).waitFor();
      assert.ok(await panel(page).getByRole("option").count() < 200);
    }, {
      prepare(root) {
        mkdirSync(join(root, "assets/many"));
        for (let n = 0; n < 20_000; n++) {
          writeFileSync(
            join(root, `assets/many/m${String(n).padStart(5, "0")}.material.json`),
            "{}",
          );
        }
      },
    }),
);
