import { test } from "node:test";
import assert from "node:assert/strict";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "../../lib/core/json.ts";
import type { Problem } from "../../lib/core/problem.ts";
import type { Result } from "../../lib/core/result.ts";
import { assetText } from "../../lib/editor/files/asset-text.ts";
import { scanAssets } from "../../lib/editor/assets/assets.ts";
import { EMPTY_CONTENT } from "../../lib/editor/authoring/schemas.ts";
import { readWav } from "../../lib/editor/assets/wav.ts";
import { type EmbeddedEditor, openEmbeddedEditor } from "../../lib/editor/embedded-editor.ts";
import { isGuid } from "../../lib/core/guid.ts";
import { pixelSize } from "../../lib/editor/assets/read-image-size.ts";
import type { Asset, AssetAuthoring } from "../../lib/editor/ports/mod.ts";
import type { Clock } from "../../lib/ports/clock.ts";
import type { Files } from "../../lib/ports/files.ts";
import { FileError } from "../../lib/core/file-error.ts";
import { withoutPosixFiles } from "../support/needs.ts";
import { triangleGlb } from "./glb.ts";
import { PNG } from "./png.ts";
import { TestClock } from "./edited-scene.ts";
import { stillClock, withFolder } from "./project-folder.ts";

const SCENE = "assets/scenes/main.scene.json";
const WOOD = "00000000-0000-4000-8000-00000000000a";
const OAK = "00000000-0000-4000-8000-00000000000b";
const CRATE = "00000000-0000-4000-8000-000000000001";

/** A small project: a scene with a crate of wood, whose material has a texture. */
const PROJECT: Readonly<Record<string, unknown>> = {
  "project.config.json": { name: "P", startScene: SCENE },
  [SCENE]: {
    schema: 1,
    name: "Main",
    entities: [{
      guid: CRATE,
      name: "Crate",
      layer: "3d",
      traits: { Transform: {}, Renderable3D: { material: WOOD } },
    }],
  },
  "assets/materials/wood.material.json": { schema: 1, color: "#aabbcc", texture: OAK },
  "assets/materials/wood.material.json.meta.json": { guid: WOOD },
  "assets/textures/oak.png": PNG,
  "assets/textures/oak.png.meta.json": { guid: OAK, filter: "nearest" },
};

interface World {
  readonly root: string;
  readonly editor: EmbeddedEditor;
  readonly authoring: AssetAuthoring;
  paths(): Promise<readonly string[]>;
}

/** Runs `work` on an opened copy of the small project. */
async function inProject(
  work: (world: World) => Promise<void>,
  { more = {}, wrap = (files: Files) => files, clock = stillClock }: {
    readonly more?: Readonly<Record<string, unknown>>;
    readonly wrap?: (files: Files) => Files;
    readonly clock?: Clock;
  } = {},
): Promise<void> {
  await withFolder({ ...PROJECT, ...more }, async (root, files) => {
    const opened = await openEmbeddedEditor({
      files: wrap(files),
      clock,
      root,
      project: "P",
      scenePath: SCENE,
    });
    if (!opened.ok) throw new Error(opened.error.detail);
    const editor = opened.value;
    const paths = async () => (await editor.assets()).map(({ path }) => path);
    await work({ root, editor, authoring: editor.authoring, paths });
    // Whatever was changed one by one, a fresh look at everything finds the same.
    const fresh = await scanAssets(files, root);
    assert.deepEqual(await editor.assets(), fresh.assets);
  });
}

function value<T>(result: Result<T, Problem>): T {
  if (!result.ok) throw new Error(result.error.detail);
  return result.value;
}

function refusal<T>(result: Result<T, Problem>): Problem {
  if (result.ok) throw new Error("Expected a refusal");
  return result.error;
}

const source = "agent";

for (const [type, content] of Object.entries(EMPTY_CONTENT)) {
  test(`create() makes an empty ${type} that write() accepts again`, () =>
    inProject(async ({ authoring, root, paths }) => {
      const schema = authoring.schemas().find((one) => one.type === type);
      const path = `assets/new/thing${schema?.extension}`;
      const asset = value(await authoring.create({ path, source }));
      assert.equal(asset.type, type);
      assert.ok(isGuid(asset.guid));
      assert.ok((await paths()).includes(path), "the list is right at once");
      assert.deepEqual(JSON.parse(readFileSync(join(root, path), "utf8")), content);
      const sidecar: unknown = JSON.parse(readFileSync(join(root, `${path}.meta.json`), "utf8"));
      assert.deepEqual(sidecar, { guid: asset.guid });
      value(await authoring.write({ name: path, content: content ?? {}, source }));
    }));
}

test("create() accepts every schema's example, once what it names is there", () =>
  inProject(async ({ authoring }) => {
    for (const { type, extension, example } of authoring.schemas()) {
      const named = JSON.stringify(example).includes("00000000-0000-4000-8000-000000000000");
      const path = `assets/examples/${type}${extension}`;
      const outcome = await authoring.create({ path, content: example, source });
      if (named) assert.match(refusal(outcome).detail, /not an asset of the project/);
      else assert.equal(value(outcome).type, type);
    }
  }));

