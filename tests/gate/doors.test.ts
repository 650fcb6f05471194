import assert from "node:assert/strict";
import { test } from "node:test";
import { checkDoors, checkListed, checkLoads } from "../../scripts/gate/doors.ts";
import { buildHouses, type Sources } from "./planted-houses.ts";

// A small house that stands; each case plants one file in it.
const STANDING: Sources = {
  "lib/core/bytes.ts": "",
  "lib/ota-format/mod.ts": 'export * from "./record.ts";',
  "lib/ota-format/record.ts": 'import "@noble/ed25519"; import "../core/bytes.ts";',
  "lib/editor/ports/mod.ts": "",
  "lib/editor/mod.ts": 'export * from "./ports/mod.ts"; import "yoga-layout/load";',
  "lib/ota-publish/mod.ts": 'export * from "./put.ts"; import type {} from "zod";',
  "lib/ota-publish/put.ts": 'import "../ota-format/mod.ts"; await import("../editor/mod.ts");',
  "adapters/node/mod.ts": 'import "node:fs";',
  "adapters/node/serve.ts": "",
  "scripts/put.ts":
    'import "../lib/ota-publish/mod.ts"; await import("../adapters/node/serve.ts");',
  "tests/put.test.ts": 'import "../lib/ota-publish/put.ts";',
};
const ENTRIES = { "./ota-publish": "lib/ota-publish/mod.ts", "./editor": "lib/editor/mod.ts" };
const LOADS = {
  "./ota-publish": ["lib/ota-publish", "lib/ota-format", "@noble/ed25519"],
  "./editor": ["lib/editor", "yoga-layout"],
};

const CASES: readonly (readonly [
  name: string,
  path: string,
  source: string,
  doors: readonly RegExp[],
  loads: readonly RegExp[],
])[] = [
  ["nothing in a house that stands", "lib/core/x.ts", "", [], []],
  [
    "another area's file",
    "lib/project/x.ts",
    '\nimport type { R } from "../ota-format/record.ts";',
    [/^lib\/project\/x\.ts:2: imports lib\/ota-format\/record\.ts: expected lib\/ota-format\/mod\.ts/],
    [],
  ],
  [
    "a script's import of an adapter's file",
    "scripts/x.ts",
    'import "../adapters/node/serve.ts";',
    [/scripts\/x\.ts:1: .* expected adapters\/node\/mod\.ts/],
    [],
  ],
  ["no fault in a room's own door", "lib/agent/x.ts", 'import "../editor/ports/mod.ts";', [], []],
  [
    "no fault in what the gate and the bench import",
    "scripts/gate/x.ts",
    'import "../../lib/editor/x.ts";',
    [],
    [],
  ],
  [
    "the area that an entry's file loads",
    "lib/ota-publish/put.ts",
    'import "../ota-format/mod.ts"; import "../editor/mod.ts";',
    [],
    [
      /^importing slipway\/ota-publish loads lib\/editor, by lib\/ota-publish\/put\.ts: expected/,
      /loads yoga-layout, by lib\/editor\/mod\.ts/,
    ],
  ],
  [
    "the package that what an entry imports loads",
    "lib/ota-format/record.ts",
    'import "@noble/ed25519"; import { type A } from "@modelcontextprotocol/server";',
    [],
    [/ota-publish loads @modelcontextprotocol\/server, by lib\/ota-format\/record\.ts/],
  ],
];

// One call reads the imports of all of these houses.
const houses = await buildHouses(
  CASES.map(([, path, source]) => ({ ...STANDING, [path]: source })),
  { entries: ENTRIES },
);
for (const [i, [name, , , doors, loads]] of CASES.entries()) {
  test(`checkDoors(), checkLoads() find ${name}`, () => {
    const house = houses[i];
    assert.ok(house);
    const compare = (found: readonly string[], expected: readonly RegExp[]) => {
      assert.equal(found.length, expected.length, found.join("\n"));
      for (const [at, pattern] of expected.entries()) assert.match(found[at] ?? "", pattern);
    };
    compare(checkDoors(house), doors);
    compare(checkLoads(house, LOADS), loads);
  });
}

test("checkLoads() finds an entry without a row, a row without an entry, and what a row has too much", () => {
  const [house] = houses;
  assert.ok(house);
  const entries = { "./new": "lib/editor/mod.ts", "./editor": "lib/editor/mod.ts" };
  assert.deepEqual(
    checkLoads({ ...house, entries }, { "./old": [], "./editor": [...LOADS["./editor"], "zod"] }),
    [
      "scripts/gate/doors.ts: LOADS has no row for ./new",
      "importing slipway/editor does not load zod any more: take it out of LOADS",
      "scripts/gate/doors.ts: deno.json has no entry ./old",
    ],
  );
});

test("checkLoads() measures a program like an entry", () => {
  const [house] = houses;
  assert.ok(house);
  const row = ["scripts", "lib/ota-publish", "lib/ota-format"];
  const violations = checkLoads(house, { ...LOADS, "scripts/put.ts": row });
  assert.equal(violations.length, 1, violations.join("\n"));
  assert.match(violations[0] ?? "", /^importing scripts\/put\.ts loads @noble\/ed25519, by lib\//);
});

test("checkListed() finds what an entry exports without a list", () => {
  const [house] = houses;
  assert.ok(house);
  assert.deepEqual(checkListed(house), [
    "lib/ota-publish/mod.ts:1: exports *: expected a list of names",
    "lib/editor/mod.ts:1: exports *: expected a list of names",
  ]);
  const sources = new Map([["lib/editor/mod.ts", 'export type { A } from "./a.ts";\n// export *']]);
  assert.deepEqual(checkListed({ ...house, sources }), []);
});
