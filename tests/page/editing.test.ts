import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Locator, Page } from "playwright-core";
import { until } from "../support/until.ts";
import { type EditorWorld, NO_CHROMIUM, withEditorPage } from "./editor-page.ts";

const skip = NO_CHROMIUM;

test("a number that is dragged and brought back is tried no more: what an agent sets is seen", {
  skip,
}, () =>
  withEditorPage(async ({ page, agent }) => {
    await page.locator("canvas").first().waitFor();
    await page.getByRole("treeitem", { name: "Lighthouse", exact: true }).click();
    const field = page.getByRole("textbox", { name: "Transform x", exact: true });
    const before = Number(await field.inputValue());
    const mark = await page.locator(".number", { has: field }).locator(".mark").boundingBox();
    assert.ok(mark);
    const [x, y] = [mark.x + mark.width / 2, mark.y + mark.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 50, y);
    await until("the dragged field shows one more", async () =>
      Number(await field.inputValue()) === before + 1);
    await page.mouse.move(x, y);
    await page.mouse.up();
    const [id] = (await agent("get_editor_state")).selection;
    await agent("set_transform", { id, position: [before + 7, 0, 0] });
    await until("the field shows the position that the agent set", async () =>
      Number(await field.inputValue()) === before + 7);
    assert.equal((await agent("get_history")).undoTotal, 1);
  }));

const tree = (page: Page): Locator => page.getByRole("tree", { name: "Entities" });
const row = (page: Page, name: string): Locator =>
  tree(page).getByRole("treeitem", { name, exact: true });

/** Waits until the control has that value. */
async function hasValue(control: Locator, value: string): Promise<void> {
  await until(
    `the control has the value ${value}`,
    async () => await control.inputValue() === value,
  );
}

/** An entity of the scene by its name, as the service has it. */
async function entityNamed({ agent }: EditorWorld, name: string) {
  const { entities } = await agent("svc_get_scene_state", { name, full: true });
  // deno-lint-ignore no-explicit-any
  return entities.find((one: any) => one.name === name);
}

test(
  "a value that is typed is an edit of a person; what an agent does is seen at once, and taken back",
  {
    skip,
  },
  () =>
    withEditorPage(async (world) => {
      const { page, agent } = world;
      await row(page, "Tower").click();
      const [x, y] = ["x", "y"].map((axis) =>
        page.getByLabel(`Transform ${axis}`, { exact: true })
      );
      assert.ok(x && y);
      await hasValue(y, "6");
      await y.fill("2*4");
      await y.press("Enter");
      await hasValue(y, "8");
      assert.equal((await entityNamed(world, "Tower")).traits.Transform.y, 8);
      const { id } = await entityNamed(world, "Tower");
      await agent("set_transform", { id, position: [3, 9, 0] });
      await hasValue(x, "3");
      await page.getByRole("tab", { name: "Activity" }).click();
      const steps = page.getByRole("list", { name: "Steps of undo, newest first" });
      await steps.getByText("agent").waitFor();
      const authors = await steps.locator(".badge").allTextContents();
      const [byAgent = "", ...before] = authors;
      assert.match(byAgent, /^agent /); // and the product that its runtime sends
      assert.deepEqual(before, ["you"]);
      const both = steps.getByRole("button", { name: "Undo 2 steps" });
      assert.match(await both.getAttribute("title") ?? "", /^1 of yours, 1 of agent /);
      await steps.getByRole("button", { name: "Undo", exact: true }).click();
      await hasValue(x, "0");
      await hasValue(y, "8");
      await page.keyboard.press("Control+z");
      await hasValue(y, "6");
    }),
);

test(
  "agents are seen beside what they did by what they call themselves, as text (HTTP-12)",
  { skip },
  () =>
    withEditorPage(async ({ page, url }) => {
      await page.getByRole("tab", { name: "Activity" }).click();
      const titles = ["Claude Code", "<img src=/nowhere> & <b>Sons</b>"];
      for (const title of titles) {
        const client = new Client({ name: "one-of-two", title, version: "1" });
        await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url)));
        await client.callTool({ name: "create_entity", arguments: { name: "Boat" } });
        await client.callTool({ name: "save_scene", arguments: {} });
        await client.close();
      }
      const named = titles.toReversed().map((title) => `agent ${title}`);
      const steps = page.getByRole("list", { name: "Steps of undo, newest first" }).locator(
        ".badge",
      );
      await until("the history lists the steps of the agent", async () =>
        (await steps.allTextContents()).join() === named.join());
      const events = page.getByRole("list", { name: "Events of the editor, newest first" });
      const others = events.locator(".badge");
      await until("the activity lists the events of the agent", async () =>
        (await others.allTextContents()).join() === named.join());
    }),
);

