import assert from "node:assert/strict";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { eventLoopTurn } from "../../lib/core/cooperative.ts";
import { EmbeddedAuthoring } from "../../lib/editor/authoring/authoring.ts";
import type { EditOp } from "../../lib/editor/ports/mod.ts";
import { withoutPosixFiles } from "../support/needs.ts";
import { type EditedScene, SCENE_PATH, sceneFile, withScene } from "./edited-scene.ts";
import { guid } from "./scenes.ts";

const OTHER = "assets/scenes/other.scene.json";
const BY = { source: "agent" } as const;

test("scenes() lists the scene files and which is open", async () => {
  await withScene([{}], async ({ editing }) => {
    const scenes = await editing.scenes();
    assert.deepEqual(scenes.map(({ path, open }) => [path, open]), [
      [SCENE_PATH, true],
      [OTHER, false],
    ]);
    assert.ok(scenes.every(({ size }) => size > 0));
  }, { [OTHER]: sceneFile([{}, {}], "Other") });
});

test("openScene() guards unsaved changes, and ids never come to mean another entity", async () => {
  await withScene([{}], async ({ editing, edit, core }) => {
    await edit({ op: "rename", id: 1, name: "Renamed" });
    const refused = await editing.openScene(OTHER, BY);
    assert.ok(!refused.ok);
    assert.deepEqual([refused.error.status, refused.error.code], [409, "unsaved-changes"]);
    assert.equal(core.scenePath, SCENE_PATH);
    const opened = await editing.openScene(OTHER, { ...BY, discard: true });
    assert.ok(opened.ok);
    assert.deepEqual([core.scenePath, core.sceneName], [OTHER, "Other"]);
    assert.deepEqual(core.document.entities().map(({ id }) => id), [1, 2], "1 has the same guid");
    assert.ok(core.document.rev > 1, "an old if_rev fits nothing");
    assert.deepEqual([editing.unsaved, editing.history()], [false, { undo: [], redo: [] }]);
    assert.deepEqual(editing.changedSince(1), { known: false, ids: [] });
  }, { [OTHER]: sceneFile([{}, {}], "Other") });
});

test("openScene() leaves the open scene as it is when the other one is refused", async () => {
  await withScene([{}], async ({ editing, core, write }) => {
    const before = core.document;
    write(OTHER, "{");
    for (const [path, code] of [[OTHER, "scene-invalid"], ["nope.scene.json", "scene-missing"]]) {
      const refused = await editing.openScene(path ?? "", { ...BY, discard: true });
      assert.ok(!refused.ok);
      assert.equal(refused.error.code, code);
    }
    write("assets/a.material.json", '{"color":"#ffffff","roughness":1}');
    const other = await editing.openScene("assets/a.material.json", { ...BY, discard: true });
    assert.match(other.ok ? "" : other.error.detail, /its name is not that of a scene/);
    assert.equal(core.document, before);
    assert.equal(core.scenePath, SCENE_PATH);
  });
});

test("save() writes what parse reads, keeps the format, and is then saved", async () => {
  await withScene([{ traits: { Transform: {} } }], async ({ editing, edit, core, root }) => {
    await edit({ op: "set", id: 1, trait: "Transform", fields: { x: 2.5 } });
    await edit({ op: "create", name: "Child", parentId: 1 });
    assert.equal(editing.unsaved, true);
    const saved = await editing.save(BY);
    assert.ok(saved.ok);
    assert.equal(editing.unsaved, false);
    const text = readFileSync(join(root, SCENE_PATH), "utf8");
    assert.equal(saved.value.bytes, text.length);
    assert.ok(text.startsWith('{\n  "schema": 1,\n  "name": "Main",\n'), text);
    assert.match(text, /"Transform": \{\n {10}"x": 2\.5\n {8}\}/);
    const before = structuredClone(core.document.entities());
    assert.ok((await editing.openScene(SCENE_PATH, BY)).ok);
    assert.deepEqual(core.document.entities(), before);
    assert.deepEqual(await editing.validate(), { ok: true, value: [] });
    assert.equal(core.journals.editor().at(-2)?.type, "save");
  });
});

