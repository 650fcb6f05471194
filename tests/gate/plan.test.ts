import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { batches } from "../../scripts/gate/batches.ts";
import { type Extent, filesFor, NATIVE_SUITES } from "../../scripts/gate/plan.ts";
import { createReach } from "../../scripts/gate/reach.ts";
import { testFiles } from "../../scripts/gate/steps.ts";
import { keepTimes, readTimes, timesOver } from "../../scripts/gate/times.ts";
import { packageRoot } from "../../scripts/shared/runtime.ts";
import { withTree } from "./temp-tree.ts";

const FILES = [
  "tests/contract/files.test.ts",
  "tests/core/ring.test.ts",
  "tests/engines/chromium.test.ts",
];
const ROWS: readonly (readonly [Extent, "deno" | "node", readonly number[]])[] = [
  ["quick", "deno", [0, 1]],
  ["quick", "node", [0]],
  ["all", "deno", [0, 1, 2]],
  ["all", "node", [0, 1]],
  ["soak", "deno", [0, 1, 2]],
];
for (const [extent, runtime, expected] of ROWS) {
  test(`filesFor() a ${extent} run under ${runtime}`, () =>
    assert.deepEqual(filesFor(FILES, { extent, runtime }), expected.map((i) => FILES[i])));
}

const REACHED: readonly (readonly [string, "deno" | "node", readonly number[]])[] = [
  ["lib/http/guard.ts", "deno", [0, 1, 2, 3]],
  ["lib/http/guard.ts", "node", [0, 2]],
  ["lib/toolchain/pins/node.ts", "deno", [1, 3]],
  ["lib/core/ring.ts", "deno", [0, 1, 2, 3]],
  ["tests/support/until.ts", "node", [0, 2]],
];
for (const [changed, runtime, expected] of REACHED) {
  test(`filesFor() after a change of ${changed} under ${runtime} leaves out what is about others`, () => {
    const files = ["http/start", "http/toolchain", "http/signals", "service/open-service"]
      .map((name) => `tests/${name}.test.ts`);
    // As if every test loaded everything.
    const reach = createReach({ of: () => new Set([changed]) }, [changed]);
    assert.deepEqual(
      filesFor(files, { extent: "quick", runtime, reach }),
      expected.map((i) => files[i]),
    );
  });
}

/** An import of the device under test, or of a world that starts it. */
const STARTS_DEVICE = /\/(device-under-test|(attack|content)-world|(month|power-cut)-phone)\.ts"/;

test("NATIVE_SUITES names each test of updates over the device under test", () => {
  const root = packageRoot();
  const found = testFiles(root).filter((file) =>
    file.startsWith("tests/ota/") && STARTS_DEVICE.test(readFileSync(join(root, file), "utf8"))
  );
  assert.ok(found.includes("tests/ota/bad-inodes.test.ts"), found.join());
  assert.deepEqual(found.filter((file) => !NATIVE_SUITES.includes(file)), []);
});

test("batches() puts every file of this checkout into exactly one process", () => {
  const files = testFiles(packageRoot());
  assert.deepEqual(batches(files).flatMap((batch) => batch.files).toSorted(), files);
});

test("batches() keeps folders apart and sizes even", () => {
  const files = Array.from({ length: 5 }, (_, i) => `tests/a/${i}.test.ts`);
  assert.deepEqual(batches([...files, "tests/b/0.test.ts"], { size: 3 }), [
    { name: "tests/a (1 of 2)", files: [files[0], files[2], files[4]] },
    { name: "tests/a (2 of 2)", files: [files[1], files[3]] },
    { name: "tests/b", files: ["tests/b/0.test.ts"] },
  ]);
});

test("batches() leaves what is long alone, and puts it first", () =>
  assert.deepEqual(batches(FILES)[0]?.files, ["tests/engines/chromium.test.ts"]));

