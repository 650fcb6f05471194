import { test } from "node:test";
import assert from "node:assert/strict";
import { ask, TINY_TOOLCHAIN } from "../support/ask.ts";
import { createTinyEditor, TINY_TRAITS } from "../support/tiny-editor.ts";

const crowd = { editor: createTinyEditor({ entities: 1_000 }) };

// SCENE-4
test("svc_get_layout_bounds answers counts by default", async () => {
  const { body } = await ask("svc_get_layout_bounds");
  assert.deepEqual({ ...body, hint: "" }, {
    count: 11,
    layerCounts: { ui: 4, "2d": 3, "3d": 4 },
    offScreen: [7, 10],
    offScreenCount: 2,
    overlapsCount: 6,
    zeroSize: { count: 1, ids: [7] },
    hint: "",
  });
});

test("svc_get_layout_bounds shows 10 ids, UI and 2D first, and whole counts", async () => {
  const { body } = await ask("svc_get_layout_bounds", { limit: 20 }, crowd);
  assert.equal(body.offScreen.length, 10);
  // In the tiny editor an id that leaves 2 of 3 is ui, 1 is 2d, 0 is 3d.
  assert.ok(body.offScreen.every((id: number) => id % 3 === 2), `${body.offScreen}`);
  assert.equal(body.offScreenTruncated, true);
  assert.ok(body.offScreenCount > 800);
  assert.equal(body.zeroSize.ids.length, 10);
  assert.equal(body.zeroSize.truncated, true);
  assert.ok(body.zeroSize.count > 100);
  assert.equal("entities" in body, false);
});

test("svc_get_layout_bounds offScreen=1 shows ids up to the limit and reads on", async () => {
  const { body } = await ask("svc_get_layout_bounds", { offScreen: 1 }, crowd);
  const counts = [body.offScreen.length, body.offScreenTruncated, body.zeroSize.ids.length];
  assert.deepEqual(counts, [200, true, body.zeroSize.count]);
  const read: number[] = [];
  const layers: number[] = [];
  for (let after = 0; after !== undefined;) {
    const page = await ask("svc_get_layout_bounds", { offScreen: 1, limit: 300, after }, crowd);
    read.push(...page.body.offScreen);
    after = page.body.next;
  }
  for (const id of read) layers.push(2 - id % 3);
  assert.deepEqual([new Set(read).size, read.length], [body.offScreenCount, body.offScreenCount]);
  assert.deepEqual(layers, layers.toSorted(), "ui, then 2d, then 3d");
});

for (const ids of [[2, 3], "2,3", "[2, 3]", ["2", "3"]]) {
  test(`svc_get_layout_bounds takes ids ${JSON.stringify(ids)}`, async () => {
    const { body } = await ask("svc_get_layout_bounds", { ids });
    assert.deepEqual(body.entities, [
      {
        id: 2,
        name: "Crate 2",
        layer: "ui",
        rect: { x: 2, y: 0, w: 10, h: 10 },
        onScreen: true,
        zeroSize: false,
      },
      {
        id: 3,
        name: "Crate 3",
        layer: "3d",
        rect: { x: 3, y: 0, w: 10, h: 10 },
        onScreen: true,
        zeroSize: false,
      },
    ]);
    assert.deepEqual([body.matched, body.truncated], [2, false]);
    assert.equal("overlaps" in body, false);
  });
}

test("svc_get_layout_bounds says which ids were not measured", async () => {
  const { body } = await ask("svc_get_layout_bounds", { ids: [1, 2, 77] });
  assert.deepEqual([body.matched, body.unmeasured, body.unmeasuredHint], [
    1,
    2,
    "ids 1 draw nothing on the screen; ids 77 are not in the scene",
  ]);
});

test("svc_get_layout_bounds whose ids name nothing is refused as svc_get_scene_state is", async () => {
  const layout = await ask("svc_get_layout_bounds", { ids: [99_999, 99_998] });
  const scene = await ask("svc_get_scene_state", { id: 99_999 });
  assert.deepEqual([layout.status, layout.body.code], [404, scene.body.code]);
  assert.deepEqual(layout.body, scene.body);
  assert.equal((await ask("svc_get_layout_bounds", { ids: [] })).body.matched, 0);
});