test("undo() past the save is unsaved, back to it is saved", async () => {
  await withScene([{}], async ({ editing, edit }) => {
    await edit({ op: "rename", id: 1, name: "A" });
    await editing.save(BY);
    await editing.undo(1, "agent");
    assert.equal(editing.unsaved, true);
    await editing.redo(1, "agent");
    assert.equal(editing.unsaved, false);
  });
});

test("save() refuses to lose what somebody else wrote, until told to", async () => {
  await withScene([{}], async ({ editing, edit, write, root }) => {
    await edit({ op: "rename", id: 1, name: "Mine" });
    write(SCENE_PATH, sceneFile([{}, {}]));
    const refused = await editing.save(BY);
    assert.ok(!refused.ok);
    assert.deepEqual([refused.error.status, refused.error.code], [409, "changed-on-disk"]);
    assert.doesNotMatch(readFileSync(join(root, SCENE_PATH), "utf8"), /Mine/);
    assert.ok((await editing.save({ ...BY, overwrite: true })).ok);
    assert.match(readFileSync(join(root, SCENE_PATH), "utf8"), /Mine/);
    assert.ok((await editing.save(BY)).ok, "and is then its own again");
  });
});

test("save() writes a removed file again", async () => {
  await withScene([{}], async ({ editing, root }) => {
    rmSync(join(root, SCENE_PATH));
    assert.ok((await editing.save(BY)).ok);
    assert.ok(existsSync(join(root, SCENE_PATH)));
  });
});

test("save() to another path makes it the open one, and does not replace another scene", async () => {
  await withScene([{}], async ({ editing, core }) => {
    const taken = await editing.save({ ...BY, path: OTHER });
    assert.ok(!taken.ok);
    assert.deepEqual([taken.error.status, taken.error.code], [409, "exists"]);
    const path = "assets/levels/deep/copy.scene.json";
    assert.ok((await editing.save({ ...BY, path })).ok);
    assert.equal(core.scenePath, path);
    assert.ok((await editing.scenes()).some((scene) => scene.path === path && scene.open));
  }, { [OTHER]: sceneFile([]) });
});

for (
  const [path, ...expected] of [
    ["../out.scene.json", 403, "outside-project"],
    ["/x.scene.json", 403, "outside-project"],
    ["a.json", 422, "scene-path"],
    ["x.scene.json", 422, "scene-path"],
    ["assets/.scene.json", 422, "scene-path"],
  ] as const
) {
  test(`save() and newScene() refuse the path ${path}`, async () => {
    await withScene([{}], async ({ editing }) => {
      for (
        const refused of [await editing.save({ ...BY, path }), await editing.newScene(path, BY)]
      ) {
        assert.ok(!refused.ok);
        assert.deepEqual([refused.error.status, refused.error.code], expected);
      }
    });
  });
}

test("save() and newScene() do not follow a link out of the project", {
  skip: withoutPosixFiles,
}, async () => {
  await withScene([{}], async ({ editing, root }) => {
    const outside = mkdtempSync(join(tmpdir(), "slipway-outside-"));
    symlinkSync(outside, join(root, "assets/linked"));
    try {
      writeFileSync(join(outside, "there.scene.json"), "{}");
      for (
        const path of ["x", "sub/x", "there"].map((name) => `assets/linked/${name}.scene.json`)
      ) {
        for (const act of ["save", "newScene"] as const) {
          const refused = act === "save"
            ? await editing.save({ ...BY, path })
            : await editing.newScene(path, BY);
          assert.ok(!refused.ok, `${act} ${path}`);
          assert.deepEqual([refused.error.status, refused.error.code], [403, "outside-project"]);
        }
      }
      assert.deepEqual(readdirSync(outside), ["there.scene.json"]);
    } finally {
      rmSync(outside, { recursive: true });
    }
  });
});

test("newScene() is empty and unsaved until it is written", async () => {
  await withScene([{}], async ({ editing, edit, core, root }) => {
    const path = "assets/scenes/new.scene.json";
    assert.ok((await editing.newScene(path, BY)).ok);
    assert.deepEqual([core.document.size, editing.unsaved], [0, true]);
    assert.equal(existsSync(join(root, path)), false);
    assert.equal((await edit({ op: "create", name: "First" })).created[0]?.id, 2);
    assert.ok((await editing.save(BY)).ok);
    assert.match(readFileSync(join(root, path), "utf8"), /"name": "new"/);
    assert.equal(editing.unsaved, false);
    const taken = await editing.newScene(SCENE_PATH, BY);
    assert.ok(!taken.ok && taken.error.code === "exists");
  });
});

