import assert from "node:assert/strict";
import { test } from "node:test";
import { checkArrows } from "../../scripts/gate/arrows.ts";
import { buildHouses, type Sources } from "./planted-houses.ts";

// A small house that stands; each case plants one file in it.
const STANDING: Sources = {
  // A page comes bundled.
  "lib/game-web/picture/x.ts": 'import "ajv";',
  "lib/core/bytes.ts": "export const a = 1;",
  "lib/ports/clock.ts": 'import { a } from "../core/bytes.ts";',
  "lib/ota-format/manifest.ts": 'import { a } from "../core/bytes.ts";',
  "lib/ota-client/mod.ts": 'import * as ed from "@noble/ed25519"; export * from "./check.ts";',
  "lib/ota-client/check.ts": 'import type { M } from "../ota-format/manifest.ts";',
  "lib/agent/answer/limits.ts": 'import { z } from "zod";',
  "lib/agent/tools/look.ts": 'import "../answer/limits.ts";',
  "lib/agent/all.ts": 'import "./tools/look.ts";',
  "lib/http/serve.ts": 'import "../agent/all.ts"; import { Hono } from "hono/tiny";',
  "mod.ts": 'export * from "./lib/http/serve.ts";',
  "adapters/node/files.ts": 'import "node:fs"; import "../../lib/ports/clock.ts";',
  "adapters/deno/files.ts": 'export * from "../node/files.ts";',
  "scripts/demo.ts": 'import "../adapters/deno/files.ts"; import "../mod.ts"; import(name);',
  "tests/demo.test.ts": 'import "../scripts/demo.ts"; import ajv from "ajv";',
};

const PLANTED: readonly (readonly [string, string, string, RegExp])[] = [
  [
    "upwards",
    "lib/core/up.ts",
    'import "../ports/clock.ts";',
    /core\/up\.ts:1: lib\/core \(floor 0\) imports lib\/ports \(floor 1\)/,
  ],
  [
    "upwards by type alone",
    "lib/core/up.ts",
    '\nimport type { C } from "../ports/clock.ts";',
    /core\/up\.ts:2: .*lib\/ports/,
  ],
  [
    "upwards by re-export",
    "lib/core/up.ts",
    'export * from "../ports/clock.ts";',
    /imports lib\/ports/,
  ],
  [
    "upwards by a dynamic import",
    "lib/core/up.ts",
    'await import("../ports/clock.ts")',
    /imports lib\/ports/,
  ],
  [
    "sideways",
    "lib/ota-publish/x.ts",
    'import "../ota-client/check.ts";',
    /lib\/ota-publish \(floor 3\) imports lib\/ota-client \(floor 3\)/,
  ],
  [
    "sideways on floor 1",
    "lib/ports/x.ts",
    'import "../ota-format/manifest.ts";',
    /imports lib\/ota-format/,
  ],
  ["from lib to an adapter", "lib/http/x.ts", 'import "../../adapters/node/files.ts";', /floor 8/],
  ["from lib to mod.ts", "lib/http/x.ts", 'import "../../mod.ts";', /imports mod\.ts \(floor 8\)/],
  [
    "from one adapter to the other, the wrong way",
    "adapters/node/x.ts",
    'import "../deno/files.ts";',
    /adapters\/node \(floor 8\) imports adapters\/deno/,
  ],
  [
    "from a script to a test",
    "scripts/x.ts",
    'import "../tests/demo.test.ts";',
    /scripts .* imports tests/,
  ],
  ["node: in lib", "lib/core/x.ts", 'import "node:fs";', /imports node:fs: runtime things/],
  ["node: in mod.ts", "mod.ts", 'import "node:fs";', /mod\.ts:1: imports node:fs/],
  ["npm: anywhere", "scripts/x.ts", 'import "npm:zod@4";', /imports npm:zod@4: expected a bare/],
  ["a URL", "tests/x.ts", 'import "https://example.invalid/x.ts";', /expected a bare npm name/],
  [
    "a development package in lib",
    "lib/agent/x.ts",
    'import "ajv";',
    /imports ajv: expected a package of dependencies/,
  ],
  ["a package of nobody", "tests/x.ts", 'import "@scope/left-pad/x";', /imports @scope\/left-pad/],
  ["a computed import in lib", "lib/core/x.ts", "import(name)", /expected a literal/],
  [
    "a concatenated import in an adapter",
    "adapters/node/x.ts",
    '\nimport("./a" + ".ts")',
    /node\/x\.ts:2: imports a computed name/,
  ],
  [
    "a Deno lib reference in lib",
    "lib/core/x.ts",
    '/// <reference lib="deno.ns" />',
    /references a lib/,
  ],
  [
    "a file that is not there",
    "lib/core/x.ts",
    'import "./y.ts";',
    /\.\/y\.ts: found no such file/,
  ],
  ["a folder on no floor", "lib/utils/x.ts", "", /lib\/utils\/x\.ts: stands on no floor/],
  ["a file at the top of lib", "lib/x.ts", "", /lib\/x\.ts: stands on no floor/],
  [
    "a folder in an area without rooms",
    "lib/core/text/x.ts",
    "",
    /text\/x\.ts: stands on no floor/,
  ],
  ["a room on no floor", "lib/agent/rooms/x.ts", "", /agent\/rooms\/x\.ts: stands on no floor/],
  [
    "from a room to one above it",
    "lib/agent/answer/x.ts",
    'import type { T } from "../tools/look.ts";',
    /answer \(floor 0 of lib\/agent\) imports lib\/agent\/tools \(floor 3\): expected its own room/,
  ],
  [
    "from a room to the roof of its area",
    "lib/agent/tools/x.ts",
    'import "../all.ts";',
    /lib\/agent\/tools .* imports lib\/agent \(floor 4\)/,
  ],
  ["a file that imports itself", "lib/core/x.ts", 'import "./x.ts";', /ring: lib\/core\/x\.ts →/],
];