const BAD_CONTENT: readonly (readonly [string, string, JsonObject, RegExp])[] = [
  ["an unknown member", "material", { colour: "#fff" }, /unknown member "colour".*"color"/],
  ["a value out of bounds", "material", { roughness: 2 }, /roughness: found 2.*from 0 to 1/],
  ["a colour that is none", "material", { color: "red" }, /color: found "red"/],
  ["another schema", "material", { schema: 2 }, /schema: found 2, expected 1/],
  ["a reference to nothing", "material", { texture: "assets/x.png" }, /oak\.png/],
  ["a reference to another type", "material", { texture: WOOD }, /a material; expected/],
  ["several at once", "material", { roughness: -1, metallic: "x" }, /metallic.*roughness/],
  ["no length", "anim", { tracks: [] }, /length: found nothing/],
  ["a length of 0", "anim", { length: 0, tracks: [] }, /length: found 0/],
  ["tracks that are none", "anim", { length: 1, tracks: {} }, /tracks: found an object/],
  [
    "a field that is not there",
    "anim",
    { length: 1, tracks: [{ field: "Transform.xx", keys: [] }] },
    /tracks\[0\]\.field: unknown field of Transform "xx"/,
  ],
  [
    "a trait that is not there",
    "anim",
    { length: 1, tracks: [{ field: "Transfrom.x", keys: [] }] },
    /unknown trait "Transfrom".*"Transform"/,
  ],
  [
    "keys out of order",
    "anim",
    {
      length: 2,
      tracks: [{ field: "Transform.x", keys: [{ t: 1, value: 0 }, { t: 1, value: 1 }] }],
    },
    /keys\[1\]\.t: found 1, expected more than 1/,
  ],
  [
    "a key after the end",
    "anim",
    { length: 1, tracks: [{ field: "Transform.x", keys: [{ t: 1.5, value: 0 }] }] },
    /from 0 to 1/,
  ],
  [
    "a value that the field refuses",
    "anim",
    { length: 1, tracks: [{ field: "Light.intensity", keys: [{ t: 0, value: -1 }] }] },
    /at least 0/,
  ],
  [
    "an ease that is none",
    "anim",
    { length: 1, tracks: [{ field: "Transform.x", keys: [{ t: 0, value: 0, ease: "bounce" }] }] },
    /ease: unknown value "bounce"/,
  ],
  ["clips that are a list", "animset", { clips: [] }, /clips: found a list/],
  ["a clip that is no animation", "animset", { clips: { a: WOOD } }, /expected .*an animation/],
  [
    "an item with another type's member",
    "timeline",
    { length: 1, tracks: [{ type: "signal", items: [{ t: 0, clip: "x" }] }] },
    /unknown member "clip"/,
  ],
  [
    "a track of no type",
    "timeline",
    { length: 1, tracks: [{ type: "sound", items: [] }] },
    /tracks\[0\]\.type: unknown value "sound"/,
  ],
  ["a signal without a name", "timeline", {
    length: 1,
    tracks: [{ type: "signal", items: [{ t: 0 }] }],
  }, /signal: found nothing/],
  ["a triangle of corners that are not there", "mesh", {
    positions: [[0, 0, 0]],
    triangles: [[0, 1, 2]],
  }, /triangles\[0\]/],
  ["no corners", "mesh", { positions: [], triangles: [] }, /at least one/],
  ["a corner that is none", "mesh", { positions: [[0, 1]], triangles: [] }, /positions\[0\]/],
  ["a letter without a width", "font", {
    size: 8,
    lineHeight: 9,
    fallback: 6,
    advances: { A: "6" },
  }, /advances/],
];
for (const [label, ending, content, message] of BAD_CONTENT) {
  test(`create() refuses ${label} and writes nothing`, () =>
    inProject(async ({ authoring, root, paths }) => {
      const before = await paths();
      const path = `assets/bad/x.${ending}.json`;
      const problem = refusal(await authoring.create({ path, content, source }));
      assert.equal(problem.code, "asset-invalid");
      assert.match(problem.detail, message);
      assert.deepEqual(await paths(), before);
      assert.equal(existsSync(join(root, path)), false);
    }));
}

const BAD_PATHS: readonly (readonly [string, string, number])[] = [
  ["../x.material.json", "outside-project", 403],
  ["/etc/x.material.json", "outside-project", 403],
  ["assets/../../x.material.json", "outside-project", 403],
  ["scenes/x.material.json", "asset-path", 422],
  ["assets/.hidden/x.material.json", "asset-path", 422],
  ["assets/node_modules/x.material.json", "asset-path", 422],
  ["assets/x.material.json.meta.json", "asset-path", 422],
  ["assets\\x.material.json", "asset-path", 422],
  ["assets/x.json", "asset-type", 422],
  ["assets/x.prefab.json", "asset-type", 422],
  ["assets/x.scene.json", "asset-type", 422],
  ["assets/x.png", "asset-type", 422],
  ["assets/x.font.json", "content-needed", 422],
  ["assets/materials/wood.material.json", "exists", 409],
  ["assets/Materials/WOOD.material.json", "exists", 409],
  ["assets/out/x.material.json", "outside-project", 403],
];
for (const [path, code, status] of BAD_PATHS) {
  test(`create() refuses the path ${path}: ${code}`, () =>
    withFolder({}, (outside) =>
      inProject(async ({ authoring, root }) => {
        symlinkSync(outside, join(root, "assets/out"));
        const problem = refusal(await authoring.create({ path, source }));
        assert.deepEqual([problem.code, problem.status], [code, status]);
        assert.deepEqual(readdirSync(outside), []);
      })));
}