test("validate() names the errors of a file", async () => {
  await withScene([{}], async ({ editing, write }) => {
    write(OTHER, { schema: 1, name: "", entities: [{ guid: "x" }] });
    const errors = await editing.validate(OTHER);
    assert.ok(errors.ok && errors.value.length > 2);
    assert.match(errors.value.join(), /entities\[0\]\.guid/);
    const missing = await editing.validate("assets/none.scene.json");
    assert.ok(!missing.ok && missing.error.status === 404);
  });
});

test("pickUpChanges() loads what only others changed, and entities keep their ids", async () => {
  await withScene([{}, { parent: 1 }], async ({ editing, core, write }) => {
    assert.equal(await editing.pickUpChanges(), "unchanged");
    const { entities: [first, second] } = JSON.parse(
      JSON.stringify(sceneFile([{}, { parent: 1 }])),
    );
    const added = { ...second, guid: guid(7), name: "Added" };
    write(SCENE_PATH, { schema: 1, name: "Main", entities: [added, first, second] });
    assert.equal(await editing.pickUpChanges(), "reloaded");
    assert.deepEqual(core.document.entities().map(({ id, name }) => [id, name]), [
      [1, "Entity 1"],
      [3, "Added"],
      [2, "Entity 2"],
    ]);
    assert.equal(editing.unsaved, false);
    assert.deepEqual(core.journals.editor().map(({ type }) => type), ["scene-reload"]);
    assert.equal(await editing.pickUpChanges(), "unchanged");
  });
});

test("pickUpChanges() keeps unsaved changes, warns once and finds the conflict solved", async () => {
  await withScene([{}], async ({ editing, edit, core, write, root }) => {
    await edit({ op: "rename", id: 1, name: "Mine" });
    const original = readFileSync(join(root, SCENE_PATH), "utf8");
    write(SCENE_PATH, sceneFile([{}, {}]));
    const warnings = () => core.console.entries().filter(({ level }) => level === "warn").length;
    assert.equal(await editing.pickUpChanges(), "conflict");
    assert.equal(await editing.pickUpChanges(), "conflict");
    assert.deepEqual([warnings(), editing.conflict, core.document.size], [1, true, 1]);
    write(SCENE_PATH, original);
    assert.equal(await editing.pickUpChanges(), "unchanged");
    assert.equal(editing.conflict, false);
  });
});

test("pickUpChanges() keeps the open scene when the new version is broken, until it is whole", async () => {
  await withScene([{}], async ({ editing, core, write }) => {
    write(SCENE_PATH, '{"schema": 1, "name": ');
    assert.equal(await editing.pickUpChanges(), "conflict");
    assert.equal(core.document.size, 1);
    assert.match(core.console.entries().at(-1)?.text ?? "", /not JSON/);
    write(SCENE_PATH, sceneFile([{}, {}]));
    assert.equal(await editing.pickUpChanges(), "reloaded");
    assert.deepEqual([core.document.size, editing.conflict], [2, false]);
  });
});

test("pickUpChanges() says how many steps of undo end with a scene that is loaded again", async () => {
  await withScene([{}], async ({ editing, edit, core, write }) => {
    await edit({ op: "rename", id: 1, name: "Mine" });
    await editing.save({ source: "agent" });
    write(SCENE_PATH, sceneFile([{}, {}]));
    assert.equal(await editing.pickUpChanges(), "reloaded");
    assert.equal(editing.history().undo.length, 0);
    const { level, text } = core.console.entries().at(-1) ?? {};
    assert.deepEqual([level, /its undo steps were dropped \(1\)/.test(text ?? "")], ["warn", true]);
  });
});

test("pickUpChanges() waits for a game to stop, and a touched file is not a changed one", async () => {
  await withScene([{}], async ({ editing, core, write, root }) => {
    const { document } = core;
    utimesSync(join(root, SCENE_PATH), 1, 1);
    assert.equal(await editing.pickUpChanges(), "unchanged");
    assert.equal(core.document, document);
    core.playing = { rev: 0, entities: () => [] };
    write(SCENE_PATH, sceneFile([{}, {}]));
    assert.equal(await editing.pickUpChanges(), "unchanged");
    core.playing = null;
    assert.equal(await editing.pickUpChanges(), "reloaded");
  });
});