test("svc_get_layout_bounds lists a layer and its pairs", async () => {
  const layer = (await ask("svc_get_layout_bounds", { layer: "ui" })).body;
  assert.deepEqual(layer.entities.map((entry: { id: number }) => entry.id), [2, 5, 8, 11]);
  assert.equal(layer.overlapsCount, 6);
  const pairs = (await ask("svc_get_layout_bounds", { layer: "ui", overlaps: 1 })).body;
  assert.deepEqual(pairs.overlaps, [
    { a: 2, b: 5, layer: "ui" },
    { a: 5, b: 8, layer: "ui" },
    { a: 8, b: 11, layer: "ui" },
  ]);
  assert.deepEqual([pairs.overlapsMatched, pairs.overlapsTruncated, pairs.overlapsCount], [
    3,
    false,
    6,
  ]);
});

test("svc_get_layout_bounds cuts its lists at 200 unless told otherwise", async () => {
  const larger = { editor: createTinyEditor({ entities: 1_500 }) };
  const { body } = await ask("svc_get_layout_bounds", { layer: "ui", overlaps: 1 }, larger);
  assert.deepEqual([body.entities.length, body.truncated, body.matched], [200, true, 500]);
  assert.deepEqual([body.overlaps.length, body.overlapsTruncated, body.overlapsMatched], [
    200,
    true,
    285,
  ]);
  const more = (await ask("svc_get_layout_bounds", { layer: "ui", limit: 1e6 }, crowd)).body;
  assert.deepEqual([more.entities.length, more.truncated], [333, false]);
});

test("svc_get_layout_bounds asks for pairs only when they are wanted", async () => {
  const editor = createTinyEditor();
  await ask("svc_get_layout_bounds", {}, { editor });
  await ask("svc_get_layout_bounds", { overlaps: "0" }, { editor });
  await ask("svc_get_layout_bounds", { overlaps: "1" }, { editor });
  assert.deepEqual(editor.calls, ["layoutBounds false", "layoutBounds false", "layoutBounds true"]);
});

// SCENE-5, SCENE-6
test("list_assets answers counts by default", async () => {
  const { body } = await ask("list_assets");
  assert.deepEqual({ ...body, hint: "" }, { total: 9, byType: { texture: 6, model: 3 }, hint: "" });
  for (const word of ["type=", "folder=<prefix>", "name=<substr>"]) {
    assert.ok(body.hint.includes(word));
  }
});

for (
  const [title, args, paths] of [
    ["type", { type: "model" }, ["models/Thing0.bin", "models/Thing1.bin", "models/Thing2.bin"]],
    ["folder", { folder: "textures/ui", limit: 2 }, [
      "textures/ui/Thing0.bin",
      "textures/ui/Thing1.bin",
    ]],
    ["name, case ignored", { name: "thing2", folder: "models" }, ["models/Thing2.bin"]],
    ["a type that nothing has", { type: "modl" }, []],
    ["limit alone", { limit: 1 }, ["models/Thing0.bin"]],
  ] as const
) {
  test(`list_assets filters by ${title}`, async () => {
    const { body } = await ask("list_assets", args);
    assert.deepEqual(body.assets.map((asset: { path: string }) => asset.path), paths);
    assert.equal(body.truncated, body.count > body.assets.length);
  });
}

test("list_assets says that a folder is none, and which there are", async () => {
  const { body } = await ask("list_assets", { folder: "Textures/ui" });
  assert.deepEqual([body.count, body.hint], [
    0,
    "No asset's path begins so; they lie in models, textures, textures/ui",
  ]);
  assert.equal("hint" in (await ask("list_assets", { folder: "mod", name: "x" })).body, false);
});

test("list_assets entries have the promised fields", async () => {
  const { body } = await ask("list_assets", { folder: "models", limit: 1 });
  assert.deepEqual(Object.keys(body.assets[0]), ["guid", "path", "name", "type", "size"]);
  assert.deepEqual([body.count, body.truncated], [3, true]);
});

// SCENE-7
test("list_traits answers names, and one schema by name", async () => {
  const { body } = await ask("list_traits");
  assert.deepEqual([body.count, body.traits], [2, ["Health", "Place"]]);
  assert.deepEqual((await ask("list_traits", { name: "Health" })).body, TINY_TRAITS[0]);
  const unknown = await ask("list_traits", { name: "health" });
  assert.equal(unknown.status, 404);
  assert.match(unknown.body.hint, /Health/);
});

