import { test } from "node:test";
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ANIMATION_TOOLS } from "../../lib/agent/tools/animation.ts";
import { ASSET_TOOLS } from "../../lib/agent/tools/assets.ts";
import { callTool } from "../../lib/agent/declaration/call.ts";
import { valueAt } from "../../lib/agent/answer/json-pointer.ts";
import { glb, packed, triangleGlb } from "../editor/glb.ts";
import { type McpCall, withMcpClient } from "../support/mcp-client.ts";
import { type ProjectService, withSampleService } from "../support/project-service.ts";
import { ask, toolNamed } from "../support/ask.ts";

/** A service on the sample, over HTTP and over MCP. */
async function onSample(
  work: (service: ProjectService, mcp: McpCall) => Promise<void>,
): Promise<void> {
  await withSampleService(async (service) => {
    await withMcpClient(service.handler, (mcp) => work(service, mcp));
  });
}

/** The content of a file of the project. */
// deno-lint-ignore no-explicit-any
function contentOf({ root }: ProjectService, path: string): any {
  return JSON.parse(readFileSync(join(root, path), "utf8"));
}

const post = (body: unknown): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

test("get_asset tells facts, content and parts of it, by path, guid and prefix", () =>
  onSample(async ({ call, send }, mcp) => {
    const path = "assets/animations/bob.anim.json";
    const { body: facts } = await call("get_asset", { asset: path });
    assert.deepEqual(
      { ...facts, guid: 0, size: 0 },
      { guid: 0, path, type: "animation", size: 0, length: 2, tracks: 1, keys: 5 },
    );
    const { body: complete } = await mcp("get_asset", {
      asset: facts.guid.slice(0, 8),
      content: 1,
    });
    assert.equal(complete.content.tracks[0].keys.length, 5);
    const { body: part } = await send(`/api/asset?asset=${facts.guid}&at=/tracks/0/keys/1/value`);
    assert.equal(part.value, 0.15);
    assert.equal(part.content, undefined);
    const { body: sound } = await call("get_asset", { asset: "assets/audio/coin.wav" });
    assert.ok(Math.abs(sound.seconds - 0.26) < 0.01);
    const { body: picture } = await call("get_asset", { asset: "assets/textures/crate.png" });
    assert.equal(picture.pixels.width > 0, true);
    assert.equal(picture.meta.filter, "nearest");
    const { body: missing, status } = await call("get_asset", { asset: path, at: "/tracks/9" });
    assert.deepEqual([status, missing.code], [404, "nothing-there"]);
    assert.match(missing.hint, /"\/tracks" is a list of 1/);
  }));

test("get_asset_schema lists types, then one with its example", () =>
  onSample(async ({ call }, mcp) => {
    const { body: all } = await mcp("get_asset_schema");
    assert.equal(all.types.material, ".material.json");
    const { body: one } = await call("get_asset_schema", { type: "material" });
    assert.equal(one.fields.roughness.max, 1);
    assert.equal(one.example.schema, 1);
    const { status, body } = await call("get_asset_schema", { type: "audio" });
    assert.equal(status, 404);
    assert.match(body.hint, /material/);
  }));

test("create_asset, write_asset, set_asset_meta, move_asset and delete_asset change files", () =>
  onSample(async (service, mcp) => {
    const { call, send, root, editor } = service;
    const path = "assets/materials/new.material.json";
    const made = await mcp("create_asset", {
      path,
      content: { color: "#102030", texture: "assets/textures/crate.png" },
    });
    assert.equal(made.isError, false);
    assert.equal(made.body.path, path);
    assert.match(contentOf(service, path).texture, /^[0-9a-f-]{36}$/);
    const asset = made.body.guid;
    const written = await call("write_asset", { asset, content: { roughness: 0.25 }, merge: 1 });
    assert.equal(written.status, 200, written.text);
    assert.equal(contentOf(service, path).roughness, 0.25);
    assert.equal(contentOf(service, path).color, "#102030");
    const bad = await mcp("write_asset", { asset, content: { roughness: 7 } });
    assert.deepEqual([bad.isError, bad.body.code], [true, "asset-invalid"]);
    const meta = await send("/api/assets/meta", post({ asset, meta: { note: "mine" } }));
    assert.deepEqual(meta.body, { ok: true, meta: { guid: asset, note: "mine" }, undo: 3 });
    const moved = await call("move_asset", { asset, to: "assets/elsewhere/" });
    assert.deepEqual(moved.body, {
      ok: true,
      path: "assets/elsewhere/new.material.json",
      undo: 4,
    });
    const { body: there } = await call("get_asset", { asset: moved.body.path });
    assert.equal(there.guid, asset);
    const deleted = await mcp("delete_asset", { asset });
    assert.equal(deleted.body.deleted, "assets/elsewhere/new.material.json");
    assert.equal(existsSync(join(root, "assets/elsewhere/new.material.json")), false);
    const types = editor.journals.editor().map(({ type, source }) => `${type} ${source}`);
    assert.deepEqual(types, [
      "asset-create agent",
      "asset-write agent",
      "asset-meta agent",
      "asset-move agent",
      "asset-remove agent",
    ]);
  }));

