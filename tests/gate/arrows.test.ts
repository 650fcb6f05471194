import assert from "node:assert/strict";
import { test } from "node:test";
import { checkArrows } from "../../scripts/gate/arrows.ts";

// A small house that stands; each case plants one file in it.
const STANDING: Readonly<Record<string, string>> = {
  "lib/core/bytes.ts": "export const a = 1;",
  "lib/ports/clock.ts": 'import { a } from "../core/bytes.ts";',
  "lib/ota-format/manifest.ts": 'import { a } from "../core/bytes.ts";',
  "lib/ota-client/mod.ts": 'import * as ed from "@noble/ed25519"; export * from "./check.ts";',
  "lib/ota-client/check.ts": 'import type { M } from "../ota-format/manifest.ts";',
  "lib/agent/answer/budget.ts": 'import { z } from "zod";',
  "lib/http/handler.ts": 'import "../agent/budget.ts"; import { Hono } from "hono/tiny";',
  "mod.ts": 'export * from "./lib/http/handler.ts";',
  "adapters/node/files.ts": 'import "node:fs"; import "../../lib/ports/clock.ts";',
  "adapters/deno/files.ts": 'export * from "../node/files.ts";',
  "scripts/demo.ts": 'import "../adapters/deno/files.ts"; import "../mod.ts"; import(name);',
  "tests/demo.test.ts": 'import "../scripts/demo.ts"; import ajv from "ajv";',
};

function check(planted: Readonly<Record<string, string>>): readonly string[] {
  return checkArrows({
    files: new Map(Object.entries({ ...STANDING, ...planted })),
    dependencies: ["@noble/ed25519", "zod", "hono"],
    devDependencies: ["ajv"],
  });
}

test("checkArrows() finds nothing in a house that stands", () => assert.deepEqual(check({}), []));

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
  [
    "a package that the phone does not get",
    "lib/ota-format/manifest.ts",
    'import { z } from "zod";',
    /manifest\.ts: imports zod, and ships in the phone/,
  ],
  ["a computed import in lib", "lib/core/x.ts", "import(name)", /expected a literal/],
  ["a Deno lib reference in lib", "lib/core/x.ts", '/// <reference lib="deno.ns" />', /deno\.ns/],
  [
    "a file that is not there",
    "lib/core/x.ts",
    'import "./y.ts";',
    /\.\/y\.ts: found no such file/,
  ],
  ["a folder on no floor", "lib/utils/x.ts", "", /lib\/utils\/x\.ts: stands on no floor/],
  ["a file at the top of lib", "lib/x.ts", "", /lib\/x\.ts: stands on no floor/],
  ["a file that imports itself", "lib/core/x.ts", 'import "./x.ts";', /ring: lib\/core\/x\.ts →/],
];
for (const [name, path, source, wanted] of PLANTED) {
  test(`checkArrows() finds an arrow ${name}`, () => {
    const violations = check({ [path]: source });
    assert.equal(violations.length, 1, violations.join("\n"));
    assert.match(violations[0] ?? "", wanted);
  });
}

test("checkArrows() finds a ring of files once, types included", () => {
  const violations = check({
    "lib/core/c.ts": 'import "./a.ts";',
    "lib/core/a.ts": 'import type { B } from "./b.ts";',
    "lib/core/b.ts": 'export * from "./c.ts"; import "./bytes.ts";',
  });
  assert.deepEqual(violations, [
    "files import each other in a ring: lib/core/a.ts → lib/core/b.ts → lib/core/c.ts → …",
  ]);
});