test("write() replaces, or merges where null takes a member away", () =>
  inProject(async ({ authoring, root, editor }) => {
    const name = "assets/materials/wood.material.json";
    const contentNow = (): unknown => JSON.parse(readFileSync(join(root, name), "utf8"));
    value(await authoring.write({ name, content: { roughness: 0.5 }, merge: true, source }));
    assert.deepEqual(contentNow(), { schema: 1, color: "#aabbcc", texture: OAK, roughness: 0.5 });
    const content = { texture: null, color: "#000000" };
    value(await authoring.write({ name: WOOD, content, merge: true, source }));
    assert.deepEqual(contentNow(), { schema: 1, color: "#000000", roughness: 0.5 });
    const path = "assets/textures/oak.png";
    value(await authoring.write({ name, content: { texture: path }, source }));
    assert.deepEqual(contentNow(), { schema: 1, texture: OAK }, "a path stands for the guid");
    const before = readFileSync(join(root, name), "utf8");
    refusal(await authoring.write({ name, content: { x: 1 }, source }));
    assert.equal(readFileSync(join(root, name), "utf8"), before);
    const notes = editor.journals.editor().filter(({ type }) => type === "asset-write");
    assert.equal(notes.length, 3);
    assert.deepEqual(notes[0]?.payload, { path: name, guid: WOOD, undo: 1 });
    assert.equal(notes[0]?.source, source);
  }));

test("write() of a mesh and a sprite tells layout the new size", () =>
  inProject(async ({ authoring, editor, root }) => {
    const positions = [[0, 0, 0], [1, 0, 0], [0, 3, 0]];
    const triangles = [[0, 1, 2]];
    const path = "assets/m/tri.mesh.json";
    const mesh = value(await authoring.create({ path, content: { positions, triangles }, source }));
    const facts = value(await authoring.read(path)).facts;
    assert.deepEqual(facts, { bounds: { min: [0, 0, 0], max: [1, 3, 0] }, triangles: 1 });
    const taller = [[0, 0, 0], [1, 0, 0], [0, 9, 0]];
    value(
      await authoring.write({ name: path, content: { positions: taller }, merge: true, source }),
    );
    const { bounds } = value(await authoring.read(mesh.guid)).facts;
    assert.deepEqual(bounds, { min: [0, 0, 0], max: [1, 9, 0] });
    const sprite = "assets/m/part.sprite.json";
    const content = { image: OAK, x: 1, y: 1, w: 3, h: 1 };
    value(await authoring.create({ path: sprite, content, source }));
    assert.deepEqual(value(await authoring.read(sprite)).facts, {
      pixels: { width: 3, height: 1 },
    });
    assert.equal(editor.console.entries().filter(({ level }) => level === "warn").length, 0);
    assert.ok(existsSync(join(root, `${sprite}.meta.json`)));
  }));

test("read() gives content, facts and settings", () =>
  inProject(async ({ authoring }) => {
    const oak = value(await authoring.read(OAK));
    assert.deepEqual(oak.facts, { pixels: { width: 4, height: 2 } });
    assert.deepEqual(oak.meta, { guid: OAK, filter: "nearest" });
    assert.equal(oak.content, null);
    const scene = value(await authoring.read(SCENE));
    assert.deepEqual(scene.facts, { entities: 1 });
    const missing = refusal(await authoring.read("assets/textures/oka.png"));
    assert.equal(missing.code, "no-such-asset");
    assert.match(missing.hint, /oak\.png/);
  }));

test("writeMeta() merges settings, keeps the guid, and can make a texture a sprite", () =>
  inProject(async ({ authoring, editor }) => {
    const { meta } = value(
      await authoring.writeMeta({ name: OAK, meta: { type: "sprite", filter: null }, source }),
    );
    assert.deepEqual(meta, { guid: OAK, type: "sprite" });
    const found = (await editor.assets()).find(({ guid }) => guid === OAK);
    assert.equal(found?.type, "sprite");
    for (const bad of [{ guid: WOOD }, { type: "picture" }]) {
      assert.equal(
        refusal(await authoring.writeMeta({ name: OAK, meta: bad, source })).code,
        "bad-meta",
      );
    }
  }));