test("delete_asset names the users; find_asset_uses lists them", () =>
  onSample(async ({ call }, mcp) => {
    const asset = "assets/materials/crate.material.json";
    const refused = await mcp("delete_asset", { asset });
    assert.deepEqual([refused.isError, refused.body.code], [true, "in-use"]);
    assert.match(refused.body.detail, /harbor\.scene\.json/);
    const { body: uses } = await call("find_asset_uses", { asset, limit: 2 });
    assert.ok(uses.count > 2);
    assert.equal(uses.uses.length, 2);
    assert.equal(uses.truncated, true);
    const { body: unused } = await mcp("find_asset_uses");
    const sum = Object.values(unused.byType).reduce((a: number, b) => a + Number(b), 0);
    assert.equal(unused.unused, sum);
    const { body: made } = await call("create_asset", { path: "assets/lone.material.json" });
    const { body: lone } = await call("find_asset_uses", { type: "material" });
    assert.ok(lone.assets.includes(made.path));
  }));

test("undo says which files stand in its way, and leaves them when told", () =>
  onSample(async ({ call, root }, mcp) => {
    const asset = "assets/materials/crate.material.json";
    await mcp("rename_entity", { id: 2, name: "Eye" });
    await mcp("write_asset", { asset, content: { color: "#0000ff" }, merge: true });
    writeFileSync(join(root, asset), "theirs");
    const { status, body: refused } = await call("undo", { steps: 2 });
    assert.deepEqual([status, refused.code], [409, "changed-on-disk"]);
    assert.match(refused.hint, /leave=1/);
    const { body } = await mcp("undo", { steps: 2, leave: 1 });
    assert.deepEqual([body.steps, body.left, body.leftTotal], [2, [asset], 1]);
    assert.equal(readFileSync(join(root, asset), "utf8"), "theirs");
    const { body: again } = await call("redo", { steps: 2 });
    assert.deepEqual([again.steps, again.left], [2, undefined]);
  }));

test("get_asset tells how long a sound is, whatever its kind", () =>
  onSample(async ({ call, root, editor }) => {
    // Frames of MPEG 1 layer III: 128 kbit/s, 44.1 kHz, 417 bytes each.
    const mp3 = new Uint8Array(100 * 417);
    for (let at = 0; at < mp3.length; at += 417) mp3.set([0xff, 0xfb, 0x90, 0], at);
    writeFileSync(join(root, "assets/audio/gull.mp3"), mp3);
    writeFileSync(join(root, "assets/audio/none.ogg"), "OggS and nothing else");
    await editor.rescanAssets();
    const { body: gull } = await call("get_asset", { asset: "assets/audio/gull.mp3" });
    assert.equal(gull.seconds, 100 * 417 * 8 / 128_000);
    const { status, body: none } = await call("get_asset", { asset: "assets/audio/none.ogg" });
    assert.deepEqual([status, "seconds" in none], [200, false]);
    const { body: coin } = await call("get_asset", { asset: "assets/audio/coin.wav" });
    assert.deepEqual([coin.channels, coin.hertz > 0], [1, true]);
  }));

test("import_file says how far it is: read, each file written, listed", () =>
  onSample(async ({ editor, jobs, root }) => {
    writeFileSync(join(root, "thing.glb"), triangleGlb([{ mesh: 0 }]));
    const heard: (readonly [number, number | undefined, string | undefined])[] = [];
    const progress = (...reported: [number, number?, string?]) => {
      heard.push([reported[0], reported[1], reported[2]]);
    };
    const options = { cap: 60_000, progress };
    const args = { file: "thing.glb" };
    const answer = await callTool(toolNamed("import_file"), args, { editor, jobs }, options);
    assert.equal(answer.ok, true);
    // A model, a mesh and a prefab.
    assert.deepEqual(heard, [
      [0, undefined, "reading the file"],
      [1, 5, "writing assets"],
      [2, 5, "writing assets"],
      [3, 5, "writing assets"],
      [4, 5, "listing what is new"],
    ]);
  }));

