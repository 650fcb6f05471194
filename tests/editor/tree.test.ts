import assert from "node:assert/strict";
import { test } from "node:test";
import { isInside } from "../../lib/core/inside.ts";
import { listTree } from "../../lib/editor/files/tree.ts";
import { withFolder } from "./project-folder.ts";

const CONTENT = { "assets/a": "", "assets/b/c": "", "assets/b/d": "" };

for (const [maxEntries, expected] of [[4, 3], [3, 2], [0, 0]] as const) {
  test(`listTree() of four entries, at most ${maxEntries}`, async () => {
    await withFolder(CONTENT, async (root, files) => {
      const { files: found, warnings } = await listTree(files, root, {
        folder: "assets",
        maxEntries,
      });
      assert.equal(found.length, expected);
      assert.deepEqual(
        warnings.map((warning) => /found more than (\d+) entries/.exec(warning)?.[1]),
        maxEntries < 4 ? [String(maxEntries)] : [],
      );
    });
  });
}

for (
  const [folder, path, expected] of [
    ["/a", "/a/b", true],
    ["/a/", "/a/b", true],
    ["/a", "/ab", false],
    ["/a", "/a", false],
    ["/a", "/b/a/c", false],
    ["C:\\a", "C:\\a\\b", true],
  ] as const
) {
  test(`isInside() ${folder} ${path}`, () => assert.equal(isInside(folder, path), expected));
}
