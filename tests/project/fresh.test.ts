import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { encodeUtf8 } from "../../lib/core/bytes.ts";
import { encodePng } from "../../lib/project/icons/encode-png.ts";
import { openProject } from "../../lib/project/open.ts";
import { createProjectSettings } from "../../lib/project/settings.ts";
import { stillClock, withFolder } from "../editor/project-folder.ts";
import { withFolder as withEmptyFolder, writeTree } from "../support/folder.ts";
import { withProjectService } from "../support/project-service.ts";

const SCENE = "scenes/main.scene.json";

test("openProject() opens an empty folder as a new game, and writes nothing", () =>
  withEmptyFolder(async (folder) => {
    const root = join(folder, "new-game");
    mkdirSync(join(root, ".git"), { recursive: true });
    await withProjectService(root, async ({ editor, call }) => {
      const names = editor.document.entities().map(({ name, traits }) =>
        `${name}: ${Object.keys(traits)}`
      );
      assert.deepEqual(names, [
        "Camera: Transform,Camera",
        "Sun: Transform,Light",
        "Sky: Sky,Light",
      ]);
      assert.equal(editor.editing.unsaved, true);
      const { body } = await call("get_project");
      assert.deepEqual([body.name, body.startScene], ["new-game", SCENE]);
      assert.equal((await call("svc_diagnose")).status, 200);
      assert.equal((await editor.editing.undo(1, "human")).ok, true, "there is nothing to undo");
      assert.deepEqual(readdirSync(root), [".git"]);

      const saved = await call("save_scene");
      assert.deepEqual(saved.body.path, SCENE);
      assert.deepEqual(readdirSync(root).sort(), [".git", "project.config.json", "scenes"]);
      assert.equal(editor.editing.unsaved, false);
      const types = editor.journals.editor().map(({ type, source }) => `${type} ${source}`);
      assert.deepEqual(types, ["project-create agent", "save agent"]);
    });
    // And opens again as any other project.
    await withProjectService(root, async ({ editor, call }) => {
      assert.deepEqual([editor.document.size, editor.editing.unsaved], [3, false]);
      assert.deepEqual((await call("list_scenes")).body.scenes.length, 1);
    });
  }));

test("openProject() begins a scene in a project that has none, and only there", () =>
  withEmptyFolder(async (root) => {
    const config = {
      name: "G",
      startScene: "assets/a.scene.json",
      build: { web: { command: ["true"], out: "dist" } },
    };
    writeFileSync(join(root, "project.config.json"), JSON.stringify(config));
    await withProjectService(root, async ({ editor, call }) => {
      assert.deepEqual([editor.document.size, editor.editing.unsaved], [3, true]);
      assert.deepEqual(readdirSync(root), ["project.config.json"]);
      assert.equal((await call("save_scene")).body.path, "assets/a.scene.json");
      assert.deepEqual(JSON.parse(readFileSync(join(root, "project.config.json"), "utf8")), config);
    });
  }));

test("openProject() begins nothing in a folder of other things", () =>
  withFolder({ "notes.txt": "mine" }, async (root, files) => {
    const opened = await openProject({ files, clock: stillClock, root });
    assert.equal(opened.ok ? "opened" : opened.error.code, "config-missing");
    assert.match(opened.ok ? "" : opened.error.hint, /or an empty one for a new project/);
    assert.deepEqual(readdirSync(root), ["notes.txt"]);
  }));

test("a new game saved elsewhere starts there", () =>
  withEmptyFolder((root) =>
    withProjectService(root, async ({ call }) => {
      assert.equal((await call("save_scene", { path: "scenes/one.scene.json" })).status, 200);
      const config: unknown = JSON.parse(readFileSync(join(root, "project.config.json"), "utf8"));
      assert.equal(Object(config).startScene, "scenes/one.scene.json");
      assert.equal((await call("get_project")).body.startScene, "scenes/one.scene.json");
    })
  ));

test("set_project_settings writes the settings of a new game, and undo takes the file away", () =>
  withEmptyFolder((root) =>
    withProjectService(root, async ({ call, editor }) => {
      const set = await call("set_project_settings", { values: { name: "Mine" } });
      const { warnings: [later], ...rest } = set.body;
      assert.deepEqual(rest, { ok: true, changed: 1, settings: { name: "Mine" }, undo: 1 });
      // The banner, which is read with every answer, does not follow.
      assert.match(later, /keeps its name in banners until/);
      assert.equal((await call("get_project")).body.name, "Mine");
      assert.ok(existsSync(join(root, "project.config.json")));
      assert.equal((await call("undo")).status, 200);
      assert.deepEqual(readdirSync(root), []);
      assert.notEqual((await call("get_project")).body.name, "Mine");
      assert.equal(editor.editing.unsaved, true);
    })
  ));