/** What takes many turns of the event loop. */
const LONG: readonly EditOp[] = Array.from(
  { length: 6_400 },
  (_, n): EditOp => ({ op: "rename", id: 1, name: `Name ${n}` }),
);

interface LongWork {
  /** Leads to a saved scene. */
  readonly prepare?: (scene: EditedScene) => Promise<void>;
  readonly work: (scene: EditedScene) => Promise<{ readonly ok: boolean }>;
  /** Of the one entity, afterwards. */
  readonly name: string;
  /** To undo and to redo, afterwards. */
  readonly steps: readonly [number, number];
}

const LONG_WORK: Readonly<Record<string, LongWork>> = {
  "an edit": {
    work: ({ editing }) => editing.edit({ ops: LONG, source: "agent" }),
    name: "Name 6399",
    steps: [1, 0],
  },
  "undo": {
    async prepare({ editing, edit }) {
      await edit(...LONG);
      assert.ok((await editing.save(BY)).ok);
    },
    work: ({ editing }) => editing.undo(1, "agent"),
    name: "Entity 1",
    steps: [0, 1],
  },
  "redo": {
    async prepare({ editing, edit }) {
      await edit(...LONG);
      assert.ok((await editing.undo(1, "agent")).ok);
    },
    work: ({ editing }) => editing.redo(1, "agent"),
    name: "Name 6399",
    steps: [1, 0],
  },
};

for (const [what, { prepare, work, name, steps }] of Object.entries(LONG_WORK)) {
  test(`pickUpChanges() loses nothing of ${what} that is made in turns meanwhile`, async () => {
    await withScene([{}], async (scene) => {
      const { editing, core, write, clock } = scene;
      await prepare?.(scene);
      assert.equal(editing.unsaved, false);
      clock.monotonic = () => clock.at += 25; // whatever yields has a turn of the event loop
      write(SCENE_PATH, sceneFile([{}, {}]));
      const working = work(scene);
      assert.equal(await editing.pickUpChanges(), "conflict");
      assert.ok((await working).ok);
      assert.deepEqual(core.document.entities().map((one) => one.name), [name]);
      const { undo, redo } = editing.history();
      assert.deepEqual([undo.length, redo.length, editing.unsaved], [...steps, true]);
    });
  });
}

test("a step is undone in the scene and in the history at the same time", async () => {
  await withScene([{}], async ({ editing, edit, core: { document }, clock }) => {
    await edit(...LONG);
    const { rev } = document;
    clock.monotonic = () => clock.at += 25;
    let isDone = false;
    const undone = editing.undo(1, "agent").finally(() => isDone = true);
    let turns = 0;
    for (; !isDone; turns++) {
      assert.equal(editing.history().undo.length === 1, document.rev === rev);
      assert.equal(editing.unsaved, document.rev === rev);
      await eventLoopTurn();
    }
    assert.ok((await undone).ok);
    assert.ok(turns > 10, `${turns} turns`);
  });
});

test("pickUpChanges() tells once that the open scene's file is gone, and follows when it is back", async () => {
  await withScene([{}], async ({ editing, edit, core, root, write }) => {
    const original = readFileSync(join(root, SCENE_PATH), "utf8");
    const warnings = () => core.console.entries().filter(({ level }) => level === "warn").length;
    rmSync(join(root, SCENE_PATH));
    assert.equal(await editing.pickUpChanges(), "conflict");
    assert.equal(await editing.pickUpChanges(), "conflict");
    assert.deepEqual([warnings(), editing.conflict, editing.unsaved], [1, true, true]);
    assert.deepEqual(await editing.scenes(), []);
    write(SCENE_PATH, original);
    assert.equal(await editing.pickUpChanges(), "unchanged");
    assert.deepEqual([editing.conflict, editing.unsaved], [false, false]);
    rmSync(join(root, SCENE_PATH));
    assert.equal(await editing.pickUpChanges(), "conflict");
    write(SCENE_PATH, sceneFile([{}, {}]));
    assert.equal(await editing.pickUpChanges(), "reloaded", "nothing here was lost");
    assert.deepEqual([core.document.size, editing.conflict, editing.unsaved], [2, false, false]);
    await edit({ op: "rename", id: 1, name: "Mine" });
    rmSync(join(root, SCENE_PATH));
    assert.equal(await editing.pickUpChanges(), "conflict");
    await editing.undo(1, "agent");
    assert.deepEqual([warnings(), editing.unsaved], [3, true]);
    assert.ok((await editing.save(BY)).ok);
    assert.deepEqual([editing.conflict, editing.unsaved], [false, false]);
    assert.equal((await editing.scenes()).length, 1);
  });
});

