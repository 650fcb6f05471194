import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { createKey } from "../../lib/ota-publish/keys.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { withFolder } from "../support/folder.ts";
import { openOtaWorld } from "../support/ota-world.ts";
import { afterTests } from "../support/after-tests.ts";
import { openScriptHost, openStory } from "../support/script.ts";

const host = openScriptHost();
afterTests(() => host.close());

// PUB-24
test("ota-history lists what was signed; ota-rollback says what it will do, and does it", (t) =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const keyFile = join(folder, "key.json");
    const key = await createKey(await loadRuntime(), keyFile);
    assert.ok(key.ok);
    for (const version of ["v1", "v2"]) {
      const mandatory = version === "v2";
      const published = await world.publish(version, { a: version }, { key: key.value, mandatory });
      assert.ok(published.ok);
    }
    const bucket = ["--bucket", pathToFileURL(join(folder, "bucket")).href];
    const env = { XDG_DATA_HOME: join(folder, "data"), LOCALAPPDATA: join(folder, "data") };
    const story = openStory(env);
    t.after(() => story.close());
    const run = (script: string, ...args: string[]) =>
      story.run(script, ...bucket, "--key", keyFile, ...args);

    const planned = await run("ota-rollback", "--to", "v1", "--dry-run");
    assert.equal(planned.code, 0, planned.stderr);
    assert.deepEqual(planned.stdout.trim().split("\n"), [
      "Would roll back shell from v2 to v1: sequence 3",
      "mandatory (kept from sequence 2)",
      "A phone that has quarantined v1 keeps what it has",
      "Nothing was written; leave --dry-run out to do it",
    ]);
    const done = await run("ota-rollback", "--to", "v1", "--no-mandatory");
    assert.deepEqual(done.stdout.trim().split("\n").slice(0, 2), [
      "Rolled back shell from v2 to v1: sequence 3; not read back: no --base-url",
      "not mandatory: players get it when they start the game again; --mandatory asks them to",
    ]);
    const again = await run("ota-rollback", "--to", "v1", "--json");
    const { ok, changed, sequence, readBack } = JSON.parse(again.stdout);
    assert.deepEqual([again.code, ok, changed, sequence, readBack], [0, true, false, 3, false]);
    const refused = await run("ota-rollback", "--to", "v9", "--json");
    assert.deepEqual([refused.code, JSON.parse(refused.stdout).code], [1, "not-released"]);

    const text = await run("ota-history");
    const lines = text.stdout.trim().split("\n").map((line) => line.replace(/ [^ ]+Z:/, ":"));
    assert.deepEqual(lines, [
      "3: shell v1 (was v2, goes back); minEngineApi 1, what players get",
      "2: shell v2 (was v1); mandatory, minEngineApi 1",
      "1: shell v1; minEngineApi 1",
    ]);
    const newest = await run("ota-history", "--limit", "2");
    assert.match(newest.stdout, /\n2 .*: shell v2 \(was v1\); .*\nand 1 older/);
    const { publicKey } = key.value;
    const listed = await host.run(
      "ota-history",
      ...bucket,
      ...["--public-key", publicKey, "--limit", "1", "--json"],
    );
    const { releases, older } = JSON.parse(listed.stdout);
    assert.deepEqual([releases.length, older, releases[0].bundles], [1, 2, { shell: "v1" }]);
  }));

for (
  const [script, args, message] of [
    ["ota-history", [], /--bucket is missing/],
    ["ota-history", ["--bucket", "file:///x", "--limit", "0"], /--limit is "0"/],
    ["ota-history", ["--bucket", "file:///x", "--public-key", "z"], /--public-key is not a key/],
    [
      "ota-history",
      ["--bucket", "file:///x", "--public-key", "z", "--key", "k"],
      /are both given: expected at most one/,
    ],
    ["ota-rollback", ["--bucket", "file:///x"], /--to is missing/],
    ["ota-rollback", ["--bucket", "file:///x", "--to", "3"], /--to is "3": expected v1, v2, v3/],
    ["ota-rollback", ["--to", "v3"], /--bucket is missing/],
    [
      "ota-rollback",
      ["--bucket", "file:///x", "--to", "v3", "--mandatory", "--no-mandatory"],
      /--mandatory and --no-mandatory are both given/,
    ],
    [
      "ota-rollback",
      ["--bucket", "file:///x", "--to", "v3", "--key", "a", "--key-name", "b"],
      /--key and --key-name are both given/,
    ],
    ["ota-rollback", ["--bucket", "file:///x", "--to", "v3", "--name", "../x"], /--name is/],
  ] as const
) {
  test(`${script} ${args.join(" ")} is a usage error`, async () => {
    const run = await host.run(script, ...args);
    assert.equal(run.code, 2, run.stderr);
    assert.match(run.stderr, message);
  });
}
