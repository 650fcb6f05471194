import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { compareCodeUnits, isJsonObject, isJsonValue, isRecord, own } from "../../lib/core/json.ts";

for (
  const name of ["constructor", "toString", "hasOwnProperty", "__proto__", "__defineGetter__"]
) {
  test(`own() does not take ${name} for a member unless it is one`, () => {
    assert.equal(own({ a: 1 }, name), undefined);
    const parsed: unknown = JSON.parse(`{"${name}": 1}`);
    assert.ok(isRecord(parsed));
    assert.equal(own(parsed, name), 1);
  });
}

test("own() finds nothing in nothing, and members of records without a prototype", () => {
  assert.equal(own(undefined, "a"), undefined);
  assert.equal(own(Object.assign(Object.create(null), { a: 1 }), "a"), 1);
});

for (
  const [name, value, want] of [
    ["an object", {}, true],
    ["an object without a prototype", Object.create(null), true],
    ["null", null, false],
    ["an array", [], false],
    ["text", "{}", false],
    ["undefined", undefined, false],
    ["a function", () => 1, false],
  ] as const
) {
  test(`isRecord() is ${want} for ${name}`, () => assert.equal(isRecord(value), want));
}

test("compareCodeUnits() orders by code units, not by code points or locale", () => {
  const sorted = ["\ufb33", "\ud83d\ude00", "ö", "z", "B", "a", "", "ab"].sort(compareCodeUnits);
  assert.deepEqual(sorted, ["", "B", "a", "ab", "z", "ö", "\ud83d\ude00", "\ufb33"]);
});

test("compareCodeUnits() orders as the first differing code unit does", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (a, b) => {
      const at = [...Array(Math.max(a.length, b.length)).keys()]
        .find((i) => a.charCodeAt(i) !== b.charCodeAt(i));
      const want = at === undefined ? 0 : Math.sign(
        (a.length > at ? a.charCodeAt(at) : -1) - (b.length > at ? b.charCodeAt(at) : -1),
      );
      assert.equal(compareCodeUnits(a, b), want);
    }),
  );
});

test("isJsonValue() takes JSON through and through, 64 levels of it", () => {
  const nested = (levels: number): unknown => levels === 0 ? [] : [nested(levels - 1)];
  for (const value of [null, true, 0, -0, "", [], {}, { a: [{ b: null }] }, nested(63)]) {
    assert.ok(isJsonValue(value), JSON.stringify(value));
  }
  const bad = [undefined, NaN, Infinity, 1n, () => 1, Symbol("s"), [undefined], { a: NaN }];
  for (const value of [...bad, nested(64)]) assert.ok(!isJsonValue(value));
});

test("isJsonObject() takes objects alone", () => {
  assert.ok(isJsonObject({}) && isJsonObject(JSON.parse('{"__proto__":{"a":1}}')));
  for (const value of [[], null, "{}", 1, { a: undefined }]) assert.ok(!isJsonObject(value));
});