test(
  "what is selected comes into sight; where one is taken out of it, the hierarchy stays as it is",
  { skip },
  () =>
    withEditorPage(async (world) => {
      const { page, agent } = world;
      const ops = Array.from({ length: 60 }, (_, n) => ({ op: "create", name: `Crate ${n}` }));
      await agent("svc_scene_edit", { ops });
      const crate = (n: number) => row(page, `Crate ${n}`);
      const top = async () => await tree(page).evaluate(({ scrollTop }) => scrollTop);
      await page.getByLabel("Search entities").fill("crate");
      await crate(0).click();
      await page.mouse.wheel(0, 10_000);
      await crate(59).click({ modifiers: ["Control"] });
      const before = await top();
      assert.ok(before > 0);
      await crate(59).click({ modifiers: ["Control"] }); // the one far above is the primary one now
      await until("one entity is selected", async () =>
        (await agent("get_editor_state")).selection.length === 1);
      await page.getByRole("textbox", { name: "Name" }).and(page.locator("[value='Crate 0']"))
        .waitFor();
      assert.equal(await top(), before);

      // Whoever selects it, and as keys go along a range that grows and shrinks.
      await crate(59).click();
      for (let n = 0; n < 40; n++) {
        await tree(page).press("Shift+ArrowUp");
      }
      const above = await top();
      assert.ok(above < before);
      for (let n = 0; n < 30; n++) {
        await tree(page).press("Shift+ArrowDown");
      }
      assert.ok(await top() > above);
      await until("the service has what the last key selects", async () =>
        (await agent("get_editor_state")).selection.length === 11);
      await agent("set_selection", { ids: [(await entityNamed(world, "Crate 0")).id] });
      await until(
        "the tree has scrolled up to the selected entity",
        async () =>
          await top() < above,
      );
    }),
);

test(
  "entities are added, renamed, dragged below another, duplicated and removed",
  { skip },
  () =>
    withEditorPage(async (world) => {
      const { page } = world;
      await row(page, "Rules").waitFor();
      await page.getByRole("button", { name: "Add an entity" }).click();
      const chooser = page.getByRole("combobox", { name: "Kind of entity" });
      await chooser.fill("sphe");
      await chooser.press("Enter");
      await row(page, "Sphere").click();
      await page.keyboard.press("F2");
      await page.getByRole("textbox", { name: "Name" }).first().waitFor();
      await page.keyboard.type("Tower 77");
      await page.keyboard.press("Enter");
      await row(page, "Tower 77").waitFor();
      await page.getByLabel(/Search entities/).fill("tower 77");
      await until("the search has one hit", async () =>
        await page.getByRole("treeitem").count() === 1);
      await page.getByLabel(/Search entities/).fill("");
      const { id } = await entityNamed(world, "Tower 77");
      await page.getByLabel(/Search entities/).fill("tower"); // both in sight
      await row(page, "Tower 77").dragTo(row(page, "Tower"));
      await page.getByLabel(/Search entities/).fill("");
      const tower = await entityNamed(world, "Tower");
      await until("the dragged entity is a child of Tower", async () =>
        (await entityNamed(world, "Tower 77")).parentId === tower.id);
      await row(page, "Tower 77").click();
      await page.keyboard.press("Control+d");
      await until("the scene has the copy", async () =>
        (await world.agent("svc_get_scene_state", { name: "Tower 77" })).matched === 2);
      // The copy is selected once it is there.
      await until("the copy is selected", async () =>
        (await world.agent("get_editor_state")).selection[0] !== id);
      await page.keyboard.press("Delete");
      await until("the copy is deleted", async () =>
        (await world.agent("svc_get_scene_state", { name: "Tower 77" })).matched === 1);
      assert.equal((await entityNamed(world, "Tower 77")).id, id); // the copy was selected
    }),
);

test("what is selected goes through the tree by Alt and the arrows, several in their order", {
  skip,
}, () =>
  withEditorPage(async ({ page, agent }) => {
    const idsOf: Record<string, number> = {};
    for (const name of ["Row", "Row A", "Row B", "Row C", "Row D"]) {
      const parent = name === "Row" ? {} : { parentId: idsOf["Row"] };
      idsOf[name] = (await agent("create_entity", { name, ...parent })).created[0].id;
    }
    /** The children of an entity, in order. */
    const below = async (name: string): Promise<string> => {
      const { entities } = await agent("svc_get_scene_state", { limit: 1000 });
      return entities.filter((one: { parentId: number }) => one.parentId === idsOf[name])
        .map((one: { name: string }) => one.name.replace("Row ", "")).join("");
    };
    const rows: readonly (readonly [keys: string, row: string, within: string])[] = [
      ["Alt+ArrowDown", "CABD", ""],
      ["Alt+ArrowDown", "CDAB", ""],
      ["Alt+ArrowUp", "CABD", ""],
      ["Alt+ArrowRight", "CD", "AB"],
      ["Alt+ArrowLeft", "CABD", ""],
    ];
    await page.getByLabel(/Search entities/).fill("Row"); // all of them in sight
    await row(page, "Row B").click(); // the primary one is the later one
    await row(page, "Row A").click({ modifiers: ["Control"] });
    for (const [keys, all, within] of rows) {
      await page.keyboard.press(keys);
      await until(`${keys} has moved the rows`, async () =>
        await below("Row") === all && await below("Row C") === within);
    }
    // Faster than any of them is seen.
    for (const keys of ["Alt+ArrowUp", "Alt+ArrowDown", "Alt+ArrowDown", "Alt+ArrowRight"]) {
      await page.keyboard.press(keys);
    }
    await until("the rows have the order of all four keys", async () =>
      await below("Row") === "CD" && await below("Row D") === "AB");
    assert.match(page.url(), /^http/); // no key went back a page
  }));

