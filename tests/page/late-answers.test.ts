import assert from "node:assert/strict";
import { test } from "node:test";
import { changeView, view } from "../../lib/page/model/editor.ts";
import { oneAtATime } from "../../lib/page/model/one-at-a-time.ts";
import { until, UNTIL_MS } from "../support/until.ts";
import { NO_CHROMIUM, withEditorPage } from "./editor-page.ts";

test("oneAtATime() asks once more for all that was asked meanwhile, and lets nothing overtake", async () => {
  const ends: (() => void)[] = [];
  let asked = 0;
  const load = oneAtATime(() => {
    asked++;
    return new Promise((resolve) => void ends.push(resolve));
  });
  const turn = () => new Promise((resolve) => setTimeout(resolve));
  let isDone = false;
  const first = load().then(() => isDone = true);
  for (let n = 0; n < 10; n++) void load();
  await turn();
  assert.equal(asked, 1);
  ends[0]?.();
  await turn();
  assert.deepEqual([asked, isDone], [2, false], "its last answer is what each of them waits for");
  ends[1]?.();
  await first;
  await turn();
  assert.equal(asked, 2, "nobody asked since");
  void load();
  assert.equal(asked, 3);
});

test("a view that was refused is asked for, though the next change of it was on its way", async (t) => {
  const { fetch } = globalThis;
  const asked: unknown[] = [];
  globalThis.fetch = (url) => {
    asked.push(url);
    return Promise.resolve(Response.json(before));
  };
  t.after(() => globalThis.fetch = fetch);
  const before = view.value;
  const answers: ((isDone: boolean) => void)[] = [];
  const ask = () => new Promise<boolean>((answer) => void answers.push(answer));
  const select = changeView({ ...view.value, asset: "assets/gone.png" }, ask);
  const look = changeView({ ...view.value, mode: "2d" }, ask);
  answers[0]?.(false);
  await select;
  assert.deepEqual(asked, [], "nothing is asked before all are answered");
  answers[1]?.(true);
  await look;
  assert.deepEqual(asked, ["/api/whole/view"]);
  assert.equal(view.value.asset, null);
  await changeView(view.value, () => Promise.resolve(true));
  assert.equal(asked.length, 1, "what was done is as it is shown");
});

test(
  "what the stream tells is not undone by an older answer",
  { skip: NO_CHROMIUM },
  () =>
    withEditorPage(async ({ page: first, url, agent }) => {
      const page = await first.context().newPage();
      page.setDefaultTimeout(UNTIL_MS);
      await first.close(); // it would draw beside the page that is looked at
      // The page's first answers are kept back until an agent has changed what they tell.
      let changed = () => {};
      const isChanged = new Promise<void>((resolve) => changed = resolve);
      const late = new Set<string>();
      let isLetIn = false;
      await page.route(/\/api\/whole\/(?:view|scene|history)$/, async (route) => {
        const { pathname } = new URL(route.request().url());
        // The page asks once for the view to learn whether it may ask at all.
        if (!isLetIn && pathname.endsWith("view")) {
          isLetIn = true;
          return await route.continue();
        }
        const response = await route.fetch();
        late.add(pathname);
        await isChanged;
        await route.fulfill({ response });
      });
      await page.goto(`${url}/`);
      await until("all three answers are held back", () => late.size === 3);
      // Another stream of the same page: what it has heard, the page's own has been sent.
      await page.evaluate(`new Promise((resolve) => {
        const stream = globalThis.stream = new EventSource("/api/changes");
        stream.addEventListener("hello", resolve, { once: true });
      })`);
      const heard = page.evaluate(`new Promise((resolve) =>
        stream.addEventListener("view", resolve, { once: true }))`);
      const { created: [{ id }] } = await agent("create_entity", { name: "Newcomer" });
      await agent("set_selection", { ids: [id] });
      await heard;
      changed();
      await page.getByRole("treeitem", { name: "Newcomer", selected: true }).waitFor();
      await page.getByRole("button", { name: /^Undo/ }).and(page.locator(":enabled")).waitFor();
    }),
);

test(
  "what a person selects is not undone by what the stream tells of before",
  { skip: NO_CHROMIUM },
  () =>
    withEditorPage(async ({ page, agent }) => {
      await page.getByRole("treeitem", { name: "Tower", exact: true }).waitFor();
      const { entities: [{ id }] } = await agent("svc_get_scene_state", { name: "Beach" });
      let send = () => {};
      const isSent = new Promise<void>((resolve) => send = resolve);
      await page.route("**/api/tools/set_selection", async (route) => {
        await isSent;
        await route.continue();
      });
      await page.evaluate(`new Promise((resolve) => {
        const stream = globalThis.stream = new EventSource("/api/changes");
        stream.addEventListener("hello", resolve, { once: true });
      })`);
      const heard = page.evaluate(`new Promise((resolve) =>
        stream.addEventListener("view", resolve, { once: true }))`);
      const clicked = page.getByRole("treeitem", { name: "Tower", exact: true, selected: true });
      await page.getByRole("treeitem", { name: "Tower", exact: true }).click();
      await clicked.waitFor();
      await agent("set_selection", { ids: [id] });
      await heard;
      assert.equal(await clicked.count(), 1, "the agent was before the person");
      send();
      await until("the service has the person's selection", async () =>
        String((await agent("get_editor_state")).selection) !== String(id));
      await clicked.waitFor();
      // What an agent selects afterwards is seen again.
      await agent("set_selection", { ids: [id] });
      await page.getByRole("treeitem", { name: "Beach", exact: true, selected: true }).waitFor();
    }),
);
