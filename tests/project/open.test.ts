import assert from "node:assert/strict";
import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openProject } from "../../lib/project/open.ts";
import { stillClock, withFolder } from "../editor/project-folder.ts";
import { withoutPosixFiles } from "../support/needs.ts";

const CONFIG = {
  name: "Game",
  startScene: "assets/main.scene.json",
  build: { web: { command: ["node", "build.mjs"], out: "dist" } },
};
const SCENE = { schema: 1, name: "Main", entities: [] };

const REFUSED: readonly (readonly [string, Readonly<Record<string, unknown>>, string, RegExp])[] = [
  ["no folder", { "other/a": "" }, "404 project-missing", /found nothing there, expected a folder/],
  ["a file", { game: "" }, "404 project-missing", /found a file, expected a folder/],
  ["no settings", { "game/a": "" }, "404 config-missing", /found no project\.config\.json in it/],
  ["bad settings", { "game/project.config.json": {} }, "422 config-invalid", /name: found nothing/],
  [
    "settings that are a folder",
    { "game/project.config.json/a": "" },
    "422 config-unreadable",
    /Cannot read project\.config\.json/,
  ],
  [
    "settings of more than a mebibyte",
    { "game/project.config.json": " ".repeat(1024 * 1024 + 1) },
    "422 config-unreadable",
    /larger than 1048576 bytes/,
  ],
  [
    "no scene",
    { "game/project.config.json": CONFIG, "game/assets/mine.scene.json": SCENE },
    "404 scene-missing",
    /"assets\/main\.scene\.json": found no such file/,
  ],
  [
    "a bad scene",
    { "game/project.config.json": CONFIG, "game/assets/main.scene.json": { ...SCENE, name: 1 } },
    "422 scene-invalid",
    /name: found 1, expected text/,
  ],
];

for (const [what, content, code, detail] of REFUSED) {
  test(`openProject() refuses ${what}`, async () => {
    await withFolder(content, async (folder, files) => {
      const opened = await openProject({ files, clock: stillClock, root: join(folder, "game") });
      assert.ok(!opened.ok);
      assert.equal(`${opened.error.status} ${opened.error.code}`, code);
      assert.match(opened.error.detail, detail);
    });
  });
}

test("openProject() tells the nearest scene", async () => {
  const content = { "project.config.json": CONFIG, "assets/mian.scene.json": SCENE };
  await withFolder(content, async (root, files) => {
    const opened = await openProject({ files, clock: stillClock, root });
    assert.equal(
      opened.ok ? "opened" : opened.error.hint,
      'The project has "assets/mian.scene.json"',
    );
  });
});

test("openProject() takes the viewport of the settings and warns on the console", async () => {
  const content = {
    "project.config.json": { ...CONFIG, viewport: { width: 320, height: 200 } },
    "assets/main.scene.json": SCENE,
    "assets/a.glb": "",
  };
  await withFolder(content, async (root, files) => {
    const opened = await openProject({ files, clock: stillClock, root });
    assert.ok(opened.ok);
    const { editor } = opened.value;
    assert.deepEqual((await editor.layoutBounds()).viewport, { width: 320, height: 200 });
    const levels = (await editor.consoleEntries()).map(({ level }) => level);
    assert.deepEqual(levels, ["warn", "info", "info"]);
  });
});

test("openProject() opens the scene that is edited first, and the first of the game without it", async () => {
  const content = {
    "project.config.json": { ...CONFIG, editScene: "assets/level.scene.json" },
    "assets/main.scene.json": SCENE,
    "assets/level.scene.json": SCENE,
  };
  await withFolder(content, async (root, files) => {
    const opens = async () => {
      const opened = await openProject({ files, clock: stillClock, root });
      assert.ok(opened.ok);
      const { scenePath } = opened.value.editor.identity();
      await opened.value.editor.close();
      return scenePath;
    };
    assert.equal(await opens(), "assets/level.scene.json");
    rmSync(join(root, "assets/level.scene.json"));
    assert.equal(await opens(), "assets/main.scene.json");
  });
});

const linkTests = { skip: withoutPosixFiles };

test("openProject() refuses a scene that links out of the project", linkTests, async () => {
  const content = { "outside.scene.json": SCENE, "game/project.config.json": CONFIG };
  await withFolder({ ...content, "game/assets/a": "" }, async (folder, files) => {
    symlinkSync(
      join(folder, "outside.scene.json"),
      join(folder, "game/assets/main.scene.json"),
    );
    const opened = await openProject({ files, clock: stillClock, root: join(folder, "game") });
    assert.equal(opened.ok ? "opened" : opened.error.code, "outside-project");
  });
});
