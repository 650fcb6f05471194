import { test } from "node:test";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { cpSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseGameFile } from "../../lib/game/assets/mod.ts";
import { buildWeb } from "../../lib/project/building/build.ts";
import type { ProjectConfig } from "../../lib/project/config/config.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { treeOf, withFolder, writeTree } from "../support/folder.ts";

const SCENE = "scenes/main.scene.json";
const OTA = {
  enabled: true,
  baseUrl: "https://cdn.example/updates",
  publicKey: "4ruKProhPkbmehDK0p2Ctvk9pL005XLKXfDiDno8qXA",
  bundleName: "boats",
  engineApi: 3,
} as const;

const guid = (digit: number) => `00000000-0000-4000-8000-00000000000${digit}`;
const sidecar = (digit: number, more: object = {}) =>
  JSON.stringify({ guid: guid(digit), ...more });
const entity = (name: string, traits: object, layer = "3d") => ({
  guid: guid(9),
  name,
  layer,
  traits,
});
const scene = (...entities: readonly object[]) =>
  JSON.stringify({ schema: 1, name: "Scene", entities });

/** A start scene that reaches a model in two files by a material, another scene, and a sound. */
const PROJECT = {
  [SCENE]: scene(entity("Box", {
    Renderable3D: { material: guid(1) },
    ScriptAction: { action: "go", effect: "openScene", text: "assets/next.scene.json" },
  })),
  "assets/next.scene.json": scene(entity("Horn", { AudioSource: { clip: guid(3) } })),
  "assets/box.material.json": JSON.stringify({ schema: 1, texture: guid(2) }),
  "assets/box.material.json.meta.json": sidecar(1),
  "assets/ä b.gltf": JSON.stringify({
    asset: { version: "2.0" },
    buffers: [{ uri: "data%201.bin" }, { uri: "data:," }, { uri: "../../out.bin" }],
  }),
  "assets/ä b.gltf.meta.json": sidecar(2, { type: "texture", filter: "nearest" }),
  "assets/data 1.bin": "0101",
  "assets/horn.mp3": "no frames",
  "assets/horn.mp3.meta.json": sidecar(3, { loop: true }),
  "assets/unused.mp3": "",
  "assets/unused.mp3.meta.json": sidecar(4),
  "notes.txt": "mine",
};

/** Builds the project in `root`; the log is told with the result. */
async function build(root: string, over: Partial<ProjectConfig> = {}, hasRuntime = true) {
  const { gameRuntime, ...runtime } = await loadRuntime();
  const log: string[] = [];
  const result = await buildWeb(hasRuntime ? { ...runtime, gameRuntime } : runtime, {
    root,
    config: { name: "Boats & <Co>", startScene: SCENE, build: { web: { out: "dist" } }, ...over },
    env: {},
    onLine: (line) => log.push(line),
  });
  return { result, log };
}

/** What the game in `root` says that it is made of. */
function gameIn(files: Readonly<Record<string, string>>) {
  const game = parseGameFile(new Uint8Array(Buffer.from(files["game.json"] ?? "", "latin1")));
  assert.ok(game.ok, game.ok ? "" : game.error.message);
  return game.value;
}

test("an icon without a size is told: phones take a PNG", () =>
  withFolder(async (root) => {
    writeTree(root, { ...PROJECT, "icon.svg": "<svg/>" });
    const warned = async (over: Partial<ProjectConfig>) =>
      (await build(root, over)).log.filter((line) => line.startsWith("warning: icon.svg"));
    assert.match((await warned({ icon: "icon.svg" })).join(), /home screen takes a PNG/);
    assert.deepEqual(await warned({}), []);
  }));

test("a game is built of its scenes and of what they reach; what nothing names is told", () =>
  withFolder(async (root) => {
    writeTree(root, PROJECT);
    const { result, log } = await build(root);
    assert.ok(result.ok, result.ok ? "" : result.error.detail);
    const files = treeOf(join(root, "dist"));
    const [runtime, own] = [/^runtime\//, /^(?:assets|scenes)\//].map((folder) =>
      Object.keys(files).filter((path) => folder.test(path)).sort()
    );
    assert.deepEqual(own, [
      "assets/box.material.json",
      "assets/data 1.bin",
      "assets/horn.mp3",
      "assets/next.scene.json",
      "assets/ä b.gltf",
      SCENE,
    ]);
    assert.ok(runtime?.every((path) => /-[A-Z0-9]{8}\.(?:js|wasm)$/.test(path)), String(runtime));
    assert.match(log.join("\n"), /left out, as nothing of the game names it: assets\/unused\.mp3/);
    const { assets, ota, ...game } = gameIn(files);
    assert.deepEqual(game, {
      name: "Boats & <Co>",
      startScene: SCENE,
      viewport: { width: 1280, height: 720 },
      engineApi: 1,
      beside: ["assets/data 1.bin"],
    });
    assert.equal(ota, null);
    assert.deepEqual(assets.map(({ path, settings }) => [path, settings]), [
      ["assets/box.material.json", undefined],
      ["assets/horn.mp3", { loop: true }],
      ["assets/next.scene.json", undefined],
      ["assets/ä b.gltf", { filter: "nearest" }],
      [SCENE, undefined],
    ]);
  }));

