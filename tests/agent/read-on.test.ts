import { test } from "node:test";
import assert from "node:assert/strict";
import { callTool } from "../../lib/agent/declaration/call.ts";
import { TOOLS } from "../../lib/agent/tools.ts";
import { withSampleService } from "../support/project-service.ts";
import { stillClock } from "../editor/project-folder.ts";
import { createTinyServices, toolNamed } from "../support/ask.ts";
import { createTinyEditor } from "../support/tiny-editor.ts";

// Every list that is cut says so, says how long it is, and is read on by after=<next> (BUDGET-6).

/** A list of each tool that can cut one: what shows it, where it stands, and its total. */
const LISTS: readonly (readonly [string, object, string, string])[] = [
  ["tools", { search: "the" }, "tools", "matched"],
  ["svc_get_scene_state", { limit: 20 }, "entities", "entityCount"],
  ["svc_get_scene_state", { trait: "Transform", limit: 20 }, "entities", "matched"],
  ["get_history", { limit: 2 }, "undo", "undoTotal"],
  ["list_scenes", { limit: 1 }, "scenes", "count"],
  [
    "find_references",
    { asset: "assets/materials/crate.material.json", limit: 1 },
    "references",
    "count",
  ],
  ["spatial_query", { near: [0, 0, 0], limit: 7 }, "entities", "count"],
  ["list_assets", { folder: "assets/", limit: 7 }, "assets", "count"],
  ["find_asset_uses", { asset: "assets/materials/crate.material.json", limit: 1 }, "uses", "count"],
  ["find_asset_uses", { limit: 1 }, "assets", "count"],
  [
    "get_timeline",
    { asset: "assets/animations/bob.anim.json", track: 0, limit: 1 },
    "items",
    "count",
  ],
  ["svc_get_layout_bounds", { layer: "ui", limit: 5 }, "entities", "matched"],
  ["svc_get_layout_bounds", { overlaps: 1, limit: 5 }, "overlaps", "overlapsMatched"],
  ["svc_get_layout_bounds", { offScreen: 1, limit: 5 }, "offScreen", "offScreenCount"],
  ["handles", { editor: "scene", limit: 2 }, "handles", "total"],
  ["list_actions", { limit: 1 }, "actions", "count"],
  ["get_console_logs", { limit: 1 }, "entries", "total"],
  ["watch", { action: "read", limit: 50 }, "series", "seriesTotal"],
  ["journal", { limit: 7 }, "events", "total"],
  ["journal", { since: 3, limit: 7 }, "events", "total"],
  ["editor_journal", { limit: 2 }, "events", "total"],
];

test("every tool that takes after= has a list here", () => {
  // A capture is compared with the one after it: no list.
  const takes = TOOLS.filter(({ name, parameters }) =>
    name !== "compare_captures" && parameters.some((one) => one.name === "after")
  );
  const here = new Set([
    ...LISTS.map(([name]) => name),
    "svc_diagnose",
    "job_get",
    // Where there is a device: tests/engines/device-bridge.test.ts.
    "device_console_logs",
    "device_native_logs",
  ]);
  assert.deepEqual(takes.map(({ name }) => name).filter((name) => !here.has(name)), []);
});

// BUDGET-6
test("every cut list says truncated and its total, and is read on by after=<next>", () =>
  withSampleService(async ({ call }) => {
    await call("rename_entity", { id: 1, name: "One" });
    await call("rename_entity", { id: 1, name: "Two" });
    await call("rename_entity", { id: 1, name: "Three" });
    const crate = (await call("svc_get_scene_state", { trait: "Renderable3D", limit: 1 })).body;
    await call("set_selection", { ids: [crate.entities[0].id] });
    const handles = await call("handles", { editor: "scene" });
    assert.ok(handles.body.total > 2, handles.text);
    const editing = LISTS.filter(([, , member]) => member === "handles" || member === "undo");
    for (const row of editing) await readOn(call, row);
    await call("watch", { action: "start", fields: ["Transform.y"] });
    await call("step_play", { ticks: 30 });
    for (const row of LISTS) if (!editing.includes(row)) await readOn(call, row);
  }, { clock: stillClock }));

async function readOn(
  // deno-lint-ignore no-explicit-any
  call: (name: string, args: any) => Promise<{ status: number; text: string; body: any }>,
  [name, args, member, total]: (typeof LISTS)[number],
): Promise<void> {
  const what = `${name} ${JSON.stringify(args)}`;
  const complete = (await call(name, { ...args, limit: 1_000_000 })).body;
  assert.equal(complete[member].length, complete[total], what);
  const read: unknown[] = [];
  for (let after: number | undefined = 0; after !== undefined;) {
    const { status, text, body } = await call(name, { ...args, after });
    assert.equal(status, 200, text);
    assert.equal(body[total], complete[total], what);
    const more = read.length + body[member].length < complete[total];
    const cut = body.truncated ?? body[`${member}Truncated`] ?? false;
    assert.deepEqual([cut, "next" in body], [more, more], `${what}: ${text.slice(0, 200)}`);
    assert.ok(!more || body[member].length > 0, what);
    // A ring shows its end first, and is read on towards its beginning.
    if (args instanceof Object && !("since" in args) && RINGS.includes(member)) {
      read.unshift(...body[member]);
    } else read.push(...body[member]);
    after = body.next;
  }
  assert.ok(
    read.length > complete[total] / 2 && complete[total] > 1,
    `${what} has only ${complete[total]}`,
  );
  assert.deepEqual(read, complete[member], what);
}

