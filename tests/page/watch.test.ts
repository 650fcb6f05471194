import assert from "node:assert/strict";
import { test } from "node:test";
import { sparkPath } from "../../lib/page/model/sparkline.ts";
import { until } from "../support/until.ts";
import { assertAccessible } from "./axe.ts";
import { NO_CHROMIUM, withEditorPage } from "./editor-page.ts";

const skip = NO_CHROMIUM;
const BOX = { width: 100, height: 20 };
const samples = (values: readonly number[]) => values.map((value, tick) => ({ tick, value }));

for (
  const [name, values, want] of [
    ["nothing", [], ""],
    ["one value across", [3], "M0 10H100"],
    ["a rise", [0, 5, 10], "M0 20L50 10L100 0"],
    ["what stays the same in the middle", [4, 4], "M0 10L100 10"],
    ["no number that is none", [1, NaN, Infinity, 2], "M0 20L100 0"],
  ] as const
) {
  test(`sparkPath() draws ${name}`, () => assert.equal(sparkPath(samples(values), BOX), want));
}

test("sparkPath() keeps the peaks of many samples in few points", () => {
  const many = Array.from(
    { length: 5_000 },
    (_, n) => n === 2_345 ? 1_000 : n === 100 ? -1_000 : 0,
  );
  const path = sparkPath(samples(many), BOX);
  const heights = path.slice(1).split("L").map((point) => Number(point.split(" ")[1]));
  assert.ok(heights.length <= 120);
  assert.deepEqual([Math.min(...heights), Math.max(...heights)], [0, 20]);
});

test("a number of the inspector is watched while the game plays, then stopped and forgotten", {
  skip,
}, () =>
  withEditorPage(async ({ page, agent }) => {
    const hostile = `<img src=x onerror=alert(1)>${"n".repeat(100)}`;
    const { created: [{ id }] } = await agent("create_entity", {
      name: hostile,
      traits: { Transform: { y: 50 } },
    });
    await agent("set_selection", { ids: [id] });
    await page.getByRole("button", { name: "Watch Transform Position" }).click();
    const list = page.getByRole("list", { name: "Watched numbers" });
    await list.getByText("No samples yet: play the game.").waitFor();
    await agent("play_control", { action: "play" });
    const line = list.getByRole("listitem").filter({ hasText: "Transform.y" }).last();
    await line.getByText(/^min 50 · max 50 · mean 50$/).waitFor();
    await until("the sparkline has a path", async () =>
      (await line.locator(".spark path").getAttribute("d"))?.startsWith("M0 11L") === true);
    await assertAccessible(page, ".bottom");
    await agent("play_control", { action: "stop" });
    await list.getByRole("button", { name: /^Stop watching/ }).click();
    await list.getByText("stopped").waitFor();
    await list.getByRole("button", { name: /^Forget/ }).click();
    await page.getByText(/Nothing is watched/).waitFor();
    assert.equal((await agent("watch", { action: "list" })).count, 0);
    assert.equal(await page.locator("img[src=x]").count(), 0);
  }));
