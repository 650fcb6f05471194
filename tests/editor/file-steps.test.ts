import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { FileError } from "../../lib/core/file-error.ts";
import type { JsonObject } from "../../lib/core/json.ts";
import type { Problem } from "../../lib/core/problem.ts";
import type { Result } from "../../lib/core/result.ts";
import { type EmbeddedEditor, openEmbeddedEditor } from "../../lib/editor/embedded-editor.ts";
import { History } from "../../lib/editor/history/history.ts";
import { KeptFiles, MAX_KEPT_IN_MEMORY, MAX_MEMORY } from "../../lib/editor/files/kept-files.ts";
import type { AssetAuthoring, EditOp } from "../../lib/editor/ports/mod.ts";
import type { Files } from "../../lib/ports/files.ts";
import { type Random, runSeed, seededRandom } from "../support/random.ts";
import { rounds } from "../support/rounds.ts";
import { TestClock } from "./edited-scene.ts";
import { triangleGlb } from "./glb.ts";
import { withFolder } from "./project-folder.ts";

const SCENE = "assets/scenes/main.scene.json";
const WOOD = "assets/materials/wood.material.json";
const source = "agent";
const onWindows = process.platform === "win32";

/** A scene, a material written by hand, a model to import. */
const PROJECT: Readonly<Record<string, unknown>> = {
  [SCENE]: {
    schema: 1,
    name: "Main",
    entities: [{
      guid: "00000000-0000-4000-8000-000000000001",
      name: "Crate",
      layer: "3d",
      traits: { Transform: {} },
    }],
  },
  [WOOD]: '{ "color": "#aabbcc",\n\n  "schema": 1 }',
  [`${WOOD}.meta.json`]: '{"guid":"00000000-0000-4000-8000-00000000000a" , "note": "mine"}',
  "thing.glb": triangleGlb([{ name: "Tri", mesh: 0 }]),
};

interface World {
  readonly root: string;
  readonly editor: EmbeddedEditor;
  readonly authoring: AssetAuthoring;
  readonly clock: TestClock;
  /** Every file of the project with its bytes, and every folder. */
  files(): ReadonlyMap<string, string>;
}

async function inProject(
  work: (world: World) => Promise<void>,
  wrap: (files: Files) => Files = (files) => files,
): Promise<void> {
  await withFolder(PROJECT, async (root, files) => {
    const clock = new TestClock();
    const options = { files: wrap(files), clock, root, project: "P", scenePath: SCENE };
    const opened = await openEmbeddedEditor(options);
    if (!opened.ok) throw new Error(opened.error.detail);
    const editor = opened.value;
    try {
      await work({
        root,
        editor,
        authoring: editor.authoring,
        clock,
        files: () => filesBelow(root),
      });
    } finally {
      await editor.close();
    }
  });
}

function filesBelow(root: string): ReadonlyMap<string, string> {
  const names = readdirSync(root, { recursive: true }).map(String).sort();
  return new Map(names.map((name) => {
    const path = join(root, name);
    return [name, statSync(path).isDirectory() ? "/" : readFileSync(path, "latin1")];
  }));
}

function value<T>(result: Result<T, Problem>): T {
  if (!result.ok) throw new Error(result.error.detail);
  return result.value;
}

function refusal<T>(result: Result<T, Problem>): Problem {
  if (result.ok) throw new Error("Expected a refusal");
  return result.error;
}

const material = (roughness: number): JsonObject => ({ roughness });