test("import_file brings in a model and says what became of it", () =>
  onSample(async ({ call, root }, mcp) => {
    writeFileSync(join(root, "thing.glb"), triangleGlb([{ mesh: 0 }, { mesh: 0 }]));
    const { body } = await mcp("import_file", { file: "thing.glb" });
    assert.equal(body.undo, 1);
    assert.deepEqual(body.byType, { mesh: 1, model: 1, prefab: 1 });
    assert.equal(body.prefab.path, "assets/models/thing/thing.prefab.json");
    const { body: prefab } = await call("get_asset", { asset: body.prefab.guid });
    assert.equal(prefab.entities, 3);
    const { body: model } = await call("get_asset", { asset: "assets/models/thing/thing.glb" });
    assert.equal(model.model.nodes, 2);
    assert.deepEqual(model.bounds.max, [1, 2, 0]);
    const { status, body: refused } = await call("import_file", { file: "none.glb" });
    assert.deepEqual([status, refused.code], [404, "file-missing"]);
    writeFileSync(join(root, "../outside.glb"), triangleGlb([{ mesh: 0 }]));
    for (const file of [join(root, "../outside.glb"), join(root, "thing.glb"), "../outside.glb"]) {
      const out = await call("import_file", { file });
      assert.deepEqual([out.status, out.body.code], [403, "outside-project"], file);
      assert.match(out.body.hint, /^Copy the file into the project first/);
    }
  }));

test("set_animation_key adds, replaces and removes keys; numbers may be text", () =>
  onSample(async (service, mcp) => {
    const { call } = service;
    const asset = "assets/animations/bob.anim.json";
    const keys = (track = 0) => contentOf(service, asset).tracks[track].keys;
    const field = "Transform.y";
    const added = await mcp("set_animation_key", { asset, field, t: 0.25, value: 0.1, ease: "in" });
    assert.deepEqual(added.body, { ok: true, path: asset, track: 0, keys: 6, undo: 1 });
    assert.deepEqual(keys()[1], { t: 0.25, value: 0.1, ease: "in" });
    await call("set_animation_key", { asset, field, t: "0.25", value: "0.2" });
    assert.deepEqual(keys()[1], { t: 0.25, value: 0.2 });
    await call("set_animation_key", { asset, field, t: 0.25, remove: 1 });
    assert.equal(keys().length, 5);
    const other = { asset, target: "Hull", field: "Transform.x" };
    const longer = await call("set_animation_key", { ...other, t: 3, value: 1 });
    assert.equal(contentOf(service, asset).length, 3, "the clip gets longer");
    assert.equal(longer.body.length, 3, "and the answer says so");
    assert.deepEqual(keys(1), [{ t: 3, value: 1 }]);
    const nowhere = await call("set_animation_key", { ...other, t: 1, remove: true });
    assert.deepEqual([nowhere.status, nowhere.body.code], [404, "no-such-key"]);
    assert.match(nowhere.body.hint, /at 3/);
    const last = await call("set_animation_key", { ...other, t: 3, remove: true });
    assert.deepEqual({ ...last.body, undo: 0 }, { ok: true, path: asset, keys: 0, undo: 0 });
    assert.equal(contentOf(service, asset).tracks.length, 1, "an empty track goes");
    const wrong = await mcp("set_animation_key", { asset, field: "Transform.up", t: 0, value: 1 });
    assert.match(wrong.body.detail, /unknown field of Transform "up"/);
    const text = await call("set_animation_key", { asset, field, t: 0, value: "up" });
    assert.equal(text.body.code, "asset-invalid");
    const model = await call("set_animation_key", { asset: "assets/models/buoy.glb" });
    assert.equal(model.body.code, "wrong-asset-type");
  }));

test("set_animation_clip sets length and loop, and stretches keys", () =>
  onSample(async (service, mcp) => {
    const asset = "assets/animations/bob.anim.json";
    const { body } = await mcp("set_animation_clip", { asset, length: 4, stretch: 1, loop: 0 });
    assert.deepEqual(body, { ok: true, path: asset, length: 4, loop: false, undo: 1 });
    const { tracks } = contentOf(service, asset);
    assert.deepEqual(tracks[0].keys.map(({ t }: { t: number }) => t), [0, 1, 2, 3, 4]);
    const short = await service.call("set_animation_clip", { asset, length: 1 });
    assert.equal(short.body.code, "asset-invalid", "keys would lie after the end");
    assert.match(short.body.detail, /length .* to 1 s: it has keys or items until 4 s$/);
    assert.match(short.body.hint, /^stretch=1 moves them along/);
    assert.equal(contentOf(service, asset).length, 4);
  }));