test("batches() has the browser tests of a folder share a browser, apart from the others", () => {
  const [first, second, third] = ["assets", "editing", "sign-in"].map((name) =>
    `tests/page/${name}.test.ts`
  );
  assert.ok(first && second && third);
  const times = new Map([[first, 80_000], [second, 60_000], [third, 20_000]]);
  const files = ["tests/page/qr.test.ts", first, second, third];
  assert.deepEqual(batches(files, { times }), [
    { name: "tests/page in a browser (1 of 2)", files: [first] },
    { name: "tests/page in a browser (2 of 2)", files: [second, third] },
    { name: "tests/page", files: ["tests/page/qr.test.ts"] },
  ]);
  assert.equal(batches(files, { size: 1 }).length, 4, "each alone where that is asked");
});

test("batches() divides a folder by the times of before, the longest batch first", () => {
  const times = new Map([["tests/a/0.test.ts", 25_000], ["tests/a/1.test.ts", 9_000], [
    "tests/b/0.test.ts",
    12_000,
  ]]);
  const files = [
    "tests/a/0.test.ts",
    "tests/a/1.test.ts",
    "tests/a/2.test.ts",
    "tests/b/0.test.ts",
  ];
  assert.deepEqual(batches(files, { times }).map((batch) => batch.files), [
    ["tests/a/0.test.ts"],
    ["tests/b/0.test.ts"],
    ["tests/a/1.test.ts", "tests/a/2.test.ts"],
  ]);
});

test("batches() divides what a file that takes very long leaves by its own times", () => {
  const files = Array.from({ length: 9 }, (_, i) => `tests/a/${i}.test.ts`);
  const [hung = ""] = files;
  const times = new Map(files.map((file) => [file, file === hung ? 900_000 : 4_000]));
  assert.deepEqual(batches(files, { times }).map((batch) => batch.files.length), [1, 8]);
});

test("batches() makes few processes of times that were taken on a busy machine", () => {
  const files = Array.from({ length: 200 }, (_, i) => `tests/a/${i}.test.ts`);
  const busy = new Map(files.map((file) => [file, 15_000]));
  assert.equal(batches(files, { times: busy }).length, 16);
});

test("batches() puts many short files into one process, and every file into exactly one", () => {
  const files = testFiles(packageRoot());
  const short = new Map(files.map((file) => [file, 10]));
  const all = batches(files, { times: short });
  assert.deepEqual(all.flatMap((batch) => batch.files).toSorted(), files);
  assert.ok(all.length < batches(files).length);
  assert.ok(all.every((batch) => batch.files.length <= 30));
});

test("batches() runs what took no time, as browser tests do that were skipped, again", () => {
  const files = testFiles(packageRoot());
  const none = new Map(files.map((file) => [file, 0]));
  assert.deepEqual(
    batches(files, { times: none }).flatMap((batch) => batch.files).toSorted(),
    files,
  );
});

test("keepTimes() keeps the times of test files next to those of before", () =>
  withTree({}, (root) => {
    const path = join(root, "cache/times.json");
    assert.deepEqual(readTimes(path), new Map());
    keepTimes(path, [{ name: "tests/a/0.test.ts", ms: 1.6 }, { name: "tests/a (node)", ms: 5 }]);
    keepTimes(path, [{ name: "tests/b/0.test.ts", ms: 3 }]);
    assert.deepEqual(
      readTimes(path),
      new Map([["tests/a/0.test.ts", 2], ["tests/b/0.test.ts", 3]]),
    );
    writeFileSync(path, '{"tests/a/0.test.ts":-1,"tests/b/0.test.ts":"x"}');
    assert.deepEqual(readTimes(path), new Map());
  }));

test("keepTimes() keeps what a file takes over a native core apart from what it takes without", () =>
  withTree({}, (root) => {
    const path = join(root, "times.json");
    const [a, b] = ["tests/a/0.test.ts", "tests/b/0.test.ts"];
    keepTimes(path, [{ name: a, ms: 1 }, { name: `${a} (ios)`, ms: 20 }, { name: b, ms: 3 }]);
    const times = readTimes(path);
    assert.deepEqual(["ios", "android"].map((core) => timesOver(times, core).get(a)), [20, 1]);
    assert.deepEqual([times.get(a), timesOver(times, "ios").get(b)], [1, 3]);
  }));