/** Every change of files that one call makes. */
const CHANGES: readonly (readonly [string, (world: World) => Promise<Result<unknown, Problem>>])[] =
  [
    ["create", ({ authoring }) => authoring.create({ path: "assets/new/a.material.json", source })],
    ["write", ({ authoring }) => authoring.write({ name: WOOD, content: material(0.5), source })],
    ["writeMeta", ({ authoring }) => authoring.writeMeta({ name: WOOD, meta: { x: 1 }, source })],
    ["move", ({ authoring }) => authoring.move({ name: WOOD, to: "assets/deep/er/", source })],
    ["remove", ({ authoring }) => authoring.remove({ name: WOOD, source })],
    ["importFile", ({ authoring }) => authoring.importFile({ file: "thing.glb", source })],
    [
      "create of prefabs",
      ({ editor }) =>
        editor.prefabs.create({ entity: { id: 1 }, path: "assets/p/a.prefab.json", source }),
    ],
  ];

for (const [what, change] of CHANGES) {
  test(`undo() and redo() of ${what}() bring all bytes back, and the list of assets`, () =>
    inProject(async (world) => {
      const { editor, files, root } = world;
      if (!onWindows) chmodSync(join(root, WOOD), 0o640);
      const state = async () => ({
        files: files(),
        assets: await editor.assets(),
        entities: structuredClone(editor.document.entities()),
      });
      const before = await state();
      const done = value(await change(world));
      const after = await state();
      assert.notDeepEqual(after.files, before.files);
      const { undo } = editor.editing.history();
      assert.equal(undo.length, 1, "one step");
      assert.equal(Object(done).undo, undo[0]?.id);
      const [note] = editor.journals.editor().filter(({ payload }) => Object(payload).undo);
      assert.deepEqual([note?.source, Object(note?.payload).undo], ["agent", undo[0]?.id]);
      for (let again = 0; again < 3; again++) {
        assert.equal(value(await editor.editing.undo(1, "human")).length, 1);
        assert.deepEqual(await state(), before);
        assert.equal(value(await editor.editing.redo(1, "human")).length, 1);
        assert.deepEqual(await state(), after);
      }
      assert.equal(value(await editor.editing.undo(1, "human")).length, 1);
      if (!onWindows) assert.equal(statSync(join(root, WOOD)).mode & 0o777, 0o640);
    }));
}

test("undo() takes scene and files back in the order in which they were changed", () =>
  inProject(async ({ editor, authoring, root }) => {
    const rename = (name: string) =>
      editor.editing.edit({ ops: [{ op: "rename", id: 1, name }], source });
    value(await rename("A"));
    const { undo } = value(await authoring.write({ name: WOOD, content: material(0.5), source }));
    value(await rename("B"));
    assert.equal(undo, 2);
    assert.deepEqual(editor.editing.history().undo.map(({ label }) => label), [
      'Rename "Crate" to "A"',
      `Write "${WOOD}"`,
      'Rename "A" to "B"',
    ]);
    value(await editor.editing.undo(2, "human"));
    assert.equal(readFileSync(join(root, WOOD), "utf8"), PROJECT[WOOD]);
    assert.equal(editor.document.get(1)?.name, "A");
    value(await authoring.write({ name: WOOD, content: material(0.7), source }));
    assert.deepEqual(editor.editing.history().redo, [], "what was undone is gone");
  }));

test("a change of files does not make the scene unsaved, nor is it forgotten with the scene", () =>
  inProject(async ({ editor, authoring, root }) => {
    value(await authoring.write({ name: WOOD, content: material(0.5), source }));
    assert.equal(editor.editing.unsaved, false);
    const path = "assets/p/a.prefab.json";
    value(await editor.prefabs.create({ entity: { id: 1 }, path, source }));
    assert.equal(editor.editing.unsaved, true);
    value(await editor.editing.openScene(SCENE, { discard: true, source }));
    assert.equal(editor.editing.unsaved, false);
    assert.equal(editor.editing.history().undo.length, 2);
    value(await editor.editing.undo(2, "human"));
    assert.equal(existsSync(join(root, path)), false);
    assert.equal(readFileSync(join(root, WOOD), "utf8"), PROJECT[WOOD]);
    assert.equal(editor.editing.unsaved, false);
    value(await editor.editing.redo(2, "human"));
    assert.equal(existsSync(join(root, path)), true);
    assert.equal(editor.document.get(1)?.traits["PrefabInstance"], undefined);
  }));

