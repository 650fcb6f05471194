import { test } from "node:test";
import assert from "node:assert/strict";
import { matchesWhere, parseWhere } from "../../lib/agent/scene/where.ts";
import type { Entity } from "../../lib/editor/ports/mod.ts";

const ENTITY: Entity = {
  id: 1,
  guid: "g",
  name: "n",
  parentId: null,
  layer: "3d",
  traits: { Health: { value: 10, low: true, label: "ten" }, Place: { x: -2.5 } },
};

for (
  const [expression, want] of [
    ["Health.value < 11", true],
    ["Health.value < 10", false],
    ["Health.value <= 10", true],
    ["Health.value > 10", false],
    ["Health.value>=10", true],
    ["Health.value == 10", true],
    ["Health.value != 10", false],
    ["Health.value != 9", true],
    ["Place.x == -2.5", true],
    ["Place.x > -1e1", true],
    ["Place.x < .5", true],
    ["  Place.x   <   +0  ", true],
    ["Health.low == 1", true],
    ["Health.low == 0", false],
    ["Health.label == 10", false],
    ["Health.label != 10", false],
    ["Health.missing != 1", false],
    ["Nothing.value != 1", false],
    ["toString.length != 99", false],
    ["Health.value < 5 or Place.x < 0", true],
    ["Health.value < 5 and Place.x < 0 or Health.value == 10", true],
    ["Health.value == 10 or Place.x > 0 and Place.x > 1", true],
    ["Health.value == 1 or Place.x > 0 AND Place.x > 1", false],
  ] as const
) {
  test(`matchesWhere() ${expression}`, () => {
    const where = parseWhere(expression);
    assert.ok(where.ok);
    assert.equal(matchesWhere(where.value, ENTITY), want);
  });
}

for (
  const [expression, position, expected] of [
    ["  ", 3, "<Trait>.<field>"],
    ["Health", 7, "a dot and a field after the trait"],
    ["Health.", 8, "a field name"],
    ["Health.value", 13, "one of < <= > >= == !="],
    ["Health.value = 3", 14, "one of < <= > >= == !="],
    ["Health.value < ten", 16, "a number"],
    ["Health.value < 1e999", 16, 'found "1e999", expected a finite number'],
    ["Health.value <  -1e400 and Place.x > 1", 17, 'found "-1e400", expected a finite number'],
    ["Health.value <", 15, "found the end, expected a number"],
    ["Health.value < 3 xor Place.x > 1", 18, "and, or, or the end"],
    ["Health.value < 3 and", 21, "<Trait>.<field>"],
    ["(Health.value < 3)", 1, "<Trait>.<field>"],
    ["Health.value < 3;", 17, "and, or, or the end"],
  ] as const
) {
  // SCENE-2
  test(`parseWhere() refuses ${JSON.stringify(expression)}`, () => {
    const where = parseWhere(expression);
    assert.ok(!where.ok);
    assert.equal(where.error.status, 400);
    assert.ok(where.error.detail.includes(`at character ${position}:`), where.error.detail);
    assert.ok(where.error.detail.endsWith(expected), where.error.detail);
  });
}

test("parseWhere() takes 2,000 characters and refuses 2,001", () => {
  const padded = (length: number) => "Health.value < 3".padEnd(length);
  assert.ok(parseWhere(padded(2_000)).ok);
  assert.ok(!parseWhere(padded(2_001)).ok);
});
