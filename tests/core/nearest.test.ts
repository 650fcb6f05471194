import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { didYouMean, nearestNames } from "../../lib/core/nearest.ts";
import { cpuSeconds } from "../support/cpu-time.ts";

const TOOLS = ["scene_read", "scene_write", "asset_list", "console_tail", "jdk-tools", "jdk"];

for (
  const [name, typed, known, want] of [
    ["finds a name with two letters swapped", "scene_raed", TOOLS, ["scene_read", "scene_write"]],
    ["finds a name with a letter missing", "asset_lst", TOOLS, ["asset_list"]],
    ["does not mind the case", "ASSET_LIST", TOOLS, ["asset_list"]],
    ["puts the name itself before a longer one", "JDK", TOOLS, ["jdk", "jdk-tools"]],
    ["finds part of a name", "tail", TOOLS, ["console_tail"]],
    ["finds nothing like it", "publish", TOOLS, []],
    ["finds nothing among nothing", "jdk", [], []],
  ] as const
) {
  test(`nearestNames() ${name}`, () => assert.deepEqual(nearestNames(typed, known), want));
}

test("nearestNames() returns known names, at most as many as asked for", () => {
  const word = fc.string({ unit: fc.constantFrom(..."abC_"), maxLength: 8 });
  fc.assert(
    fc.property(word, fc.array(word), fc.nat(5), (name, known, count) => {
      const found = nearestNames(name, known, count);
      assert.ok(found.length <= count);
      for (const one of found) assert.ok(known.includes(one));
    }),
  );
});

test("nearestNames() puts a known name first when it is asked for by that name", () => {
  const word = fc.string({ unit: fc.constantFrom(..."ab_"), minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(fc.uniqueArray(word, { minLength: 1 }), (known) => {
      for (const one of known) assert.equal(nearestNames(one, known)[0], one);
    }),
  );
});

test("nearestNames() looks at the first 10,000 of a million names, and at the first 100 letters", () => {
  let read = 0;
  const million = new Proxy(Array.from({ length: 1_000_000 }, (_, n) => `name ${n}`), {
    get(names, index) {
      if (typeof index === "string" && /^\d+$/.test(index)) read++;
      return Reflect.get(names, index);
    },
  });
  assert.deepEqual(nearestNames("NAME 9999", million), ["name 9999", "name 9", "name 99"]);
  assert.deepEqual(nearestNames("name 10000", million, 1), ["name 1"]);
  assert.ok(read <= 20_000, `read ${read}`);
  const long = "ab".repeat(500_000);
  assert.deepEqual(nearestNames(`${long}x`, ["x", `${long}y`]), [`${long}y`]);
});

test("nearestNames() answers a name of a megabyte at once", () => {
  const name = "x".repeat(1_000_000);
  assert.ok(cpuSeconds(() => assert.deepEqual(nearestNames(name, TOOLS), [])) < 5);
});

for (
  const [name, next] of [
    ["tranform", "Did you mean Transform?"],
    ["Light", "Did you mean Light or Lights?"],
    ["zzz", "list them"],
  ] as const
) {
  test(`didYouMean() says of ${name}: ${next}`, () => {
    assert.equal(didYouMean(name, ["Transform", "Light", "Lights"], "list them"), next);
  });
}