test("pictures of a scene that do not fit together are told by the build", () =>
  withFolder(async (root) => {
    const head = new Uint8Array(33);
    head.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]);
    head.set([0x20, 0, 0, 0, 0x20, 0], 18); // 8,192 × 8,192
    const sheets = [5, 6, 7].map((n) => [`assets/${n}.png`, guid(n)] as const);
    writeTree(root, {
      ...PROJECT,
      "assets/box.material.json": JSON.stringify({
        schema: 1,
        textures: sheets.map(([, guid]) => guid),
      }),
      ...Object.fromEntries(
        sheets.map(([path, guid]) => [`${path}.meta.json`, JSON.stringify({ guid })]),
      ),
    });
    for (const [path] of sheets) writeFileSync(join(root, path), head);
    const { log } = await build(root);
    const reported = log.filter((line) => line.includes("graphics memory"));
    assert.equal(reported.length, 1, log.join("\n"));
    const begin = `warning: ${SCENE}: phones may end the game: its pictures take 1.1 GB `;
    assert.equal(reported[0]?.slice(0, begin.length), begin);
  }));

test("what a sidecar nests deeper than a game's page reads is left out, and the game opens", () =>
  withFolder(async (root) => {
    const lists = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
    const meta = sidecar(3, { loop: true }).replace(
      "}",
      `,"nested":${lists(90)},"deep":${lists(20_000)}}`,
    );
    writeTree(root, { ...PROJECT, "assets/horn.mp3.meta.json": meta });
    assert.ok((await build(root)).result.ok);
    const { assets } = gameIn(treeOf(join(root, "dist")));
    const horn = assets.find(({ path }) => path === "assets/horn.mp3");
    assert.deepEqual(horn?.settings, { loop: true });
  }));

test("only a game with bodies carries the physics engine, and only one with updates their client", () =>
  withFolder(async (root) => {
    const carried = async (over: Partial<ProjectConfig> = {}) => {
      assert.ok((await build(root, over)).result.ok);
      const names = readdirSync(join(root, "dist/runtime"));
      return ["rapier", "updates"].map((part) => names.some((name) => name.startsWith(part)));
    };
    writeTree(root, PROJECT);
    assert.deepEqual(await carried(), [false, false]);
    assert.deepEqual(await carried({ ota: OTA }), [false, true]);
    writeTree(root, { "assets/next.scene.json": scene(entity("Wall", { Collider: {} })) });
    assert.deepEqual(await carried(), [true, false]);
  }));