test("move() keeps the guid, also of an asset without a sidecar", () =>
  inProject(async ({ authoring, editor, root }) => {
    const moved = value(
      await authoring.move({ name: WOOD, to: "assets/m2/tree.material.json", source }),
    );
    assert.deepEqual([moved.guid, moved.name], [WOOD, "tree"]);
    assert.equal(existsSync(join(root, "assets/materials/wood.material.json.meta.json")), false);
    assert.deepEqual(value(await authoring.uses(WOOD)), [
      { path: SCENE, where: "Crate/Renderable3D.material" },
    ]);
    const bare = (await editor.assets()).find(({ path }) => path === "assets/bare.png");
    const into = value(await authoring.move({ name: "assets/bare.png", to: "assets/m2/", source }));
    assert.deepEqual([into.path, into.guid], ["assets/m2/bare.png", bare?.guid]);
    const renamed = value(
      await authoring.move({ name: into.guid, to: "assets/m2/BARE.png", source }),
    );
    assert.equal(renamed.path, "assets/m2/BARE.png");
  }, { more: { "assets/bare.png": PNG } }));

test("move() of the start scene takes the settings along, and tells who names the old path", () => {
  const [old, now] = ["assets/scenes/old.scene.json", "assets/scenes/now.scene.json"];
  const door = (guid: string) => ({
    guid,
    name: "Door",
    layer: "3d",
    traits: { ScriptAction: { effect: "openScene", text: old } },
  });
  return inProject(async ({ authoring, editor, root }) => {
    const start = () => JSON.parse(readFileSync(join(root, "project.config.json"), "utf8"));
    const users = [
      { path: "assets/code.js", where: "line 1" },
      { path: "assets/scenes/other.scene.json", where: "Door/ScriptAction.text" },
      { path: "project.config.json", where: "startScene" },
    ];
    assert.deepEqual(value(await authoring.uses(old)), users);
    const moved = value(await authoring.move({ name: old, to: now, source }));
    assert.deepEqual(moved.warnings, [
      `assets/code.js (line 1) still names "${old}"`,
      `assets/scenes/other.scene.json (Door/ScriptAction.text) still names "${old}"`,
    ]);
    assert.deepEqual(start(), { name: "P", startScene: now });
    value(await editor.editing.undo(1, "human"));
    assert.equal(start().startScene, old);
    value(await editor.editing.redo(1, "human"));
    assert.equal(start().startScene, now);
    assert.deepEqual(
      value(await authoring.move({ name: WOOD, to: "assets/m2/", source })).warnings,
      [],
    );
  }, {
    more: {
      "project.config.json": { name: "P", startScene: old },
      [old]: { schema: 1, name: "Old", entities: [] },
      "assets/scenes/other.scene.json": { schema: 1, name: "Other", entities: [door(WOOD)] },
      "assets/code.js": `open("${old}");\n`,
    },
  });
});

test("move() refuses what would lose an asset", () =>
  inProject(async ({ authoring, root }) => {
    writeFileSync(join(root, "assets/notes.material.json"), "{}"); // nobody has looked yet
    for (
      const [name, to, code] of [
        [WOOD, "assets/textures/oak.png", "exists"],
        [WOOD, "assets/notes.material.json", "exists"],
        [WOOD, "assets/wood.particle.json", "asset-type"],
        [WOOD, "elsewhere/wood.material.json", "asset-path"],
        [SCENE, "assets/scenes/other.scene.json", "scene-open"],
        ["assets/none.png", "assets/some.png", "no-such-asset"],
      ] as const
    ) {
      assert.equal(refusal(await authoring.move({ name, to, source })).code, code, to);
    }
    assert.ok(existsSync(join(root, "assets/materials/wood.material.json")));
    await authoring.importFile({ file: "assets/notes.material.json", source });
    assert.equal(readFileSync(join(root, "assets/notes.material.json"), "utf8"), "{}");
    value(await authoring.create({ path: "assets/z.material.json", source }));
    await removeStray(root);
  }));

/** Takes away what the test put there behind the editor's back. */
async function removeStray(root: string): Promise<void> {
  const { rm } = await import("node:fs/promises");
  await rm(join(root, "assets/notes.material.json"));
}

test("remove() names the users, and removes with force", () =>
  inProject(async ({ authoring, root, paths, editor }) => {
    const inUse = refusal(await authoring.remove({ name: OAK, source }));
    assert.deepEqual([inUse.code, inUse.status], ["in-use", 409]);
    assert.match(inUse.detail, /wood\.material\.json \(texture\)/);
    // Two of one name use it in one way, which is said once.
    value(await editor.editing.edit({ ops: [{ op: "duplicate", id: 1, name: "Crate" }], source }));
    const { detail } = refusal(await authoring.remove({ name: WOOD, source }));
    assert.equal(detail.split("Crate/Renderable3D.material").length, 2, detail);
    assert.equal(refusal(await authoring.remove({ name: SCENE, source })).code, "scene-open");
    value(await authoring.remove({ name: OAK, force: true, source }));
    assert.equal(existsSync(join(root, "assets/textures/oak.png.meta.json")), false);
    assert.equal((await paths()).includes("assets/textures/oak.png"), false);
    assert.equal(editor.journals.editor().at(-1)?.type, "asset-remove");
  }));

