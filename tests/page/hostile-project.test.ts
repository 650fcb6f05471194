import assert from "node:assert/strict";
import { test } from "node:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { until } from "../support/until.ts";
import { NO_CHROMIUM, wasSaid, withEditorPage } from "./editor-page.ts";
import { box, entity, opening } from "./picture-page.ts";

// A project that came from anywhere, in the page: all of it is shown as text, none of it runs, and
// the page stays of use.

const skip = NO_CHROMIUM;

/** Says that it has run, in whatever way markup can. */
const RUNS = "globalThis.hasRun=(globalThis.hasRun??0)+1;document.title='hacked'";
const IMAGE = `<img src=x onerror="${RUNS}">`;
const SCRIPT = `</script><script>${RUNS}</script>`;
/** Turns around what comes after it (UAX #9), and looks like another name. */
const TURNED = "box\u202Egnp.exe\u2066\u200B";
/** As long as a name may be. */
const LONG = `${IMAGE}${"W".repeat(200 - IMAGE.length)}`;

/** Of the assets that entities name. */
const guid = (n: number) => `00000000-0000-4000-9000-${String(n).padStart(12, "0")}`;

const ENTITIES = [
  entity(1, "Eye", { Transform: { z: 10 }, Camera: {} }),
  entity(2, "Light", { Light: { kind: "ambient", intensity: 3 } }),
  entity(3, IMAGE, {
    ...box(0),
    InputAction: { action: SCRIPT, keys: "Space" },
    ScriptAction: { on: "@start", effect: "playClip", text: SCRIPT },
  }),
  entity(4, TURNED, { ...box(2), Renderable3D: { mesh: "model", model: guid(1) } }),
  entity(5, LONG, {
    Renderable3D: { mesh: "box", material: guid(2) },
    ScriptAction: { on: "@start", effect: "emit", text: IMAGE },
  }),
  entity(6, SCRIPT, { UIElement: {}, Text: { text: `${IMAGE}\u202E${"x".repeat(9_000)}` } }, {
    layer: "ui",
  }),
];
const PNG = Uint8Array.from(
  atob("iVBORw0KGgoAAAANSUhEUgAAAAQAAAACCAYAAAA="),
  (character) => character.charCodeAt(0),
);
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="${RUNS.replaceAll('"', "'")}">
  <script>${RUNS}</script><image href="http://evil.test/x.png"/></svg>`;
/** Files that are not what their names say, or have names that say too much. */
const FILES: Readonly<Record<string, string | Uint8Array>> = {
  "assets/text.png": `<script>${RUNS}</script>`,
  "assets/not.glb": PNG,
  "assets/not.glb.meta.json": JSON.stringify({ guid: guid(1) }),
  "assets/wrong.material.json.meta.json": JSON.stringify({ guid: guid(2) }),
  "assets/text.png.meta.json": JSON.stringify({ guid: guid(3), filter: IMAGE }),
  "assets/drawn.svg": SVG,
  "assets/letters.ttf": SVG,
  "assets/noise.mp3": `<html><script>${RUNS}</script></html>`,
  "assets/wrong.material.json": JSON.stringify({
    schema: 1,
    color: IMAGE,
    texture: guid(3),
    roughness: SCRIPT,
    [IMAGE]: SCRIPT,
  }),
  "assets/broken.material.json": `{"color": ${IMAGE}`,
  [`assets/${IMAGE.replaceAll("/", "")}.png`]: PNG,
  [`assets/${TURNED}.png`]: PNG,
};

/** A scene that no editor opens: a name of a megabyte. */
const TOO_LONG = "assets/scenes/too-long.scene.json";
/** What Chromium and the picture say of such files, each about its own file. */
const SAID = /decode|OTS parsing|cannot be drawn|status of 4\d\d/;

function hostile(root: string): void {
  for (const [path, content] of Object.entries(FILES)) writeFileSync(join(root, path), content);
  const entities = [entity(1, IMAGE.repeat(1_000_000 / IMAGE.length), {})];
  writeFileSync(join(root, TOO_LONG), JSON.stringify({ schema: 1, name: "Long", entities }));
  opening(ENTITIES)(root);
}

/** Nothing of the project became markup, was asked for elsewhere, or ran. */
async function ranNothing(page: Page, asked: readonly string[], url: string): Promise<void> {
  assert.equal(await page.evaluate("globalThis.hasRun ?? 0"), 0);
  assert.equal(await page.title(), "Slipway");
  const made = `document.querySelectorAll("img[src=x], [onerror], [onload], script:not([src])")`;
  assert.equal(await page.evaluate(`${made}.length`), 0);
  assert.deepEqual(asked.filter((one) => !/^(?:blob|data):/.test(one) && !one.startsWith(url)), []);
  assert.deepEqual(asked.filter((one) => one === `${url}/x`), []);
}

test("a hostile project is text in every panel, runs nothing, and is edited as any other", {
  skip,
}, () =>
  withEditorPage(async ({ page, url, agent }) => {
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    const panel = (name: string) => page.getByRole("region", { name, exact: true });
    const open = async (name: string) => {
      await page.getByRole("tab", { name }).click();
      await panel(name).waitFor();
    };
    await page.locator("canvas").first().waitFor();

    const tree = page.getByRole("tree", { name: "Entities" });
    await tree.getByRole("treeitem").nth(ENTITIES.length - 1).waitFor();
    const rows = await tree.getByRole("treeitem").allTextContents();
    assert.deepEqual(rows, ENTITIES.map(({ name }) => name));
    for (const [n, name] of rows.entries()) {
      await tree.getByRole("treeitem").nth(n).click();
      const field = page.getByRole("textbox", { name: "Name", exact: true });
      await until("the inspector shows the clicked entity", async () =>
        await field.inputValue() === name);
      // What turns its letters around turns no other's, and what is long leaves the tree's width.
      const { x = 0, width = 0 } = await tree.boundingBox() ?? {};
      const box = await tree.getByRole("treeitem").nth(n).boundingBox();
      assert.ok(box && box.x >= x && box.x + box.width <= x + width, name);
    }

    await agent("play_control", { action: "play" });
    await agent("play_control", { action: "pause" });
    const { tick } = await agent("step_play", { ticks: 5 });
    await open("Console");
    await panel("Console").getByText(`ScriptAction of "${IMAGE}" (id 3) did no playClip`).waitFor();
    await panel("Console").getByText('Cannot measure "assets/text.png"').waitFor();
    await open("Journal");
    const event = panel("Journal").getByRole("listitem");
    await event.first().waitFor();
    assert.ok((await event.first().innerText()).includes(IMAGE));
    const { width: tickWidth = 0 } = await event.first().locator(".tick").boundingBox() ?? {};
    assert.ok(tickWidth > 0, `the tick of an event is seen: ${tick}`);
    const search = await panel("Journal").getByRole("searchbox").boundingBox();
    assert.ok((search?.width ?? 0) > 200, "a long type leaves room to search");
    await agent("play_control", { action: "stop" });
    await open("Diagnose");
    await panel("Diagnose").getByRole("button", { name: TURNED }).waitFor();
    await ranNothing(page, asked, url);

    await open("Assets");
    const { assets } = await agent("list_assets", { folder: "assets" });
    const paths = new Set<string>(assets.map(({ path }: { readonly path: string }) =>
      path
    ));
    const listed = Object.keys(FILES).filter((path) => paths.has(path));
    assert.ok(listed.length >= 8, listed.join());
    for (const shape of ["grid", "list"]) {
      for (const path of listed) {
        await panel("Assets").getByTitle(path, { exact: true }).click();
        await page.locator(".inspector").getByText(path, { exact: true }).waitFor();
        const facts = page.locator(".inspector").getByText("Type", { exact: true });
        await facts.or(page.locator(".inspector").getByRole("alert")).first().waitFor();
      }
      await ranNothing(page, asked, url);
      if (shape === "grid") {
        await panel("Assets").getByRole("button", { name: "Show pictures" }).click();
      }
    }
    // Where an address is opened by itself, the browser has nothing to run either.
    for (const path of Object.keys(FILES)) {
      const address = `${url}/api/content/${path.split("/").map(encodeURIComponent).join("/")}`;
      const { status, headers } = await fetch(address);
      const type = headers.get("content-type") ?? "";
      assert.doesNotMatch(type, /html|svg|xml|javascript/, path);
      assert.equal(headers.get("x-content-type-options"), "nosniff", `${path} ${status}`);
    }

    await page.getByTitle("Project and scenes").click();
    await page.getByRole("menuitem", { name: "Open scene…" }).click();
    const which = page.getByRole("combobox", { name: "Which scene to open" });
    await which.fill("too-long");
    await which.press("Enter");
    await wasSaid(page, `Cannot load scene "${TOO_LONG}"`);
    const said: readonly string[] = await page.evaluate("saidSoFar");
    assert.ok(said.every((one) => one.length < 1_000), "a refusal does not repeat a megabyte");

    await tree.getByRole("treeitem").first().click();
    const name = page.getByRole("textbox", { name: "Name", exact: true });
    await until(
      "the inspector shows the entity Eye",
      async () => await name.inputValue() === "Eye",
    );
    await name.fill(TURNED);
    await name.press("Enter");
    await wasSaid(page, "U+202E");
    await name.fill(SCRIPT);
    await name.press("Enter");
    await until(
      "the tree shows the new name",
      async () => await tree.getByRole("treeitem").first().textContent() === SCRIPT,
    );
    await open("Activity");
    await panel("Activity").getByText(SCRIPT).first().waitFor();
    await page.keyboard.press("Control+z");
    await until(
      "the tree shows the name of before the undone rename",
      async () => await tree.getByRole("treeitem").first().textContent() === "Eye",
    );
    await ranNothing(page, asked, url);
  }, { prepare: hostile, says: SAID }));