test("reloadIfChanged() looks at the file at most once a second", async () => {
  await withScene([{}], async ({ editing, core, write, clock }) => {
    await editing.reloadIfChanged();
    write(SCENE_PATH, sceneFile([{}, {}]));
    clock.at = 999;
    await editing.reloadIfChanged();
    assert.equal(core.document.size, 1);
    clock.at = 1_000;
    await editing.reloadIfChanged();
    assert.equal(core.document.size, 2);
  });
});

test("an edit made while a scene is being opened is not lost", async () => {
  await withScene([{}], async ({ editing, edit, core }) => {
    const opening = editing.openScene(OTHER, BY);
    await edit({ op: "rename", id: 1, name: "Meanwhile" });
    const opened = await opening;
    assert.ok(!opened.ok && opened.error.code === "unsaved-changes");
    assert.equal(core.document.get(1)?.name, "Meanwhile");
  }, { [OTHER]: sceneFile([]) });
});

test("an edit made while the scene is being saved is unsaved afterwards", async () => {
  await withScene([{}], async ({ editing, edit, root }) => {
    await edit({ op: "rename", id: 1, name: "Before" });
    const saving = editing.save(BY);
    await edit({ op: "rename", id: 1, name: "Meanwhile" });
    assert.ok((await saving).ok);
    const written = readFileSync(join(root, SCENE_PATH), "utf8");
    assert.equal(editing.unsaved, !written.includes("Meanwhile"));
  });
});

test("scenes below scenes/ are listed, opened, begun, saved, moved and validated as any other", async () => {
  const level = "scenes/deep/level.scene.json";
  const more = {
    [level]: sceneFile([{}, {}], "Level"),
    "scenes/notes.material.json": {},
    "scenes/level.png": "",
  };
  await withScene([{}], async ({ core, editing, write }) => {
    const paths = async () => (await editing.scenes()).map(({ path }) => path);
    assert.deepEqual(await paths(), [SCENE_PATH, level]);
    assert.deepEqual(core.scan.assets.map(({ path }) => path), [SCENE_PATH, level]);
    assert.deepEqual(await editing.validate(level), { ok: true, value: [] });
    assert.ok((await editing.openScene(level, { source: "agent" })).ok);
    assert.equal(core.document.size, 2);
    assert.deepEqual((await editing.scenes()).filter(({ open }) => open).length, 1);
    const next = "scenes/next.scene.json";
    assert.ok((await editing.newScene(next, { source: "agent" })).ok);
    assert.ok((await editing.save({ source: "agent" })).ok);
    assert.deepEqual(await paths(), [SCENE_PATH, level, next]);
    // What somebody else puts there is found at the next look.
    write("scenes/other.scene.json", sceneFile([], "Other"));
    await core.rescanAssets();
    assert.equal((await paths()).length, 4);
    const moved = await new EmbeddedAuthoring(core).move({
      name: level,
      to: "scenes/",
      source: "agent",
    });
    assert.equal(moved.ok && moved.value.path, "scenes/level.scene.json");
    for (
      const path of ["scenes/x.json", "levels/x.scene.json", "x.scene.json", "scenes/.scene.json"]
    ) {
      const refused = await editing.newScene(path, { source: "agent" });
      assert.equal(refused.ok ? "" : refused.error.code, "scene-path", path);
    }
    const out = await new EmbeddedAuthoring(core).create({
      path: "scenes/a.material.json",
      source: "agent",
    });
    assert.equal(out.ok ? "" : out.error.code, "asset-path");
  }, more);
});