test("uses() sees the open scene as it is, other scenes, prefabs, assets and scripts", () =>
  inProject(async ({ authoring, editor }) => {
    assert.deepEqual(value(await authoring.uses(WOOD)), [
      { path: "assets/code.js", where: "line 2" },
      { path: "assets/p.prefab.json", where: "Lid/Renderable3D.material" },
      { path: SCENE, where: "Crate/Renderable3D.material" },
      { path: "assets/scenes/other.scene.json", where: "Box/Renderable3D.material" },
    ]);
    editor.document.setFields(1, "Renderable3D", { material: "" });
    const rest = value(await authoring.uses(WOOD)).map(({ path }) => path);
    assert.equal(rest.includes(SCENE), false);
    assert.deepEqual(value(await authoring.uses(SCENE)), [
      { path: "project.config.json", where: "startScene" },
    ]);
  }, {
    more: {
      "assets/code.js": `// the wood\nload("${WOOD}");\n`,
      "assets/p.prefab.json": {
        schema: 1,
        root: {
          name: "Box",
          layer: "3d",
          traits: {},
          children: [{ name: "Lid", layer: "3d", traits: { Renderable3D: { material: WOOD } } }],
        },
      },
      "assets/scenes/other.scene.json": {
        schema: 1,
        name: "Other",
        entities: [{
          guid: CRATE,
          name: "Box",
          layer: "3d",
          traits: { Renderable3D: { material: WOOD } },
        }],
      },
    },
  }));

test("unused() lists what nothing names, and no scene", () =>
  inProject(async ({ authoring }) => {
    assert.deepEqual(await authoring.unused(), []);
    const lone = value(await authoring.create({ path: "assets/lone.material.json", source }));
    const two = { path: "assets/two.material.json", content: { texture: OAK }, source } as const;
    value(await authoring.create(two));
    const named = (await authoring.unused()).map(({ guid }: Asset) => guid);
    assert.deepEqual(named.length, 2);
    assert.ok(named.includes(lone.guid));
  }));

test("create() twice at once makes one and refuses the other", () =>
  inProject(async ({ authoring }) => {
    const path = "assets/race.material.json";
    const both = await Promise.all([
      authoring.create({ path, source }),
      authoring.create({ path, source }),
    ]);
    assert.deepEqual(both.map(({ ok }) => ok), [true, false]);
  }));

test("importFile() brings in a model as a folder of assets, and no half of one", () =>
  inProject(async ({ authoring, root, editor }) => {
    writeFileSync(join(root, "thing.glb"), triangleGlb([{ name: "Tri", mesh: 0 }]));
    const first = value(await authoring.importFile({ file: "thing.glb", source }));
    const paths = first.created.map(({ path }) => path);
    assert.deepEqual(paths, [
      "assets/models/thing/meshes/Triangle.mesh.json",
      "assets/models/thing/thing.glb",
      "assets/models/thing/thing.prefab.json",
    ]);
    const file = join(root, "thing.glb");
    const again = value(
      await authoring.importFile({ file, anywhere: true, folder: "assets/x/", source }),
    );
    assert.ok(again.created.every(({ path }) => path.startsWith("assets/x/thing/")));
    const third = value(await authoring.importFile({ file: "thing.glb", source }));
    assert.ok(third.created.every(({ path }) => path.startsWith("assets/models/thing-2/")));
    const guids = [...first.created, ...again.created, ...third.created].map(({ guid }) => guid);
    assert.equal(new Set(guids).size, 9);
    const mesh = value(await authoring.read(paths[0] ?? ""));
    assert.deepEqual(mesh.facts["bounds"], { min: [0, 0, 0], max: [1, 2, 0] });
    assert.equal(editor.console.entries().filter(({ level }) => level === "warn").length, 0);
    assert.deepEqual(value(await authoring.uses(paths[0] ?? "")), [
      { path: paths[2] ?? "", where: "Tri/Renderable3D.model" },
    ]);

    const before = readdirSync(join(root, "assets"), { recursive: true }).length;
    writeFileSync(join(root, "broken.glb"), triangleGlb([{ mesh: 7 }]));
    const broken = refusal(await authoring.importFile({ file: "broken.glb", source }));
    assert.equal(broken.code, "file-broken");
    assert.match(broken.detail, /nodes\[0\]\.mesh names meshes\[7\]|meshes\[7\]/);
    assert.equal(readdirSync(join(root, "assets"), { recursive: true }).length, before);
  }));

test("importFile() leaves nothing behind when the disk is full or the caller goes", async () => {
  let written = 0;
  const wrap = (files: Files): Files => ({
    ...files,
    write(path, body, options) {
      if (path.includes(".import-") && ++written === 3) {
        throw new FileError("full", path, "the disk is full");
      }
      return files.write(path, body, options);
    },
  });
  await inProject(async ({ authoring, root, paths }) => {
    const before = await paths();
    writeFileSync(join(root, "thing.glb"), triangleGlb([{ mesh: 0 }]));
    const problem = refusal(await authoring.importFile({ file: "thing.glb", source }));
    assert.equal(problem.code, "unwritable");
    const gone = AbortSignal.abort(new Error("gone"));
    await assert.rejects(authoring.importFile({ file: "thing.glb", source, signal: gone }), /gone/);
    assert.deepEqual(await paths(), before);
    assert.equal(existsSync(join(root, "assets/models")), false, "nor the folder made for it");
  }, { wrap });
});

