import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { withFolder } from "../support/folder.ts";
import { openOtaWorld } from "../support/ota-world.ts";
import { afterTests } from "../support/after-tests.ts";
import { openScriptHost, runScriptFile } from "../support/script.ts";

const host = openScriptHost();
afterTests(() => host.close());

test("ota-prune plans, and says how to do it", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    for (const version of ["v1", "v2"]) await world.publish(version, { "index.html": version });
    const bucket = ["--bucket", pathToFileURL(join(folder, "bucket")).href];
    const text = await runScriptFile("ota-prune", [...bucket, "--keep", "1", "--grace", "0"]);
    assert.equal(text.code, 0, text.stderr);
    assert.match(text.stdout, /^shell v2: stays, the release names it$/m);
    assert.match(text.stdout, /^shell v1: 2 objects, \d+ bytes would be removed$/m);
    assert.match(text.stdout, /add --apply to do it$/m);
    const young = await host.run("ota-prune", ...bucket, "--keep", "1", "--json");
    const { ok, applied, objects, versions } = JSON.parse(young.stdout);
    assert.deepEqual([ok, applied, objects, versions[1].verdict], [true, false, 0, "young"]);
    assert.ok(!readdirSync(join(folder, "bucket/bundles/shell/v1")).includes("pruned.json"));
  }));

for (
  const [args, message] of [
    [[], /--bucket is missing/],
    [["--bucket", "file:///x", "--keep", "0"], /--keep is "0"/],
    [["--bucket", "file:///x", "--grace", "soon"], /--grace is "soon"/],
    [["--bucket", "file:///x", "--name", "../x"], /--name is/],
    [
      ["--bucket", "file:///x", "--public-key", "zzz"],
      /--public-key is not a key: found "zzz", expected 32 bytes/,
    ],
    [["--bucket", "nowhere"], /names no bucket/],
  ] as const
) {
  test(`ota-prune ${args.join(" ")} is a usage error`, async () => {
    const run = await host.run("ota-prune", ...args);
    assert.equal(run.code, 2, run.stderr);
    assert.match(run.stderr, message);
  });
}