test("nothing is a step when nothing is different", () =>
  inProject(async ({ editor, authoring }) => {
    const write = () => authoring.write({ name: WOOD, content: material(0.5), source });
    assert.equal(value(await write()).undo, 1);
    assert.equal(value(await write()).undo, null);
    assert.equal(editor.editing.history().undo.length, 1);
  }));

const FOREIGN: readonly (readonly [string, (path: string) => void, RegExp])[] = [
  ["changed", (path) => writeFileSync(path, "theirs"), /somebody else has changed it/],
  ["removed", (path) => rmSync(path), /it is gone/],
  [
    "replaced by a folder",
    (path) => {
      rmSync(path);
      mkdirSync(path);
    },
    /there is a folder now/,
  ],
];
for (const [what, change, why] of FOREIGN) {
  test(`undo() is refused when one of several files was ${what} by somebody else`, () =>
    inProject(async ({ editor, authoring, root, files }) => {
      const rename = [{ op: "rename", id: 1, name: "A" }] as const;
      value(await authoring.importFile({ file: "thing.glb", source }));
      value(await editor.editing.edit({ ops: rename, source }));
      change(join(root, "assets/models/thing/thing.prefab.json"));
      const before = files();
      const problem = refusal(await editor.editing.undo(2, "human"));
      assert.deepEqual([problem.status, problem.code], [409, "changed-on-disk"]);
      assert.match(problem.detail, /^Cannot undo "Import "thing\.glb"": "assets\/models\/thing/);
      assert.match(problem.detail, why);
      assert.deepEqual(files(), before);
      assert.equal(editor.document.get(1)?.name, "A", "all or none");
      assert.equal(editor.editing.history().undo.length, 2);
      value(await editor.editing.undo(1, "human"));
      assert.equal(editor.document.get(1)?.name, "Crate");
    }));
}

test("undo() that may leave what others have changed takes the rest of the step", () =>
  inProject(async ({ editor, authoring, root, files }) => {
    const { editing } = editor;
    const before = files();
    value(await editing.edit({ ops: [{ op: "rename", id: 1, name: "A" }], source }));
    value(await authoring.importFile({ file: "thing.glb", source }));
    const prefab = "assets/models/thing/thing.prefab.json";
    writeFileSync(join(root, prefab), "theirs");
    const undone = value(await editing.undo(2, "human", { leave: true }));
    assert.deepEqual(undone.map(({ left }) => left), [[prefab], undefined]);
    assert.equal(editor.document.get(1)?.name, "Crate");
    const theirs = [...files()].filter(([path, bytes]) => before.get(path) !== bytes);
    assert.deepEqual(
      theirs.filter(([, bytes]) => bytes !== "/").map(([path]) => path.replaceAll("\\", "/")),
      [prefab],
    );
    // The step is without that file from now on.
    assert.equal(value(await editing.redo(2, "human")).at(-1)?.left, undefined);
    assert.equal(readFileSync(join(root, prefab), "utf8"), "theirs");
    assert.ok(existsSync(join(root, "assets/models/thing/thing.glb")));
    value(await editing.undo(2, "human"));
    assert.equal(readFileSync(join(root, prefab), "utf8"), "theirs");
  }));

test("takeBackSteps() leaves what could be redone before them", () =>
  inProject(async ({ editor, authoring, files }) => {
    const { editing } = editor;
    const rename = (name: string) =>
      editing.edit({ ops: [{ op: "rename", id: 1, name }], source }).then(value);
    await rename("A");
    value(await authoring.write({ name: WOOD, content: material(0.5), source }));
    const after = files();
    value(await editing.undo(2, "human"));
    await rename("B");
    await rename("C");
    value(await editing.takeBackSteps(null));
    assert.equal(editing.history().redo.length, 2);
    value(await editing.redo(2, "human"));
    assert.equal(editor.document.get(1)?.name, "A");
    assert.deepEqual(files(), after);
    // A step that stays displaces it for good, also when what follows is taken back.
    value(await editing.undo(2, "human"));
    await rename("B");
    const { undo } = editing.history();
    await rename("C");
    value(await editing.takeBackSteps(undo.at(-1)?.id ?? null));
    assert.deepEqual(editing.history().redo, []);
  }));

test("undo() of a deletion is refused where somebody has put a file, and redo() likewise", () =>
  inProject(async ({ editor, authoring, root }) => {
    value(await authoring.remove({ name: WOOD, source }));
    writeFileSync(join(root, WOOD), "theirs");
    assert.match(refusal(await editor.editing.undo(1, "human")).detail, /somebody has written it/);
    rmSync(join(root, WOOD));
    value(await editor.editing.undo(1, "human"));
    writeFileSync(join(root, WOOD), "theirs");
    assert.equal(refusal(await editor.editing.redo(1, "human")).code, "changed-on-disk");
    assert.equal(readFileSync(join(root, WOOD), "utf8"), "theirs");
  }));

test("undo() does not take the file of the open scene away", () =>
  inProject(async ({ editor, authoring, root }) => {
    const other = "assets/scenes/other.scene.json";
    writeFileSync(join(root, other), JSON.stringify({ schema: 1, name: "O", entities: [] }));
    await editor.rescanAssets();
    value(await authoring.move({ name: other, to: "assets/scenes/moved.scene.json", source }));
    value(await editor.editing.openScene("assets/scenes/moved.scene.json", { source }));
    assert.equal(refusal(await editor.editing.undo(1, "human")).code, "scene-open");
  }));

test("undo() follows the link that the change followed, and none that leads out", {
  skip: onWindows ? "links need rights there" : false,
}, () =>
  inProject(async ({ editor, authoring, root }) => {
    mkdirSync(join(root, "elsewhere"));
    symlinkSync(join(root, "elsewhere"), join(root, "assets/link"));
    const path = "assets/link/a.material.json";
    value(await authoring.create({ path, source }));
    assert.ok(existsSync(join(root, "elsewhere/a.material.json")));
    rmSync(join(root, "assets/link"));
    symlinkSync(dirname(root), join(root, "assets/link"));
    value(await editor.editing.undo(1, "human"));
    assert.deepEqual(readdirSync(join(root, "elsewhere")), []);
  }));

test("an undo that fails in the middle changes nothing, whichever write it is", async () => {
  for (let cut = 1;; cut++) {
    let left = Infinity;
    const count = () => {
      if (--left === 0) throw new FileError("full", "x", "the disk is full");
    };
    const wrap = (files: Files): Files => ({
      ...files,
      writeAtomic(path, body, options) {
        count();
        return files.writeAtomic(path, body, options);
      },
      remove(path) {
        if (path.includes("assets")) count();
        return files.remove(path);
      },
    });
    let failed = false;
    await inProject(async ({ editor, authoring, files }) => {
      value(await authoring.write({ name: WOOD, content: material(0.5), source }));
      value(await authoring.move({ name: WOOD, to: "assets/moved.material.json", source }));
      value(await authoring.importFile({ file: "thing.glb", source }));
      assert.notEqual(editor.editing.joinSteps(null, "All"), null);
      const before = files();
      left = cut;
      const undone = await editor.editing.undo(1, "human");
      failed = !undone.ok;
      left = Infinity;
      if (!failed) return;
      assert.equal(refusal(undone).code, "unwritable");
      assert.deepEqual(files(), before, `cut ${cut}`);
      value(await editor.editing.undo(1, "human"));
      assert.equal(files().get(WOOD), PROJECT[WOOD]);
    }, wrap);
    if (!failed) {
      assert.ok(cut > 8, `${cut} writes`);
      break;
    }
  }
});

test("an undo that is killed leaves every file whole: as it was, or as it will be", async () => {
  for (let cut = 1;; cut++) {
    let left = Infinity;
    const never = new Promise<never>(() => {});
    let stop = () => {};
    const stopped = new Promise<void>((resolve) => stop = resolve);
    // From one operation on nothing happens any more, as after kill -9.
    const frozen =
      <Args extends unknown[], T>(work: (...args: Args) => Promise<T>) =>
      (...args: Args): Promise<T> => {
        if (--left > 0) return work(...args);
        stop();
        return never;
      };
    const wrap = (files: Files): Files => ({
      ...files,
      writeAtomic: frozen(files.writeAtomic),
      remove: frozen(files.remove),
      makeDirectory: frozen(files.makeDirectory),
    });
    let finished = false;
    await withFolder(PROJECT, async (root, files) => {
      const clock = new TestClock();
      const opened = await openEmbeddedEditor({
        files: wrap(files),
        clock,
        root,
        project: "P",
        scenePath: SCENE,
      });
      const editor = value(opened);
      const before = filesBelow(root);
      value(await editor.authoring.write({ name: WOOD, content: material(0.5), source }));
      value(await editor.authoring.move({ name: WOOD, to: "assets/m.material.json", source }));
      value(await editor.authoring.importFile({ file: "thing.glb", source }));
      editor.editing.joinSteps(null, "All");
      const after = filesBelow(root);
      left = cut;
      finished = await Promise.race([
        editor.editing.undo(1, "human").then(() => true),
        stopped.then(() => false),
      ]);
      for (const [path, bytes] of filesBelow(root)) {
        assert.ok([before.get(path), after.get(path)].includes(bytes), `cut ${cut}: ${path}`);
      }
      // What undo takes away it takes away last.
      if (!finished) {
        assert.ok(existsSync(join(root, WOOD)) || existsSync(join(root, "assets/m.material.json")));
      }
    });
    if (finished) {
      assert.ok(cut > 8, `${cut} operations`);
      break;
    }
  }
});

test("a large file is kept once there is room for its copy again", () =>
  withFolder({ "a.bin": new Uint8Array(MAX_KEPT_IN_MEMORY + 1).fill(7) }, async (root, real) => {
    let isFull = true;
    const kept = new KeptFiles({
      ...real,
      makeTemporaryDirectory(prefix) {
        if (!isFull) return real.makeTemporaryDirectory(prefix);
        return Promise.reject(new FileError("full", prefix, "the disk is full"));
      },
    });
    await assert.rejects(kept.keep(join(root, "a.bin")), FileError);
    isFull = false;
    const state = await kept.keep(join(root, "a.bin"));
    assert.ok(await state?.kept?.body() !== undefined);
    await kept.close();
  }));

test("a large file is kept on the disk, and is gone from there after close()", () =>
  withFolder({ "a.bin": new Uint8Array(MAX_KEPT_IN_MEMORY + 1).fill(7) }, async (root, real) => {
    const made: string[] = [];
    const files: Files = {
      ...real,
      async makeTemporaryDirectory(prefix) {
        const folder = await real.makeTemporaryDirectory(prefix);
        made.push(folder);
        return folder;
      },
    };
    const kept = new KeptFiles(files);
    const path = join(root, "a.bin");
    const state = await kept.keep(path);
    const [folder = ""] = made;
    assert.equal(readdirSync(folder).length, 1);
    assert.equal(state?.print, (await kept.look(path))?.print);
    writeFileSync(path, "x");
    assert.notEqual(state?.print, (await kept.look(path))?.print);
    const body = await state?.kept?.body();
    assert.ok(body !== undefined);
    await real.writeAtomic(path, body);
    assert.equal(state?.print, (await kept.look(path))?.print);
    const again = await kept.keep(path);
    state?.kept?.release();
    state?.kept?.release();
    assert.ok(again !== null);
    await kept.close();
    assert.equal(existsSync(folder), false);
    await assert.rejects(Promise.resolve(again.kept?.body()), FileError);
  }));

test("undo() brings a large file back where the temporary folder is below a link, as on macOS", {
  skip: onWindows ? "links need rights there" : false,
}, async () => {
  const made: string[] = [];
  const linked = (files: Files): Files => ({
    ...files,
    async makeTemporaryDirectory(prefix) {
      const folder = await files.makeTemporaryDirectory(prefix);
      made.push(folder);
      mkdirSync(join(folder, "real/history"), { recursive: true });
      symlinkSync("real", join(folder, "link"));
      return join(folder, "link/history");
    },
  });
  try {
    await inProject(async ({ editor, authoring, root }) => {
      const text = JSON.stringify({ schema: 1, color: "#aabbcc" }) + " ".repeat(MAX_KEPT_IN_MEMORY);
      writeFileSync(join(root, WOOD), text);
      value(await authoring.remove({ name: WOOD, source }));
      assert.equal(made.length, 1);
      value(await editor.editing.undo(1, "human"));
      assert.equal(readFileSync(join(root, WOOD), "utf8"), text);
    }, linked);
  } finally {
    made.forEach((folder) => rmSync(folder, { recursive: true, force: true }));
  }
});

test("KeptFiles holds no more in memory than it says, whatever is released", () =>
  withFolder({}, async (_root, real) => {
    const size = MAX_KEPT_IN_MEMORY;
    const copies: string[] = [];
    const bytes = new Uint8Array(size);
    // A disk that has one file under every name.
    const files: Files = {
      ...real,
      stat: () => Promise.resolve({ kind: "file", size, mtimeMs: 0, mode: 0o644 }),
      read: () => Promise.resolve(bytes),
      readRange: () => Promise.resolve(bytes),
      makeTemporaryDirectory: () => Promise.resolve("/kept"),
      openRead: () => Promise.resolve(new Blob([bytes]).stream()),
      write: (to) => {
        copies.push(to);
        return Promise.resolve(size);
      },
      remove: () => Promise.resolve(),
    };
    const kept = new KeptFiles(files);
    const most = MAX_MEMORY / size;
    const states = [];
    for (let n = 0; n < most + 3; n++) states.push(await kept.keep("/a"));
    assert.equal(copies.length, 3);
    states[0]?.kept?.release();
    states[0]?.kept?.release();
    await kept.keep("/a");
    assert.equal(copies.length, 3, "there is room for one more");
    await kept.keep("/a");
    assert.equal(copies.length, 4);
    await kept.close();
  }));

test("History forgets the oldest steps when files keep too much, and says so", () => {
  const forgotten: number[] = [];
  const released: number[] = [];
  const history = new History({ maxBytes: 100, onForget: (steps) => forgotten.push(steps) });
  const files = (n: number, size: number) => ({
    folders: [],
    changes: [{
      path: `f${n}`,
      place: `f${n}`,
      after: null,
      before: {
        print: "x",
        mode: 0,
        kept: {
          size,
          body: () => Promise.resolve(new Uint8Array()),
          release: () => void released.push(n),
        },
      },
    }],
  });
  const step = { label: "step", source, t: 0 } as const;
  for (let n = 1; n <= 5; n++) history.push(step, [], files(n, 30));
  assert.deepEqual([forgotten, released, history.bytes], [[1, 1], [1, 2], 90]);
  history.push(step, [], files(6, 1_000));
  assert.deepEqual(history.state().undo.map(({ id }) => id), [6], "the step at hand stays");
  assert.deepEqual(released, [1, 2, 3, 4, 5]);
  history.undo();
  history.push(step, [], files(7, 1));
  assert.deepEqual([released.at(-1), history.bytes], [6, 1]);
});

// Random sequences.

function randomSceneOp(random: Random, { document }: EmbeddedEditor): EditOp {
  const entities = document.entities();
  const id = entities[random.below(entities.length)]?.id ?? 1;
  const others = entities.length > 1;
  switch (random.below(5)) {
    case 0:
      return { op: "create", name: `New ${random.below(9)}`, traits: { Transform: {} } };
    case 1:
      return others ? { op: "delete", id } : { op: "duplicate", id };
    case 2:
      return { op: "rename", id, name: `Name ${random.below(4)}` };
    case 3:
      return { op: "duplicate", id };
    default:
      return { op: "set", id, trait: "Transform", fields: { x: random.next() } };
  }
}

/** One change of anything; many of them are refused, which must change nothing. */
async function randomChange(random: Random, world: World): Promise<Result<unknown, Problem>> {
  const { editor, authoring } = world;
  const assets = (await editor.assets()).filter(({ path }) => path !== SCENE);
  const name = assets[random.below(assets.length)]?.path ?? WOOD;
  const path = `assets/${["a", "b/c", "materials"][random.below(3)]}/m${random.below(4)}`;
  switch (random.below(9)) {
    case 0:
      return await authoring.create({ path: `${path}.material.json`, source });
    case 1:
      return await authoring.write({ name, content: material(random.below(9) / 10), source });
    case 2:
      return await authoring.writeMeta({ name, meta: { note: random.below(3) }, source });
    case 3:
      return await authoring.move({ name, to: `${path}${name.slice(name.indexOf("."))}`, source });
    case 4:
      return await authoring.remove({ name, force: random.below(2) === 0, source });
    case 5:
      return random.below(4) === 0
        ? await authoring.importFile({ file: "thing.glb", source })
        : await authoring.create({ path: `${path}.anim.json`, source });
    case 6: {
      const id = editor.document.entities()[0]?.id ?? 1;
      return await editor.prefabs.create({ entity: { id }, path: `${path}.prefab.json`, source });
    }
    default: {
      const ops = [randomSceneOp(random, editor), randomSceneOp(random, editor)];
      const done = await editor.editing.edit({ ops, source });
      return done.ok ? done.value.ok ? done : { ok: true, value: null } : done;
    }
  }
}

test("any edits of scene and files undone are the start again, redone the end, byte for byte", async () => {
  const seed = runSeed();
  for (let round = 0; round < rounds(3, 300); round++) {
    const why = `seed ${seed}, round ${round}`;
    const random = seededRandom(seed + round);
    await inProject(async (world) => {
      const { editor, files } = world;
      const { editing } = editor;
      const state = async () => ({
        files: files(),
        entities: structuredClone(editor.document.entities()),
        assets: await editor.assets(),
      });
      const states = [await state()];
      for (let n = 0; n < 25; n++) {
        const steps = editing.history().undo.length;
        const before = states.at(-1);
        const first = editing.history().undo.at(-1)?.id ?? null;
        const calls = random.below(4) === 0 ? 3 : 1;
        let refused = false;
        for (let call = 0; call < calls; call++) {
          refused = !(await randomChange(random, world)).ok || refused;
        }
        const made = editing.history().undo.length - steps;
        if (calls > 1 && refused) value(await editing.takeBackSteps(first));
        else if (made > 1) editing.joinSteps(first, "Together");
        const now = await state();
        if (editing.history().undo.length > steps) states.push(now);
        else assert.deepEqual(now, before, `${why}, change ${n}`);
      }
      for (let pass = 0; pass < 2; pass++) {
        for (const expected of states.slice(0, -1).toReversed()) {
          assert.equal(value(await editing.undo(1, "human")).length, 1, why);
          assert.deepEqual(await state(), expected, why);
        }
        assert.deepEqual(value(await editing.undo(1, "human")), [], why);
        assert.equal(editing.unsaved, false, why);
        for (const expected of states.slice(1)) {
          assert.equal(value(await editing.redo(1, "human")).length, 1, why);
          assert.deepEqual(await state(), expected, why);
        }
      }
      value(await editing.undo(states.length, "human"));
      assert.deepEqual(await state(), states[0], why);
    });
  }
});