const WAV = (() => {
  const bytes = new Uint8Array(44 + 8_000);
  const view = new DataView(bytes.buffer);
  const write = (at: number, text: string) =>
    [...text].forEach((letter, i) => bytes[at + i] = letter.charCodeAt(0));
  write(0, "RIFF");
  view.setUint32(4, 36 + 8_000, true);
  write(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, 8_000, true);
  view.setUint32(28, 16_000, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  write(36, "data");
  view.setUint32(40, 8_000, true);
  return bytes;
})();

test("importFile() copies textures and sounds by type, under names that are free", () =>
  inProject(async ({ authoring, root }) => {
    writeFileSync(join(root, "oak.png"), PNG);
    writeFileSync(join(root, "horn.wav"), WAV);
    const [picture] = value(await authoring.importFile({ file: "oak.png", source })).created;
    assert.equal(picture?.path, "assets/textures/oak-2.png");
    const horn = join(root, "horn.wav");
    const [sound] =
      value(await authoring.importFile({ file: horn, anywhere: true, source })).created;
    assert.equal(sound?.path, "assets/audio/horn.wav");
    assert.deepEqual(value(await authoring.read(sound.guid)).facts, {
      seconds: 0.5,
      channels: 1,
      hertz: 8000,
    });
  }));

test("importFile() looks at no name behind a link out of the project", {
  skip: withoutPosixFiles,
}, async () => {
  const outside = mkdtempSync(join(tmpdir(), "slipway-outside-"));
  const probed: string[] = [];
  const wrap = (files: Files): Files => ({
    ...files,
    stat(path) {
      probed.push(path);
      return files.stat(path);
    },
  });
  try {
    await inProject(async ({ root, authoring }) => {
      symlinkSync(outside, join(root, "assets/link"));
      writeFileSync(join(root, "new.png"), PNG);
      const imported = await authoring.importFile({
        file: "new.png",
        folder: "assets/link",
        source,
      });
      assert.deepEqual(
        [refusal(imported).status, refusal(imported).code],
        [403, "outside-project"],
      );
      assert.deepEqual(probed.filter((path) => path.includes("/link/")), []);
      rmSync(join(root, "assets/link"));
      // Nor is a sidecar written where one leads elsewhere.
      symlinkSync(join(outside, "x"), join(root, "assets/textures/new.png.meta.json"));
      const beside = value(await authoring.importFile({ file: "new.png", source }));
      assert.equal(beside.created[0]?.path, "assets/textures/new-2.png");
      assert.deepEqual(readdirSync(outside), []);
    }, { wrap });
  } finally {
    rmSync(outside, { recursive: true });
  }
});

test("assets() follows what others change on the disk, looking at most once a second", async () => {
  const clock = new TestClock();
  const read: string[] = [];
  let lists = 0;
  const wrap = (files: Files): Files => ({
    ...files,
    list(path) {
      lists++;
      return files.list(path);
    },
    read(path, ...rest) {
      read.push(path);
      return files.read(path, ...rest);
    },
  });
  await inProject(async ({ root, editor, authoring, paths }) => {
    const before = await editor.assets();
    read.length = 0;
    lists = 0;
    const glow = "assets/materials/glow.material.json";
    writeFileSync(join(root, glow), "{}");
    clock.at = 999;
    assert.deepEqual(await editor.assets(), before);
    assert.equal(lists, 0, "not yet");
    clock.at = 1_000;
    assert.ok((await paths()).includes(glow));
    assert.equal(value(await authoring.read(glow)).asset.path, glow);
    assert.deepEqual(read.filter((path) => !path.includes("glow")), [], "the others stay unread");
    const asset = async (path: string) => (await editor.assets()).find((one) => one.path === path);
    writeFileSync(join(root, `${glow}.meta.json`), JSON.stringify({ guid: CRATE }));
    clock.at = 2_000;
    assert.equal((await asset(glow))?.guid, CRATE);
    writeFileSync(join(root, glow), '{"schema": 1}');
    clock.at = 3_000;
    assert.equal((await asset(glow))?.size, 13);
    rmSync(join(root, glow));
    clock.at = 4_000;
    assert.equal(await asset(glow), undefined);
    const warned = (await editor.consoleEntries()).filter(({ level }) => level === "warn");
    assert.deepEqual(warned.map(({ text }) => /without its asset/.test(text)), [true]);
    rmSync(join(root, `${glow}.meta.json`));
    clock.at = 5_000;
    assert.deepEqual(await editor.assets(), before);
    const same = await editor.assets();
    clock.at = 6_000;
    assert.equal(await editor.assets(), same, "nothing has changed");
  }, { wrap, clock });
});

for (const producer of ["sceneState", "consoleEntries", "diagnose"] as const) {
  test(`${producer}() notices that the open scene's file is gone`, async () => {
    const clock = new TestClock();
    await inProject(async ({ root, editor }) => {
      rmSync(join(root, SCENE));
      clock.at = 1_000;
      await editor[producer]();
      assert.equal(editor.editing.unsaved, true);
      const { findings } = await editor.diagnose();
      assert.ok(findings.some(({ code }) => code === "changed-on-disk"));
      assert.deepEqual(await editor.editing.scenes(), []);
    }, { clock });
  });
}

test("importFile() refuses what is no file to import, naming why", () =>
  withFolder({ "elsewhere.png": PNG }, (outside) =>
    inProject(async ({ authoring, root }) => {
      symlinkSync(join(outside, "elsewhere.png"), join(root, "link.png"));
      writeFileSync(join(root, "fake.png"), "not a picture");
      writeFileSync(join(root, "fake.mp3"), "not a sound");
      writeFileSync(join(root, "x.txt"), "");
      for (
        const [file, code] of [
          ["x.txt", "file-type"],
          ["assets/scenes/main.scene.json", "file-type"],
          ["none.png", "file-missing"],
          ["link.png", "outside-project"],
          ["../x.png", "outside-project"],
          [join(outside, "elsewhere.png"), "outside-project"],
          [join(root, "ok.png"), "outside-project"],
          ["fake.png", "file-broken"],
          ["fake.mp3", "file-broken"],
          ["assets", "file-type"],
        ] as const
      ) {
        const problem = refusal(await authoring.importFile({ file, source }));
        assert.equal(problem.code, code, file);
        assert.notEqual(problem.hint, "");
        if (code === "outside-project") {
          assert.match(problem.hint, /Copy the file into the project/);
        }
      }
      writeFileSync(join(root, "ok.png"), PNG);
      const out = await authoring.importFile({ file: "ok.png", folder: "../out", source });
      assert.equal(refusal(out).code, "outside-project");
    })));

test("assetText() keeps what is flat on one line, and parses back", () => {
  const content = {
    schema: 1,
    tracks: [{ field: "Transform.x", keys: [{ t: 0, value: 1 }, { t: 1, value: 2, ease: "in" }] }],
    box: [1, 2.5, -3],
    none: [],
    empty: {},
    text: 'a "b"\n',
    left: undefined,
  };
  const text = assetText(content);
  assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(content)));
  assert.match(text, /^ +\{ "t": 0, "value": 1 \},$/m);
  assert.match(text, /"box": \[1, 2\.5, -3\]/);
  assert.ok(text.endsWith("}\n"));
});