for (
  const [title, args, first, last, total, truncated] of [
    ["the last 50", {}, 71, 120, 120, true],
    ["as many as asked for", { limit: 200 }, 1, 120, 120, false],
    ["the oldest after a seq", { since: 10 }, 11, 60, 110, true],
    ["the oldest after a seq, few", { since: 10, limit: 3 }, 11, 13, 110, true],
    ["the rest after a seq", { since: 118 }, 119, 120, 2, false],
    ["one level", { level: "error" }, 1, 81, 3, false],
  ] as const
) {
  // RING-5
  test(`get_console_logs gives ${title}`, async () => {
    const { body } = await ask("get_console_logs", args);
    assert.deepEqual([body.entries[0].seq, body.entries.at(-1).seq], [first, last]);
    assert.deepEqual([body.total, body.truncated], [total, truncated]);
    assert.deepEqual(body.byLevel, { error: 3, log: 108, warn: 9 });
  });
}

test("svc_diagnose shows 50 ids a finding and the whole count", async () => {
  const { body } = await ask("svc_diagnose", {}, crowd);
  assert.deepEqual([body.ok, body.summary], [true, "One warning"]);
  const [finding] = body.findings;
  assert.deepEqual([finding.count, finding.ids.length, finding.truncated], [1_000, 50, true]);
  const small = (await ask("svc_diagnose")).body.findings[0];
  assert.deepEqual(Object.keys(small), ["code", "severity", "count", "ids", "hint"]);
});

test("toolchain_status passes the status on, and is 503 without a toolchain", async () => {
  assert.equal((await ask("toolchain_status")).body.platform, "linux");
  const { status, body } = await ask("toolchain_status", {}, { editor: createTinyEditor() });
  assert.deepEqual([status, body.code], [503, "no-toolchain"]);
});

test("toolchain_status narrows to one tool, and to what is there and what is missing", async () => {
  const tried = [{ path: "/p", source: "path", reason: "taken: 1" }];
  const npm = {
    id: "npm",
    kind: "binary",
    group: "Core",
    present: true,
    version: "11.0.0",
    path: "/p",
    tried,
  };
  const warnings = ["SVC_X names /x: nothing is there"];
  const android = { kind: "directory", group: "Android", present: true };
  const sdk = { id: "android-sdk", ...android, warnings, tried };
  const absent = { present: false, need: "required", canAutoInstall: true, reason: "JDK 17" };
  const java = { id: "java", kind: "directory", group: "Android", ...absent, tried };
  const preflight = {
    android: { ready: false, missing: [{ id: "java", fix: "Install it" }], bytes: 2, disk: 3 },
    ios: { ready: true, missing: [], bytes: 0 },
  };
  const about = { platform: "linux", allowSystemToolchain: true };
  const status = () =>
    Promise.resolve({ ...about, toolchainDir: "/t", tools: [npm, sdk, java], preflight });
  const services = {
    editor: createTinyEditor(),
    toolchain: {
      ...TINY_TOOLCHAIN,
      status,
      guide: () => ({ id: "npm" as const, title: "", steps: [] }),
    },
  };
  assert.deepEqual((await ask("toolchain_status", { full: 1 }, services)).body, await status());
  assert.deepEqual((await ask("toolchain_status", { id: "java" }, services)).body, java);
  for (const args of [{}, { brief: 1 }, { brief: 1, full: 1 }]) {
    const { hint, ...brief } = (await ask("toolchain_status", args, services)).body;
    assert.deepEqual(brief, {
      ...about,
      preflight: {
        android: { ready: false, missing: ["java"], bytes: 2, disk: 3 },
        ios: { ready: true },
      },
      groups: { Core: { npm: "11.0.0" }, Android: { "android-sdk": true, java: absent } },
      warnings,
    });
    assert.match(hint, /id=/);
  }
  const unknown = await ask("toolchain_status", { id: "jaav" }, services);
  assert.deepEqual([unknown.status, unknown.body.code], [404, "no-such-tool"]);
  assert.match(unknown.body.hint, /java/);
});

test("get_tool_guide gives ids, one tool's steps, and refuses others with the nearest", async () => {
  const { ids } = (await ask("get_tool_guide")).body;
  assert.ok(ids.includes("java") && ids.includes("android-sdk"));
  for (const id of ids) {
    const { body } = await ask("get_tool_guide", { id });
    assert.deepEqual([body.id, body.steps.length > 0], [id, true]);
  }
  const unknown = await ask("get_tool_guide", { id: "jaav" });
  assert.deepEqual([unknown.status, unknown.body.code], [404, "no-such-tool"]);
  assert.match(unknown.body.hint, /java/);
  const { status } = await ask("get_tool_guide", { id: "java" }, { editor: createTinyEditor() });
  assert.equal(status, 503);
});
