import { test } from "node:test";
import assert from "node:assert/strict";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createFiles } from "../../adapters/node/files.ts";
import { rotate, rotationOf } from "../../lib/game/geometry/math.ts";
import { isModelFile, openModelProject } from "../../lib/project/model-project.ts";
import { PROFILE_MODELS } from "../editor/profile-models.ts";
import { stillClock } from "../editor/project-folder.ts";
import { withFolder } from "../support/folder.ts";

const options = { files: createFiles(), clock: stillClock };

for (const file of PROFILE_MODELS.filter((_file, index) => index % 20 === 0)) {
  const name = file.split("/").slice(-2).join("/");
  test(`openModelProject() frames all of ${name}`, async () => {
    const opened = await openModelProject({ ...options, file: resolve(file) });
    if (!opened.ok) throw new Error(opened.error.detail);
    const { editor, root } = opened.value;
    try {
      assert.equal(editor.identity().project, `${file.split("/").at(-1)} (temporary)`);
      const { viewport, entries } = await editor.layoutBounds();
      const drawn = entries.flatMap(({ rect }) => rect === null ? [] : [rect]);
      assert.equal(drawn.length, entries.length);
      assert.ok(drawn.length > 0);
      for (const { x, y, w, h } of drawn) {
        assert.ok(x >= 0 && y >= 0 && x + w <= viewport.width && y + h <= viewport.height, name);
      }
      const top = Math.min(...drawn.map(({ y }) => y));
      const bottom = Math.max(...drawn.map(({ y, h }) => y + h));
      const left = Math.min(...drawn.map(({ x }) => x));
      const right = Math.max(...drawn.map(({ x, w }) => x + w));
      const fills = Math.max((bottom - top) / viewport.height, (right - left) / viewport.width);
      assert.ok(fills > 0.3, `it fills ${fills} of the picture`);
      const middle = (left + right) / 2;
      assert.ok(Math.abs(middle - viewport.width / 2) < viewport.width / 5, `middle ${middle}`);
      const camera = (await editor.sceneState()).entities.findLast(({ name }) => name === "Camera");
      const place = (await editor.worldTransforms()).get(camera?.id ?? 0);
      const [, tilt] = rotate(rotationOf(place?.rotation ?? [9, 9, 9]), [1, 0, 0]);
      assert.ok(Math.abs(tilt) < 1e-9, "the camera stands upright");
      const sun = (await editor.sceneState()).entities.find(({ name }) => name === "Sun");
      const white = Number(sun?.traits["Light"]?.["intensity"]) / Math.PI;
      assert.ok(white > 0.9 && white <= 1, `a white surface that faces the light is ${white}`);
      assert.equal(editor.editing.unsaved, false);
      assert.deepEqual(editor.editing.history(), { undo: [], redo: [] }, "nothing to undo yet");
      assert.equal((await editor.diagnose()).ok, true);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
}

test("openModelProject() refuses a broken file and leaves no folder", () =>
  withFolder(async (folder) => {
    const made: string[] = [];
    const files = {
      ...options.files,
      async makeTemporaryDirectory(prefix: string) {
        const path = await options.files.makeTemporaryDirectory(prefix);
        made.push(path);
        return path;
      },
    };
    const file = join(folder, "broken.glb");
    writeFileSync(file, "glTF");
    const broken = await openModelProject({ ...options, files, file });
    assert.equal(broken.ok ? "" : broken.error.code, "file-broken");
    const missing = await openModelProject({ ...options, files, file: join(folder, "none.glb") });
    assert.deepEqual(
      missing.ok ? [] : [missing.error.code, missing.error.detail, missing.error.hint],
      [
        "file-missing",
        `There is no file ${JSON.stringify(join(folder, "none.glb"))}`,
        "Check the path",
      ],
    );
    assert.ok(made.length > 0);
    assert.deepEqual(made.filter((path) => existsSync(path)), []);
    assert.ok(existsSync(file));
  }));

for (
  const [name, is] of [["a.glb", true], ["A.GLTF", true], ["a", false], ["glb", false]] as const
) {
  test(`isModelFile() of ${name}`, () => assert.equal(isModelFile(name), is));
}
