import assert from "node:assert/strict";
import { test } from "node:test";
import { isAskedFor, nodeRequests } from "../../lib/project/building/plan/node-request.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { withFolder, writeTree } from "../support/folder.ts";

const { files } = await loadRuntime();

for (
  const [range, right, wrong] of [
    ["22", ["22.0.0", "22.23.1"], ["21.9.0", "23.0.0", "2.2.0"]],
    ["v22.1", ["22.1.0", "22.1.9"], ["22.2.0", "22.0.5"]],
    ["22.1.0", ["22.1.0"], ["22.1.1"]],
    ["lts/jod", ["22.23.1"], ["20.0.0"]],
    [">=18", ["18.0.0", "26.1.0"], ["17.9.9"]],
    [">18", ["19.0.0"], ["18.5.0"]],
    ["<= 20", ["20.9.0", "18.0.0"], ["21.0.0"]],
    [">=18 <23", ["22.9.0"], ["23.0.0", "16.1.0"]],
    ["^20.11.0 || >=22", ["20.12.1", "22.0.0", "24.0.0"], ["20.10.0", "21.0.0"]],
    ["~22.1.2", ["22.1.3"], ["22.1.1", "22.2.0"]],
    ["18.x", ["18.9.0"], ["20.0.0"]],
    ["18 - 20", ["18.0.0", "20.19.0"], ["21.0.0"]],
    ["*", ["4.0.0"], []],
  ] as const
) {
  test(`isAskedFor() ${range} (TOOL-16)`, () => {
    for (const version of right) {
      assert.equal(isAskedFor(version, { range, from: "" }), true, version);
    }
    for (const version of wrong) {
      assert.equal(isAskedFor(version, { range, from: "" }), false, version);
    }
  });
}

for (
  const range of ["lts/*", "node", "stable", "system", "lts/unheard", ">=18-beta", "1 2 ?", "x||?"]
) {
  test(`isAskedFor() judges nothing by what it cannot read: ${range}`, () =>
    assert.notEqual(isAskedFor("22.0.0", { range, from: "" }), false));
}

test("nodeRequests() takes the nearest file of each version manager, above the project too", () =>
  withFolder(async (top) => {
    const root = `${top}/games/one`;
    writeTree(top, {
      ".nvmrc": "18\n",
      ".tool-versions": "nodejs 20.1.0\n",
      "mise.toml": '[tools]\nnode = "24"\n',
      "package.json": '{"engines":{"node":"16"},"volta":{"node":"16.1.0"}}',
      "games/.nvmrc": "20\n",
      "games/.node-version": "# none\n",
      "games/one/.tool-versions": "java temurin-21\n",
      "games/one/mise.toml": '[tools]\nnode = "22"\n',
    });
    assert.deepEqual(await nodeRequests(files, root), [
      { range: "20", from: "../.nvmrc" },
      { range: "20.1.0", from: "../../.tool-versions" },
      { range: "22", from: "mise.toml" },
    ]);
  }));

test("nodeRequests() reads the files of version managers, then package.json", () =>
  withFolder(async (root) => {
    assert.deepEqual(await nodeRequests(files, root), []);
    writeTree(root, {
      ".nvmrc": "\uFEFF# ours\r\n22 # jod\r\n",
      ".node-version": "v22.1.0\n",
      ".tool-versions": "java temurin-21\nnodejs 20.1.0 # old\n",
      "mise.toml": '[tools]\nnode = "24"\n',
      "package.json": JSON.stringify({
        engines: { node: ">=20", npm: "10" },
        volta: { node: "20.2.0" },
        devEngines: { runtime: [{ name: "bun", version: "1" }, { name: "node", version: "^22" }] },
      }),
    });
    assert.deepEqual((await nodeRequests(files, root)).map(({ range, from }) => [from, range]), [
      [".nvmrc", "22"],
      [".node-version", "v22.1.0"],
      [".tool-versions", "20.1.0"],
      ["mise.toml", "24"],
      ["volta in package.json", "20.2.0"],
      ["engines in package.json", ">=20"],
      ["devEngines in package.json", "^22"],
    ]);
    // Of several the first that is installed counts.
    writeTree(root, { ".tool-versions": "nodejs 22.1.0\t20.0.0 system\r\n" });
    const [, , several] = await nodeRequests(files, root);
    assert.equal(several?.range, "22.1.0 || 20.0.0 || system");
    assert.equal(several !== undefined && isAskedFor("20.0.0", several), true);
    writeTree(root, { ".nvmrc": "x".repeat(200), "package.json": '{"engines":{"node":5}}' });
    assert.equal((await nodeRequests(files, root)).length, 3);
  }));