test("set_project_settings takes an icon that a build can use, and no other", () =>
  withEmptyFolder(async (root) => {
    const square = (side: number) =>
      encodePng({ side, rgba: new Uint8Array(side * side * 4).fill(255) });
    const large = square(512);
    writeTree(root, {
      "project.config.json": JSON.stringify({
        name: "G",
        startScene: "scenes/main.scene.json",
        build: { web: { out: "dist" } },
        icon: "lost.png",
      }),
      "small.png": square(511),
      "cut.png": large.subarray(0, large.length / 2),
      "page.png": encodeUtf8("<!doctype html>"),
      "page.svg": encodeUtf8("<!doctype html>"),
      "good.png": large,
      "good.svg": encodeUtf8('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    });
    await withProjectService(root, async ({ call }) => {
      const set = (values: object) => call("set_project_settings", { values });
      for (const icon of ["small.png", "cut.png", "page.png", "page.svg", "gone.png"]) {
        const { status, body } = await set({ icon });
        assert.deepEqual([status, body.code], [422, "icon-invalid"], icon);
        assert.match(body.detail, new RegExp(`^Cannot use icon "${icon}": found `));
      }
      assert.equal((await call("get_project")).body.icon, "lost.png", "nothing was written");
      assert.equal((await set({ name: "Other" })).status, 200, "the icon is not what is changed");
      for (const icon of ["good.png", "good.svg"]) assert.equal((await set({ icon })).status, 200);
    });
  }));

test("set_project_settings is noted, undone to the byte, and tells what it will have run", () =>
  withEmptyFolder(async (root) => {
    const before =
      '{"name":"G", "startScene": "scenes/main.scene.json",\n "build":{"web":{"command":["true"],"out":"dist"}}}';
    const file = join(root, "project.config.json");
    writeFileSync(file, before);
    await withProjectService(root, async ({ call, editor }) => {
      const command = ["sh", "-c", "echo built"];
      const set = await call("set_project_settings", { values: { build: { web: { command } } } });
      assert.equal(set.status, 200, set.text);
      assert.deepEqual(set.body.warnings, [
        'Will be run on this machine when it builds: build.web.command: ["sh","-c","echo built"]',
      ]);
      const [note] = editor.journals.editor();
      assert.deepEqual([note?.type, note?.source], ["project-settings", "agent"]);
      assert.deepEqual(note?.payload, {
        names: ["build"],
        runs: ['build.web.command: ["sh","-c","echo built"]'],
        undo: 1,
      });
      const after = readFileSync(file, "utf8");
      const same = await call("set_project_settings", { values: { build: { web: { command } } } });
      assert.deepEqual([same.body.changed, same.body.undo, same.body.warnings], [
        0,
        undefined,
        undefined,
      ]);
      assert.equal((await call("undo")).status, 200);
      assert.equal(readFileSync(file, "utf8"), before);
      assert.equal((await call("redo")).status, 200);
      assert.equal(readFileSync(file, "utf8"), after);
      const bad = await call("set_project_settings", { values: { name: 1 } });
      assert.equal(bad.body.code, "config-invalid");
      assert.equal(readFileSync(file, "utf8"), after);
      assert.equal(editor.editing.history().undo.length, 1);
    });
  }));

test("set_project_settings refuses a start scene that is not there: nothing could open it", () =>
  withEmptyFolder((root) =>
    withProjectService(root, async ({ call }) => {
      assert.equal((await call("save_scene")).status, 200);
      const set = (startScene: string) => call("set_project_settings", { values: { startScene } });
      const refused = await set("scenes/two.scene.json");
      assert.deepEqual([refused.status, refused.body.code], [422, "config-invalid"]);
      assert.match(refused.body.detail, /"scenes\/two\.scene\.json"/);
      assert.equal((await call("get_project")).body.startScene, "scenes/main.scene.json");
      await call("save_scene", { path: "scenes/two.scene.json" });
      assert.equal((await set("scenes/two.scene.json")).body.changed, 1);
      const viewport = { width: 390, height: 844 };
      const sized = await call("set_project_settings", { values: { viewport } });
      assert.match(sized.body.warnings[0], /keeps its viewport: set_view width=/);
    })
  ));

test("get_project of settings that are no JSON says where, and does not speak of values", () =>
  withEmptyFolder((root) =>
    withProjectService(root, async ({ call }) => {
      writeFileSync(join(root, "project.config.json"), '{"name":');
      for (const tool of ["get_project", "set_project_settings"]) {
        const { status, body } = await call(tool, tool[0] === "g" ? {} : { values: { name: "x" } });
        assert.deepEqual([status, body.code], [422, "config-invalid"]);
        assert.match(body.detail, /not JSON at line 1, column 9/);
        assert.match(body.hint, /^Look for a missing or extra comma/);
      }
    })
  ));

test("createProjectSettings() without an editor has no steps of undo", () =>
  withFolder({}, async (root, files) => {
    const fresh = { name: "G", startScene: SCENE, build: { web: { command: ["x"], out: "d" } } };
    const settings = createProjectSettings({ files, root, fresh });
    const changed = await settings.change({ name: "H" });
    assert.ok(changed.ok);
    assert.deepEqual([changed.value.before["name"], changed.value.after["name"]], ["G", "H"]);
    assert.equal(changed.value.undo, null);
    const hidden = await settings.change({ name: "H\u202ex" });
    assert.match(
      hidden.ok ? "" : hidden.error.detail,
      /name: found the invisible character U\+202E/,
    );
  }));

test("createProjectSettings() of a folder without settings says so, with the settings that it could have", () =>
  withFolder({}, async (root, files) => {
    for (
      const refused of [
        await createProjectSettings({ files, root }).read(),
        await createProjectSettings({ files, root }).change({ name: "H" }),
      ]
    ) {
      assert.ok(!refused.ok);
      assert.deepEqual([refused.error.status, refused.error.code], [404, "config-missing"]);
      assert.match(refused.error.hint, /write there \{"name":/);
    }
  }));
