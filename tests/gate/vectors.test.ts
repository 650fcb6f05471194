import assert from "node:assert/strict";
import { test } from "node:test";
import { checkVectors } from "../../scripts/gate/vectors.ts";
import { withTree } from "./temp-tree.ts";

const DRAFT = "https://json-schema.org/draft/2020-12/schema";
function schema(extra: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ $schema: DRAFT, type: "object", required: ["id"], ...extra });
}
const SOUND: Readonly<Record<string, string>> = {
  "vectors/schema/boot.schema.json": schema({
    properties: { id: { $ref: "common.schema.json#/$defs/id" }, kind: { const: "boot" } },
    additionalProperties: false,
  }),
  "vectors/schema/path.schema.json": schema({ required: ["id", "cases"] }),
  "vectors/schema/common.schema.json": JSON.stringify({
    $schema: DRAFT,
    $defs: { id: { type: "string", pattern: "^[A-Z]" } },
  }),
  "vectors/boot/one.json": JSON.stringify({ id: "A" }),
  "vectors/boot/many.json": JSON.stringify([{ id: "B", kind: "boot" }, { id: "C" }]),
  "vectors/path/one.json": JSON.stringify({ id: "D", kind: "path", cases: [] }),
};

test("checkVectors() finds nothing in a sound tree", () =>
  withTree(SOUND, (root) => assert.deepEqual(checkVectors(root), [])));

const PLANTED: readonly (readonly [string, Readonly<Record<string, string>>, RegExp])[] = [
  [
    "a vector against its schema",
    { "vectors/x.json": JSON.stringify({ id: "X", more: 1 }) },
    /^vectors\/x\.json: X: .*additional properties.*"more"/,
  ],
  [
    "a vector against a schema that another one holds",
    { "vectors/x.json": JSON.stringify({ id: "x" }) },
    /\/id must match pattern/,
  ],
  [
    "one of an array",
    { "vectors/x.json": JSON.stringify([{ id: "X" }, { id: "Y", kind: "path" }]) },
    /^vectors\/x\.json: Y: .*cases/,
  ],
  [
    "an id used in two files",
    { "vectors/x.json": JSON.stringify({ id: "A" }) },
    /x\.json: A: the id stands in vectors\/boot\/one\.json already/,
  ],
  [
    "a kind without a schema",
    { "vectors/x.json": JSON.stringify({ id: "X", kind: "moon" }) },
    /kind "moon" has no schema/,
  ],
  ["a vector that is not JSON", { "vectors/x.json": "{" }, /x\.json: is not JSON/],
  [
    "a schema that is none",
    { "vectors/schema/x.schema.json": JSON.stringify({ type: "moon" }) },
    /x\.schema\.json: is no JSON Schema/,
  ],
];
for (const [name, files, expected] of PLANTED) {
  test(`checkVectors() finds ${name}`, () =>
    withTree({ ...SOUND, ...files }, (root) => {
      const violations = checkVectors(root);
      assert.equal(violations.length, 1, violations.join("\n"));
      assert.match(violations[0] ?? "", expected);
    }));
}

test("checkVectors() fails where there are no vectors and no schemas", () =>
  withTree({}, (root) => assert.equal(checkVectors(root).length, 2)));

test("checkVectors() takes the only schema for every kind", () =>
  withTree({
    "vectors/schema/scenario.schema.json": schema({}),
    "vectors/a.json": JSON.stringify([{ id: "A", kind: "json" }, { kind: "diff" }]),
  }, (root) => assert.match(checkVectors(root).join("\n"), /^vectors\/a\.json\[1\]: .*'id'/)));
