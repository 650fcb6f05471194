import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openProject } from "../../lib/project/mod.ts";
import { parseCommandLine } from "../../scripts/shared/command-line.ts";
import { openProjectService } from "../../scripts/shared/open-project.ts";
import { ownSample, packagedSample } from "../../scripts/shared/own-sample.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { SPEC } from "../../scripts/start.ts";
import { withFolder, writeTree } from "../support/folder.ts";

const native = await loadRuntime();

/** A runtime whose user data lie in a folder. */
function at(userData: string) {
  return { ...native, host: { ...native.host, userData } };
}

const GAME = {
  "project.config.json": '{"name":"Game"}',
  "assets/a.scene.json": "{}",
  "dist/index.html": "built",
  "node_modules/x/index.js": "fetched",
};

test("ownSample() makes a copy once, without what was built, and keeps what a person changes", () =>
  withFolder(async (folder) => {
    writeTree(folder, Object.fromEntries(Object.entries(GAME).map(([k, v]) => [`game/${k}`, v])));
    const sample = join(folder, "game");
    const first = await ownSample(at(join(folder, "me")), sample);
    assert.ok(first.ok);
    assert.deepEqual(readdirSync(first.value).sort(), ["assets", "project.config.json"]);
    const scene = join(first.value, "assets/a.scene.json");
    assert.equal(readFileSync(scene, "utf8"), "{}");
    writeFileSync(scene, "mine");
    assert.deepEqual(await ownSample(at(join(folder, "me")), sample), first);
    assert.equal(readFileSync(scene, "utf8"), "mine");

    writeFileSync(join(sample, "assets/a.scene.json"), "newer");
    const newer = await ownSample(at(join(folder, "me")), sample);
    assert.ok(newer.ok);
    assert.notEqual(newer.value, first.value);
    assert.equal(readFileSync(scene, "utf8"), "mine");
    assert.equal(readFileSync(join(newer.value, "assets/a.scene.json"), "utf8"), "newer");
  }));

test("ownSample() at once in two starts is one whole copy, and leaves nothing beside it", () =>
  withFolder(async (folder) => {
    const both = await Promise.all([1, 2].map(() => ownSample(at(folder))));
    const [one, other] = both.map((each) => each.ok ? each.value : each.error.message);
    assert.equal(one, other);
    assert.deepEqual(readdirSync(folder).map((name) => join(folder, name)), [one]);
    const opened = await openProject({ ...native, root: one ?? "" });
    assert.ok(opened.ok);
    await opened.value.editor.close();
  }));

test("ownSample() where the data folder cannot be written says so, and the next step", () =>
  withFolder(async (folder) => {
    writeFileSync(join(folder, "me"), "a file");
    const refused = await ownSample(at(join(folder, "me")));
    assert.ok(!refused.ok);
    assert.match(refused.error.message, /^Cannot make your copy of the sample project: .*me/);
    assert.match(refused.error.next ?? "", /--project DIR$/);
  }));

/** Opens what a command line names, started in a folder, and closes it. */
async function begun(cwd: string, args: readonly string[], data = cwd) {
  const line = parseCommandLine(args, SPEC);
  assert.ok(line.ok);
  const opened = await openProjectService(line.value, at(data), { cwd, atEnd: () => {} });
  if (!opened.ok) return opened.error;
  const { service: { root, close }, why } = opened.value;
  await close();
  return { root, why };
}

test("openProjectService() without --project opens the project in the folder, else a sample", () =>
  withFolder(async (folder) => {
    const data = join(folder, "me");
    const cwd = join(folder, "game");
    mkdirSync(cwd);
    const sample = await begun(cwd, [], data);
    assert.match(`${"root" in sample && sample.root}`, /[/\\]me[/\\]sample-[0-9a-f]{8}$/);
    assert.match(`${"why" in sample && sample.why}`, /copy of the sample/);
    assert.equal("root" in await begun(cwd, ["--new"]), true);
    assert.deepEqual(await begun(cwd, [], data), { root: cwd, why: "the project in this folder" });
    writeFileSync(join(cwd, "project.config.json"), "{");
    assert.equal(
      "code" in await begun(cwd, [], data),
      true,
      "a damaged project is not passed over",
    );
    assert.deepEqual(readdirSync(packagedSample()).includes("slipway"), false);
  }));

test("a folder that is not a project is refused with the settings that make it one, as printed", () =>
  withFolder(async (root) => {
    writeFileSync(join(root, "notes.txt"), "mine");
    const refused = await begun(root, ["--project", "."]);
    assert.ok("code" in refused);
    assert.equal(refused.code, "config-missing");
    const [, settings = ""] = /project\.config\.json there:\n(\{.*\})$/s.exec(refused.next ?? "") ??
      [];
    writeFileSync(join(root, "project.config.json"), settings);
    assert.deepEqual(await begun(root, ["--project", "."]), { root, why: undefined });
    // And from the library, in one line.
    rmSync(join(root, "project.config.json"));
    const opened = await openProject({ ...native, root });
    const hint = opened.ok ? "" : opened.error.hint;
    assert.deepEqual(JSON.parse(hint.slice(hint.indexOf("{"))), JSON.parse(settings));
  }));

test("--new makes a folder a project, whatever else is in it, and only once", () =>
  withFolder(async (cwd) => {
    writeFileSync(join(cwd, "notes.txt"), "mine");
    assert.deepEqual(await begun(cwd, ["--new"]), { root: cwd, why: "a new project" });
    assert.deepEqual(readdirSync(cwd), ["notes.txt", "project.config.json"]);
    const again = await begun(cwd, ["--new"]);
    assert.deepEqual("code" in again && [again.code, again.next], [
      "project-exists",
      "Open it as it is",
    ]);
    const made = await begun(cwd, ["--new", "--project", "games/one"]);
    assert.deepEqual("root" in made && made.root, join(cwd, "games/one"));
    assert.deepEqual(readdirSync(join(cwd, "games/one")), ["project.config.json"]);
  }));

test("--new refuses a file and the name of a model, says what was expected, and writes nothing", () =>
  withFolder(async (cwd) => {
    writeFileSync(join(cwd, "notes.txt"), "mine");
    const cases: readonly (readonly [project: string, found: RegExp])[] = [
      ["notes.txt", /notes\.txt": found a file, expected a folder$/],
      ["notes.txt/game", /game": Cannot make folder .*: a part of the path is not a folder/],
      ["boat.glb", /boat\.glb": found the name of a model, expected a folder$/],
    ];
    for (const [project, found] of cases) {
      const refused = await begun(cwd, ["--new", "--project", project]);
      assert.ok("code" in refused, project);
      assert.match(refused.message, found);
      assert.match(`${refused.next}`, /[Nn]ame a folder/);
    }
    assert.deepEqual(readdirSync(cwd), ["notes.txt"]);
  }));