const hex = (digits: string) =>
  new Uint8Array(digits.replace(/\s/g, "").match(/../g)?.map((pair) => parseInt(pair, 16)) ?? []);
const hdr = (text: string) => new TextEncoder().encode(`#?RADIANCE\n${text}`);
const PICTURES: readonly (readonly [string, Uint8Array, readonly [number, number] | null])[] = [
  ["PNG", PNG, [4, 2]],
  ["JPEG behind a segment", hex("ffd8 ffe00004 0000 ffff c0 0011 08 0102 0304 03 00 00 00"), [
    0x304,
    0x102,
  ]],
  ["progressive JPEG", hex("ffd8 ffc2 0011 08 0010 0020 03 00 00 00"), [32, 16]],
  ["JPEG without a frame", hex("ffd8 ffda 0004 0000 0000 0000 0000"), null],
  [
    "WebP, lossy",
    hex("52494646 00000000 57454250 56503820 00000000 000000 9d012a 4001 f000"),
    [320, 240],
  ],
  [
    "WebP, lossless",
    hex("52494646 00000000 57454250 5650384c 00000000 2f 3fc12b00 0000000000"),
    [320, 176],
  ],
  [
    "WebP, extended",
    hex("52494646 00000000 57454250 56503858 00000000 00000000 3f0100 ef0000"),
    [320, 240],
  ],
  ["nothing", new Uint8Array(0), null],
  ["Radiance", hdr("FORMAT=32-bit_rle_rgbe\nEXPOSURE=1\n\n-Y 3 +X 5\n"), [5, 3]],
  ["Radiance with a size in a comment", hdr("FORMAT=x\n# -Y 1 +X 1\n-Y 3 +X 5\n"), [5, 3]],
  // Its reader takes a line to end at a line feed alone.
  ["Radiance with a size behind a return", hdr("FORMAT=x\n#\r-Y 1 +X 1\n-Y 3 +X 5\n"), [5, 3]],
  ["Radiance with a size over two lines", hdr("FORMAT=x\n-Y 1\n+X 1\n-Y 3 +X 5\n"), [5, 3]],
  ["Radiance with its size before the format", hdr("-Y 3 +X 5\nFORMAT=x\n-Y 9 +X 9\n"), null],
  ["Radiance cut off in its size", hdr("FORMAT=x\n-Y 3 +X 5"), null],
  ["a PNG without width", PNG.map((byte, index) => index === 19 ? 0 : byte), null],
];
for (const [label, bytes, size] of PICTURES) {
  test(`pixelSize() of ${label}`, () => {
    const found = pixelSize(bytes);
    assert.deepEqual(found, size === null ? null : { width: size[0], height: size[1] });
  });
}