test("set_timeline_item builds a timeline that get_timeline tells", () =>
  onSample(async ({ call }, mcp) => {
    const { body: made } = await call("create_asset", { path: "assets/intro.timeline.json" });
    const asset = made.path;
    const clip = "assets/animations/spin.anim.json";
    const first = await mcp("set_timeline_item", {
      asset,
      type: "animation",
      target: "Boat",
      item: { t: 2, duration: 1, clip },
    });
    assert.deepEqual(first.body, {
      ok: true,
      path: asset,
      track: 0,
      items: 1,
      length: 2,
      undo: 2,
    });
    const set = (args: object) => call("set_timeline_item", { asset, ...args });
    await set({ track: 0, item: { t: 0.5, clip } });
    await set({ type: "signal", item: { t: 6, signal: "arrived" } });
    const { body: all } = await call("get_timeline", { asset });
    assert.equal(all.length, 6);
    assert.deepEqual(all.tracks, [
      { type: "animation", target: "Boat", count: 2 },
      { type: "signal", count: 1 },
    ]);
    const { body: track } = await mcp("get_timeline", { asset, track: 0 });
    assert.deepEqual(track.items.map(({ t }: { t: number }) => t), [0.5, 2]);
    await set({ track: 0, index: 0, item: { t: 3 } });
    const { body: after } = await call("get_timeline", { asset, track: 0 });
    assert.deepEqual(after.items.map(({ t }: { t: number }) => t), [2, 3]);
    await set({ track: 1, index: 0, remove: 1 });
    assert.equal((await call("get_timeline", { asset })).body.count, 1);
    assert.equal((await set({ track: 0, item: { t: 1, signal: "x" } })).body.code, "asset-invalid");
    assert.equal(
      (await set({ track: 0, item: { t: 1, clip: "x.anim" } })).body.code,
      "no-such-asset",
    );
    // It would have been passed over without a word.
    const moved = await set({ track: 0, target: "Hull", item: { t: 1, clip } });
    assert.deepEqual([moved.status, moved.body.code], [409, "other-track"]);
    assert.equal((await set({ track: 0, target: "Boat", index: 0, item: { t: 2 } })).status, 200);
    const none = await set({ track: 8, item: { t: 1 } });
    assert.deepEqual([none.status, none.body.code], [404, "no-such-track"]);
  }));

test("the tools of assets and animations answer without arguments, and 503 without authoring", () =>
  onSample(async ({ call }, mcp) => {
    for (const { name } of [...ASSET_TOOLS, ...ANIMATION_TOOLS]) {
      const { status, body } = await call(name);
      assert.ok(status === 200 || (status === 400 && body.code === "missing-argument"), name);
      if (status !== 200) assert.notEqual(body.hint, "");
      const reported = await mcp(name);
      assert.equal(reported.isError, status !== 200, name);
      assert.deepEqual(Object.keys(reported.body), Object.keys(body));
      const foreign = await ask(name);
      assert.equal(foreign.status, name === "list_assets" ? 200 : 503);
    }
  }));

test("an imported animation plays in the game", () =>
  onSample(async ({ call, root, editor }) => {
    const { json, bytes } = packed([
      { data: new Float32Array([0, 1]), type: "SCALAR" },
      { data: new Float32Array([0, 0, 0, 0, 3, 0]), type: "VEC3" },
    ]);
    writeFileSync(
      join(root, "lift.glb"),
      glb({
        ...json,
        nodes: [{ name: "Shaft", children: [1] }, { name: "Lift Cabin" }],
        animations: [{
          name: "Rise",
          samplers: [{ input: 0, output: 1 }],
          channels: [{ sampler: 0, target: { node: 1, path: "translation" } }],
        }],
      }, bytes),
    );
    const { body: made } = await call("import_file", { file: "lift.glb" });
    const { body: placed } = await call("instantiate_prefab", { prefab: made.prefab.guid });
    assert.ok(placed.rev > 0, JSON.stringify(placed));
    const stepped = await editor.play.step(30, { source: "agent" });
    assert.equal(stepped.ok, true);
    const { entities } = await editor.sceneState();
    const height = entities.find(({ name }) => name === "Lift Cabin")?.traits["Transform"]?.["y"];
    assert.ok(typeof height === "number" && Math.abs(height - 1.5) < 0.1, String(height));
    await editor.play.stop("agent");
  }));

const CONTENT = { a: [{ "b/c": 1, "d~": 2 }], "": 3 };
for (
  const [pointer, expected] of [
    ["/a/0/b~1c", 1],
    ["a/0/d~0", 2],
    ["/", CONTENT],
    ["/a/1", undefined],
    ["/a/-1", undefined],
    ["/a/00", undefined],
    ["/constructor", undefined],
    ["/a/0/b~1c/x", undefined],
  ] as const
) {
  test(`valueAt() ${pointer}`, () => {
    const found = valueAt(CONTENT, pointer);
    assert.deepEqual(found.ok ? found.value : undefined, expected);
  });
}
