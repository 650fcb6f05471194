import { test } from "node:test";
import assert from "node:assert/strict";
import { z } from "zod";
import {
  anyNumber,
  flag,
  ids,
  jsonList,
  jsonObject,
  jsonValue,
  limit,
  numbers,
  type Parameter,
  text,
  texts,
  wholeNumber,
} from "../../lib/agent/declaration/parameters.ts";
import { smallJsonSchema } from "../../lib/agent/declaration/wire-schema.ts";

const deep = (levels: number): unknown => levels === 0 ? 1 : { a: deep(levels - 1) };

/** A kind, what it takes and as what, what it refuses, and the schema that agents see. */
interface Row {
  readonly kind: Parameter<unknown>;
  readonly takes: readonly (readonly [unknown, unknown])[];
  readonly refuses: readonly unknown[];
  readonly schema: object;
}

const ROWS: Readonly<Record<string, Row>> = {
  "flag()": {
    kind: flag("doc"),
    takes: [[true, true], [1, true], ["1", true], ["true", true], ["0", false], [false, false]],
    refuses: ["yes", 2, "", null],
    schema: { type: "boolean" },
  },
  "limit()": {
    kind: limit("5").describe("doc"),
    takes: [[0, 0], ["7", 7], [1e300, Number.MAX_SAFE_INTEGER], ["9".repeat(20), 2 ** 53 - 1]],
    refuses: [-1, "-1", 2.5, "", true, null, Infinity, "1e400"],
    schema: { type: "integer", minimum: 0 },
  },
  "wholeNumber()": {
    kind: wholeNumber("doc", { min: 2, max: 9 }),
    takes: [[2, 2], ["9", 9], ["5e0", 5]],
    refuses: [1, 10, 2.5, "2.5", " 2", "", "0x2", true, null, NaN],
    schema: { type: "integer", minimum: 2, maximum: 9 },
  },
  "anyNumber()": {
    kind: anyNumber("doc"),
    takes: [[0.5, 0.5], ["-1e-3", -0.001], [-0, -0], ["12", 12]],
    refuses: ["", " 1", "1,5", "NaN", true, null, NaN, Infinity, [1]],
    schema: { type: "number" },
  },
  "anyNumber() with bounds": {
    kind: anyNumber("doc", { min: 0, max: 1 }),
    takes: [[0, 0], [1, 1], ["0.5", 0.5]],
    refuses: [-0.001, 1.001, "2"],
    schema: { type: "number", minimum: 0, maximum: 1 },
  },
  "text()": {
    kind: text("doc"),
    takes: [["5", "5"], ["{}", "{}"]],
    refuses: ["", 5, true, null, []],
    schema: { type: "string", minLength: 1 },
  },
  "ids()": {
    kind: ids("doc"),
    takes: [[[1, "2"], [1, 2]], ["1, 2", [1, 2]], ["[1,2]", [1, 2]], [3, [3]]],
    refuses: ["a", [1.5], -1, ""],
    schema: { type: "array", items: { type: "integer", minimum: 0 } },
  },
  "numbers()": {
    kind: numbers("doc"),
    takes: [[[1.5, "2"], [1.5, 2]], ["1.5, -2", [1.5, -2]], ["[1,2e3]", [1, 2000]], [4, [4]]],
    refuses: ["a", "1,,2", "", [null], { 0: 1 }, true],
    schema: { type: "array", items: { type: "number" } },
  },
  "numbers() of three": {
    kind: numbers("doc", { length: 3 }),
    takes: [["1,2,3", [1, 2, 3]]],
    refuses: ["1,2", [1, 2, 3, 4], 1],
    schema: { type: "array", items: { type: "number" }, minItems: 3, maxItems: 3 },
  },
  "texts()": {
    kind: texts("doc"),
    takes: [["a, b", ["a", "b"]], ['["a,b"]', ["a,b"]], [["a"], ["a"]]],
    refuses: ["", "a,,b", [""], [1], 5, {}],
    schema: { type: "array", items: { type: "string", minLength: 1 } },
  },
  "jsonObject()": {
    kind: jsonObject("doc"),
    takes: [
      [{ a: [1, null] }, { a: [1, null] }],
      ['{"x":1}', { x: 1 }],
      [' {"x":{"y":[]}}', { x: { y: [] } }],
      [deep(64), deep(64)],
    ],
    refuses: ["{", "[]", "x", 5, null, [], deep(65), { a: NaN }, { a: () => 1 }],
    schema: { type: "object" },
  },
  "jsonList()": {
    kind: jsonList("doc"),
    takes: [[[{ a: 1 }], [{ a: 1 }]], ['[{"op":"x"}]', [{ op: "x" }]], [[], []]],
    refuses: ["{}", {}, [1], ["x"], [[]], "[", null],
    schema: { type: "array", items: { type: "object" } },
  },
  "text() of at most 3": {
    kind: text("doc", { max: 3 }),
    takes: [["abc", "abc"]],
    refuses: ["", "abcd", 1],
    schema: { type: "string", minLength: 1, maxLength: 3 },
  },
  "jsonValue()": {
    kind: jsonValue("doc"),
    takes: [["5", "5"], [5, 5], [null, null], [{ a: [] }, { a: [] }]],
    refuses: [NaN, { a: 1n }, deep(65)],
    schema: {},
  },
};

for (const [name, { kind, takes, refuses, schema }] of Object.entries(ROWS)) {
  const complete = z.object({ value: kind });
  test(`${name} takes what it can only mean`, () => {
    assert.ok(complete.safeParse({}).success);
    for (const [given, want] of takes) {
      const parsed = complete.safeParse({ value: given });
      assert.ok(parsed.success, JSON.stringify(given));
      assert.deepEqual(parsed.data.value, want);
    }
  });
  // TOOL-4
  test(`${name} refuses what is anything else`, () => {
    for (const value of refuses) {
      assert.ok(!complete.safeParse({ value }).success, `${String(value)} was taken`);
    }
  });
  test(`${name} is one plain type to agents`, () =>
    assert.deepEqual(smallJsonSchema(kind), { ...schema, description: "doc" }));
}

test("smallJsonSchema() leaves bounds out that nobody oversteps, when asked", () => {
  const bare = smallJsonSchema(
    z.object({
      a: text("doc", { max: 9 }),
      b: wholeNumber("b", { min: 0 }),
      c: wholeNumber("c", { min: 1 }),
      d: wholeNumber("d", { min: 2, max: 16_384 }),
      e: numbers("e", { length: 3 }),
    }),
    { withoutBounds: true, undocumented: ["a"] },
  );
  assert.deepEqual(bare["properties"], {
    a: { type: "string" },
    b: { type: "integer", description: "b" },
    c: { type: "integer", description: "c" },
    d: { type: "integer", minimum: 2, description: "d" },
    e: { type: "array", items: { type: "number" }, description: "e" },
  });
});