test("readWav() of what is cut off or none at all", () => {
  assert.equal(readWav(new Uint8Array(0)), null);
  assert.equal(readWav(WAV.subarray(0, 40)), null);
  assert.deepEqual(readWav(WAV), { seconds: 0.5, channels: 1, hertz: 8000 });
});

test("create(), uses() and unused() see what somebody else has just put into the project", () => {
  const clock = new TestClock();
  return inProject(async ({ authoring, root }) => {
    const guid = "00000000-0000-4000-8000-0000000000ff";
    const put = (name: string, content: object) =>
      writeFileSync(join(root, `assets/${name}`), JSON.stringify(content));
    clock.at += 2_000;
    put("late.material.json", { schema: 1, texture: OAK });
    put("late.material.json.meta.json", { guid });
    assert.deepEqual(
      (await authoring.unused()).map(({ path }) => path),
      ["assets/late.material.json"],
    );
    clock.at += 60_000;
    put("later.material.json", { schema: 1, texture: OAK });
    assert.equal(value(await authoring.uses(OAK)).length, 3);
    clock.at += 60_000;
    put("Last.material.json", { schema: 1 });
    const path = "assets/last.material.json";
    assert.equal(refusal(await authoring.create({ path, source })).code, "exists");
  }, { clock });
});

/** The first bytes of a PNG that says this size. */
function pngHead(width: number, height: number): Uint8Array {
  const head = new Uint8Array(PNG);
  new DataView(head.buffer).setUint32(16, width);
  new DataView(head.buffer).setUint32(20, height);
  return head;
}

/** Guids of pictures (HOUSE-6). */
const SHEET = (n: number) => `00000000-0000-4000-9000-00000000000${n}`;

for (
  const [what, sizes, severity, hint] of [
    ["that fit", [[8_192, 8_192], [8_192, 8_192]], null, null],
    [
      "that two scenes cannot have beside each other",
      [[8_192, 8_192], [8_192, 8_000], [8_192, 4_000]],
      "warning",
      /^Phones may end the game: its pictures take 882 MB .* at most 805 MB: "assets\/sheet0\.png" \(8192 × 8192, 358 MB\), .*make them smaller/i,
    ],
    [
      "that no scene can have",
      [[8_192, 8_192], [8_192, 8_192], [8_192, 8_192], [8_192, 8_192], [8_192, 8_192]],
      "error",
      /^Some of it is not drawn: its pictures take 1\.8 GB .* and 2 more\. Make them smaller/,
    ],
    [
      "one of which is too large",
      [[16_384, 4_097], [4, 4]],
      "error",
      /more than 67108864 pixels: "assets\/sheet0\.png" \(16384 × 4097, /,
    ],
  ] as const
) {
  test(`diagnose() judges pictures ${what}, however deep they are named`, () =>
    inProject(async ({ editor }) => {
      const { findings } = await editor.diagnose();
      const found = findings.find(({ code }) => code === "too-many-pixels");
      assert.equal(found?.severity ?? null, severity);
      if (hint !== null) assert.match(found?.hint ?? "", hint);
    }, {
      more: {
        "assets/materials/wood.material.json": JSON.stringify({
          schema: 1,
          textures: sizes.map((_size, n) => SHEET(n)),
        }),
        ...Object.fromEntries(sizes.flatMap(([width, height], n) => [
          [`assets/sheet${n}.png`, pngHead(width, height)],
          [`assets/sheet${n}.png.meta.json`, JSON.stringify({ guid: SHEET(n) })],
        ])),
      },
    }));
}

test("diagnose() finds assets of the scene whose files cannot be read, until they can", () =>
  inProject(async ({ editor, authoring, root }) => {
    const { ok, findings } = await editor.diagnose();
    assert.deepEqual([ok, findings[0]?.code, findings[0]?.ids], [false, "broken-asset", [1]]);
    assert.match(
      findings[0]?.hint ?? "",
      /^Cannot read "assets\/materials\/wood\.material\.json": it is not JSON at line 1, column 13/,
    );
    const content = { color: "#aabbcc" };
    value(await authoring.write({ name: WOOD, content, source }));
    assert.deepEqual(
      (await editor.diagnose()).findings.filter(({ code }) => /asset/.test(code)),
      [],
    );
    writeFileSync(join(root, "assets/materials/wood.material.json"), "[]");
    await editor.rescanAssets();
    assert.match((await editor.diagnose()).findings[0]?.hint ?? "", /expected a JSON object/);
  }, {
    more: {
      "assets/materials/wood.material.json": '{"schema":1,',
      // Nothing of the scene uses it.
      "assets/materials/other.material.json": "{",
    },
  }));
