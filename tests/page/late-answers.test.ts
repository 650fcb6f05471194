import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { ViewState } from "../../lib/editor/ports/mod.ts";
import { changeView, takeEditor, view } from "../../lib/page/model/editor.ts";
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

/** Answers what the model asks of the service with a view, and notes the paths. */
function answering(t: TestContext, reported: () => ViewState): unknown[] {
  const { fetch } = globalThis;
  const asked: unknown[] = [];
  globalThis.fetch = (url) => {
    asked.push(url);
    return Promise.resolve(Response.json(reported()));
  };
  t.after(() => globalThis.fetch = fetch);
  return asked;
}

const turn = () => new Promise((resolve) => setTimeout(resolve));

test("changes of the view reach the service one after another, in the order of the keys", async () => {
  const before = view.value;
  const answers: ((isDone: boolean) => void)[] = [];
  const ask = () => new Promise<boolean>((answer) => void answers.push(answer));
  const first = changeView({ ...before, selection: [1] }, ask);
  const second = changeView({ ...before, selection: [2] }, ask);
  await turn();
  assert.equal(answers.length, 1, "two requests at once may arrive in either order");
  assert.deepEqual(view.value.selection, [2], "the page shows both at once");
  answers[0]?.(true);
  await first;
  await turn();
  answers[1]?.(true);
  await second;
  takeEditor({ kind: "view", values: { ...before, selection: [2] } });
  view.value = before;
});

test("what the stream tells late of a change takes no later one back", async (t) => {
  const before = view.value;
  let service = before;
  const asked = answering(t, () => service);
  const change = (selection: readonly number[]) => {
    service = { ...before, selection };
    return changeView(service, () => Promise.resolve(true));
  };
  const tell = (selection: readonly number[]) =>
    takeEditor({ kind: "view", values: { ...before, selection } });
  await change([1]);
  await change([2]);
  tell([1]);
  assert.deepEqual(view.value.selection, [2], "it is what was selected before");
  await turn();
  assert.deepEqual([asked, view.value.selection], [["/api/whole/view"], [2]]);
  tell([2]);
  tell([3]);
  assert.deepEqual([asked.length, view.value.selection], [1, [3]], "what is not this page's");
  service = { ...before, selection: [5] };
  await changeView({ ...before, selection: [4] }, () => Promise.resolve(true));
  tell([5]); // an agent was faster than the stream, which never tells of what was there between
  await until("the page shows the agent's", () => view.value.selection[0] === 5);
  takeEditor({ kind: "view", values: { ...before, selection: [4] } });
  await turn();
  view.value = before;
});

test("what the stream tells late of a way there and back shows nothing between", async (t) => {
  const before = view.value;
  answering(t, () => ({ ...before, selection: [1] }));
  for (const selection of [[1], [2], [1]]) {
    await changeView({ ...before, selection }, () => Promise.resolve(true));
  }
  for (const selection of [[1], [2], [1]]) {
    takeEditor({ kind: "view", values: { ...before, selection } });
    assert.deepEqual(view.value.selection, [1]);
  }
  await turn();
  assert.deepEqual(view.value.selection, [1]);
  takeEditor({ kind: "view", values: { ...before, selection: [2] } });
  assert.deepEqual(view.value.selection, [2], "all of this page's was told: it is somebody else's");
  view.value = before;
});

test("an answer that was asked for before a change, and comes after it, does not undo it", async (t) => {
  const before = view.value;
  const { fetch } = globalThis;
  t.after(() => globalThis.fetch = fetch);
  const answers: ((view: ViewState) => void)[] = [];
  globalThis.fetch = () =>
    new Promise((resolve) => answers.push((reported) => resolve(Response.json(reported))));
  const change = (selection: readonly number[]) =>
    changeView({ ...before, selection }, () => Promise.resolve(true));
  await change([1]);
  takeEditor({ kind: "view", values: { ...before, selection: [7] } }); // an agent's, and an answer is awaited
  assert.equal(answers.length, 1);
  await change([2]);
  answers[0]?.({ ...before, selection: [7] });
  await until("the service is asked again", () => answers.length === 2);
  assert.deepEqual(view.value.selection, [2]);
  answers[1]?.({ ...before, selection: [2], mode: "2d" });
  await until("the newest answer is shown", () => view.value.mode === "2d");
  assert.deepEqual(view.value.selection, [2]);
  view.value = before;
});

test("a view that was refused is asked for, though the next change of it was on its way", async (t) => {
  const before = view.value;
  const asked = answering(t, () => before);
  const answers: ((isDone: boolean) => void)[] = [];
  const ask = () => new Promise<boolean>((answer) => void answers.push(answer));
  const select = changeView({ ...view.value, asset: "assets/gone.png" }, ask);
  const look = changeView({ ...view.value, mode: "2d" }, ask);
  await turn();
  answers[0]?.(false);
  await select;
  await turn();
  assert.deepEqual(asked, [], "nothing is asked before all are answered");
  answers[1]?.(true);
  await look;
  assert.deepEqual(asked, ["/api/whole/view"]);
  assert.equal(view.value.asset, null);
  await changeView(view.value, () => Promise.resolve(true));
  assert.equal(asked.length, 1, "what was done is as it is shown");
  takeEditor({ kind: "view", values: { ...before, selection: [9] } });
  assert.deepEqual([asked.length, view.value.selection], [1, [9]], "no report is awaited any more");
  view.value = before;
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