const RING: Sources = {
  "lib/core/c.ts": 'import "./a.ts";',
  "lib/core/a.ts": 'import type { B } from "./b.ts";',
  "lib/core/b.ts": 'export * from "./c.ts"; import "./bytes.ts";',
};
const PAIR: Sources = {
  "tests/a/one.ts": 'import "../b/two.ts";',
  "tests/a/other.ts": "",
  "tests/b/two.ts": "",
  "tests/b/three.ts": 'import type { O } from "../a/other.ts";',
};

// One call reads the imports of all of these houses.
const [standing, ring, pair, ...planted] = await buildHouses(
  [
    STANDING,
    { ...STANDING, ...RING },
    { ...STANDING, ...PAIR },
    ...PLANTED.map(([, path, source]) => ({ ...STANDING, [path]: source })),
  ],
  { dependencies: ["@noble/ed25519", "zod", "hono"], devDependencies: ["ajv"] },
);

// HOUSE-1
test("checkArrows() finds nothing in a house that stands", () => {
  assert.ok(standing);
  assert.deepEqual(checkArrows(standing), []);
});

for (const [i, [name, , , expected]] of PLANTED.entries()) {
  test(`checkArrows() finds an arrow ${name}`, () => {
    const house = planted[i];
    assert.ok(house);
    const violations = checkArrows(house);
    assert.equal(violations.length, 1, violations.join("\n"));
    assert.match(violations[0] ?? "", expected);
  });
}

test("checkArrows() finds a ring of files once, types included", () => {
  assert.ok(ring);
  assert.deepEqual(checkArrows(ring), [
    "files import each other in a ring: lib/core/a.ts → lib/core/b.ts → lib/core/c.ts → …",
  ]);
});

test("checkArrows() finds two folders that import each other through different files", () => {
  assert.ok(pair);
  assert.deepEqual(checkArrows(pair), [
    "tests/a and tests/b import each other: tests/a/one.ts imports tests/b/two.ts, " +
    "tests/b/three.ts imports tests/a/other.ts",
  ]);
});