test("the page of a game has no script and no style within, and nothing absolute", () =>
  withFolder(async (root) => {
    writeTree(root, PROJECT);
    assert.ok((await build(root)).result.ok);
    const { "index.html": page = "", "manifest.webmanifest": manifest = "" } = treeOf(
      join(root, "dist"),
    );
    assert.match(page, /<title>Boats &amp; &lt;Co><\/title>/);
    assert.doesNotMatch(page, /<style|style=|<script(?![^>]* src=)| on\w+=|(?:src|href)="(?!\.\/)/);
    assert.match(
      page,
      /default-src 'self'; frame-src 'none'; object-src 'none'; script-src 'self' 'wasm-unsafe-eval';/,
    );
    assert.doesNotMatch(page, /unsafe-inline|https:/);
    assert.equal(JSON.parse(manifest).start_url, "./");
  }));

for (
  const [viewport, orientation] of [
    [undefined, "landscape"],
    [{ width: 390, height: 844 }, "portrait"],
    [{ width: 600, height: 600 }, "any"],
  ] as const
) {
  const size = viewport === undefined ? "no size" : `${viewport.width} × ${viewport.height}`;
  test(`a game that is made for ${size} says how phones are held: ${orientation}`, () =>
    withFolder(async (root) => {
      writeTree(root, PROJECT);
      assert.ok((await build(root, { ...(viewport && { viewport }) })).result.ok);
      const { "index.html": page = "", "manifest.webmanifest": manifest = "" } = treeOf(
        join(root, "dist"),
      );
      assert.equal(JSON.parse(manifest).orientation, orientation);
      const [, hint = "any"] = /<p id="turn" class="(\w+)">/.exec(page) ?? [];
      assert.equal(hint, orientation);
    }));
}

test("updates that are on are in the game, and their server in the page's policy", () =>
  withFolder(async (root) => {
    writeTree(root, PROJECT);
    assert.ok((await build(root, { ota: OTA })).result.ok);
    const files = treeOf(join(root, "dist"));
    const { ota, engineApi } = gameIn(files);
    const { enabled: _, engineApi: level, ...followed } = OTA;
    assert.deepEqual([ota, engineApi], [followed, level]);
    assert.match(
      files["index.html"] ?? "",
      /connect-src 'self' blob: data: https:\/\/cdn\.example;/,
    );
  }));

test("the same project gives the same bytes, and another sound changes few files", () =>
  withFolder(async (folder) => {
    const [one, two] = [join(folder, "one"), join(folder, "two")];
    writeTree(one, PROJECT);
    cpSync(one, two, { recursive: true });
    assert.ok((await build(one)).result.ok);
    assert.ok((await build(two)).result.ok);
    const built = ({ ".slipway-build": _, ...files }: Record<string, string>) => files;
    const before = built(treeOf(join(one, "dist")));
    assert.deepEqual(built(treeOf(join(two, "dist"))), before);
    writeTree(two, { "assets/horn.mp3": "longer than before" });
    assert.ok((await build(two)).result.ok);
    const after = treeOf(join(two, "dist"));
    const changed = Object.keys(before).filter((path) => after[path] !== before[path]);
    assert.deepEqual(changed.sort(), ["assets/horn.mp3", "game.json", "offline.js"]);
  }));

/** Of all that is built but the runtime and what lists its files: one for every runtime and machine. */
const BUILT = "7ba13ccaedd64c8184634c2cc3b3900633f7538af0c4d00f7be470da1852f908";

test("every runtime builds the same bytes", () =>
  withFolder(async (root) => {
    writeTree(root, PROJECT);
    assert.ok((await build(root, { ota: OTA })).result.ok);
    const files = Object.entries(treeOf(join(root, "dist")))
      .filter(([path]) => !/^(?:runtime\/|offline\.js$|\.slipway-build$)/.test(path))
      .map(([path, text]) => [path, text.replace(/-[A-Z0-9]{8}\.js/g, "-<hash>.js")]);
    const digest = createHash("sha256").update(JSON.stringify(files.sort())).digest("hex");
    assert.equal(digest, BUILT, "what is built has changed: put its hash into this file");
  }));

for (
  const [title, code, over, hasRuntime] of [
    ["its start scene is not there", "scene-not-found", { startScene: "no.scene.json" }, true],
    ["this Slipway has no runtime", "no-game-runtime", {}, false],
  ] as const
) {
  test(`a game is not built, and the last one kept, when ${title}`, () =>
    withFolder(async (root) => {
      writeTree(root, PROJECT);
      assert.ok((await build(root)).result.ok);
      const before = readdirSync(join(root, "dist"));
      const { result } = await build(root, over, hasRuntime);
      assert.equal(result.ok ? "" : result.error.code, code);
      assert.deepEqual(readdirSync(join(root, "dist")), before);
    }));
}

test("a game is not built, and the last one kept, when a scene that it reaches is broken", () =>
  withFolder(async (root) => {
    writeTree(root, PROJECT);
    assert.ok((await build(root)).result.ok);
    const before = readdirSync(join(root, "dist"));
    for (const text of ["{ broken", "[]", '{"schema":1}']) {
      writeTree(root, { [SCENE]: text });
      const { result } = await build(root);
      assert.equal(result.ok ? "" : result.error.code, "scene-broken", text);
      assert.deepEqual(readdirSync(join(root, "dist")), before);
    }
  }));

for (
  const [title, change] of [
    ["another schema", { schema: 2 }],
    ["a path that leads out", { startScene: "../x.scene.json" }],
    ["a member that is not known", { extra: 1 }],
    ["a size that is none", { viewport: { width: -1, height: 1 } }],
    ["an asset without a guid", { assets: [{ path: "a", name: "a", type: "mesh", size: 1 }] }],
    ["updates that are half", { ota: { baseUrl: "https://x.example" } }],
  ] as const
) {
  test(`parseGameFile() refuses ${title}`, () => {
    const viewport = { width: 4, height: 3 };
    const good = { schema: 1, name: "G", startScene: SCENE, viewport, engineApi: 1, ota: null };
    const parse = (game: object) =>
      parseGameFile(new TextEncoder().encode(JSON.stringify({ ...good, assets: [], ...game })));
    assert.ok(parse({}).ok);
    const parsed = parse(change);
    assert.equal(parsed.ok ? "" : parsed.error.code, "invalid-game");
  });
}