test(
  "20,000 entities scroll and are found: only the rows in sight are in the document",
  { skip },
  () =>
    withEditorPage(async (world) => {
      const { page, agent } = world;
      await agent("open_scene", { path: "assets/scenes/many.scene.json" });
      await page.getByText("20000 entities", { exact: true }).waitFor();
      const rows = tree(page).getByRole("treeitem");
      await row(page, "Thing 0").click();
      await page.keyboard.press("End");
      await row(page, "Thing 19999").waitFor();
      assert.ok(await rows.count() < 100);
      const { id } = await entityNamed(world, "Thing 19999");
      await until("the last entity is selected", async () =>
        (await agent("get_editor_state")).selection[0] === id);
      await page.keyboard.press("Home");
      await row(page, "Thing 0").waitFor();
      await page.getByLabel(/Search entities/).fill("thing 19998");
      await row(page, "Thing 19998").waitFor();
      assert.equal(await rows.count(), 1);
    }, {
      prepare(root) {
        const entities = Array.from({ length: 20_000 }, (_, n) => ({
          guid: `${String(n).padStart(8, "0")}-0000-4000-8000-000000000000`,
          name: `Thing ${n}`,
          layer: "3d",
          traits: { Transform: {} },
        }));
        writeFileSync(
          join(root, "assets/scenes/many.scene.json"),
          JSON.stringify({ schema: 1, name: "Many", entities }),
        );
      },
    }),
);

test(
  "a chain of 9,000 entities is shown and gone through",
  { skip },
  () =>
    withEditorPage(async ({ page, agent }) => {
      await agent("open_scene", { path: "assets/scenes/chain.scene.json" });
      await page.getByText("9000 entities", { exact: true }).waitFor();
      await row(page, "Link 0").click();
      await page.keyboard.press("End");
      await row(page, "Link 8999").waitFor();
      await row(page, "Link 0").waitFor({ state: "detached" });
      await page.getByLabel(/Search entities/).fill("link 4500");
      await row(page, "Link 4500").waitFor();
    }, {
      prepare(root) {
        const guid = (n: number) => `${String(n).padStart(8, "0")}-0000-4000-8000-000000000000`;
        const entities = Array.from({ length: 9_000 }, (_, n) => ({
          guid: guid(n),
          name: `Link ${n}`,
          ...(n > 0 && { parent: guid(n - 1) }),
          layer: "3d",
          traits: { Transform: {} },
        }));
        writeFileSync(
          join(root, "assets/scenes/chain.scene.json"),
          JSON.stringify({ schema: 1, name: "Chain", entities }),
        );
      },
    }),
);

test(
  "a line of the console leads to the entity or the asset that it names",
  { skip },
  () =>
    withEditorPage(async ({ page, agent }) => {
      const { assets: [asset] } = await agent("list_assets", { type: "texture" });
      const spawns = { traits: { Transform: {}, Spawner: {} } }; // what, it does not say
      const made = await agent("create_entity", { name: "Well (id 999999)", ...spawns });
      await agent("create_entity", { name: `like ${asset.path}`, ...spawns });
      await agent("play_control", { action: "play" });
      await page.getByRole("tab", { name: "Console" }).click();
      const { id } = made.created[0];
      const selected = async () => {
        const { selection, asset } = await agent("get_editor_state");
        return { selection, asset };
      };
      await page.getByRole("button", { name: String(id), exact: true }).first().click();
      await until("the entity of the button is selected", async () =>
        (await selected()).selection[0] === id);
      await page.getByRole("button", { name: asset.path, exact: true }).first().click();
      await until("the asset of the button is selected", async () =>
        (await selected()).asset === asset.path);
    }),
);

test("a hostile project shows as text", { skip }, () =>
  withEditorPage(async ({ page, agent }) => {
    const name = `<img src=x onerror="document.title='hacked'">"&amp;`;
    const { created } = await agent("create_entity", { name });
    const text = "<script>document.title='hacked'</script>";
    await agent("create_entity", {
      name: "Sign",
      layer: "ui",
      traits: { UIElement: {}, Text: { text: text + "x".repeat(9_900) } },
    });
    assert.ok(created ?? true);
    await page.getByLabel(/Search entities/).fill("onerror");
    await tree(page).getByRole("treeitem").click();
    await page.getByLabel(/Search entities/).fill("Sign");
    await row(page, "Sign").click();
    await page.getByRole("textbox", { name: "Text Text" }).waitFor();
    assert.equal(await page.title(), "Slipway");
    assert.equal(await page.locator("img[src=x]").count(), 0);
  }));