const RINGS = ["events", "entries"];

/** Tokens by the estimate of CONTRACTS §1. */
function estimated(text: string): number {
  const dense = [...text].filter((letter) => /[\x21-\x2f\x30-\x40\x5b-\x60\x7b-\x7e]/.test(letter));
  return dense.length / 2 + (text.length - dense.length) / 4;
}

// BUDGET-9
test("svc_get_scene_state fills a search up to the cap and 20,000 tokens, and says how it goes on", async () => {
  const services = { ...createTinyServices(), editor: createTinyEditor({ entities: 1_200 }) };
  const tool = toolNamed("svc_get_scene_state");
  for (const args of [{ trait: "Place" }, { where: "Place.x >= 0" }, { name: "e" }]) {
    const read: unknown[] = [];
    let pages = 0;
    for (let after: number | undefined = 0; after !== undefined; pages++) {
      const { text } = await callTool(tool, { ...args, after }, services, { cap: 60_000 });
      const body = JSON.parse(text);
      assert.ok(text.length <= 60_000, `${text.length}`);
      // Full, but for what one more entity would take.
      const tokens = estimated(text);
      assert.ok(tokens <= 20_000, `${tokens} tokens`);
      assert.ok(body.next === undefined || text.length > 59_500 || tokens > 19_800, `${tokens}`);
      // What was shortened says how long the whole was, and why.
      const facts = body.next === undefined ? [undefined, undefined] : [true, 60_000];
      assert.deepEqual(
        [body.bytes === undefined ? undefined : body.bytes > 20_000, body.cap],
        facts,
      );
      assert.deepEqual([body.truncated, body.elided], [body.next !== undefined, undefined]);
      assert.ok(body.matched >= 1_199);
      if (body.next !== undefined) assert.ok(body.hint.endsWith(`after=${body.next} reads on`));
      read.push(...body.entities.map(({ id }: { id: number }) => id));
      after = body.next;
    }
    assert.ok(pages > 2 && read.length >= 1_199);
    assert.equal(new Set(read).size, read.length);
  }
  // Rectangles and assets that were asked for are values as well (TOOL-2).
  await withSampleService(async ({ send }) => {
    const headers = { "x-svc-cap": "4000" };
    for (
      const [path, member] of [
        ["/api/layout-bounds?layer=3d", "entities"],
        ["/api/assets?folder=assets/", "assets"],
      ] as const
    ) {
      const { body, text } = await send(path, { headers });
      assert.deepEqual([body.truncated, body.next], [true, body[member]?.length], text);
    }
  });
  // What is not a search, or where not one entry fits, is withheld as ever.
  for (const [args, cap] of [[{ full: true }, 60_000], [{ trait: "Place" }, 200]] as const) {
    const { text } = await callTool(tool, args, services, { cap });
    assert.equal(JSON.parse(text).elided, true, text.slice(0, 100));
  }
  // All values of what a search finds are narrowed by it.
  const { text } = await callTool(tool, { full: true, trait: "Place" }, services, { cap: 60_000 });
  assert.deepEqual([JSON.parse(text).elided, JSON.parse(text).truncated], [undefined, true]);
});

// BUDGET-9
test("an explicit limit is answered with all rows up to it, or with the envelope", async () => {
  const services = { ...createTinyServices(), editor: createTinyEditor({ entities: 1_200 }) };
  const asked = [
    ["svc_get_scene_state", { trait: "Place" }, "entities"],
    ["svc_get_scene_state", {}, "entities"],
    ["svc_get_layout_bounds", { layer: "3d" }, "entities"],
    ["list_assets", { type: "texture" }, "assets"],
  ] as const;
  for (const [name, filter, list] of asked) {
    for (const limit of [5, 150, 100_000]) {
      for (const cap of [3_000, 60_000]) {
        const args = { ...filter, limit };
        const answer = await callTool(toolNamed(name), args, services, { cap });
        const body = JSON.parse(answer.text);
        const what = `${name} ${JSON.stringify(args)} cap=${cap}: ${answer.text.slice(0, 200)}`;
        if (body.elided === true) {
          assert.ok(body.bytes > cap, what);
          continue;
        }
        const total = body.matched ?? body.count ?? body.entityCount;
        assert.equal(body[list].length, Math.min(limit, total), what);
        assert.equal("bytes" in body || "cap" in body, false, what);
      }
    }
  }
});
