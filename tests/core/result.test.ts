import assert from "node:assert/strict";
import { test } from "node:test";
import { err, fail, messageOf, ok, unreachable } from "../../lib/core/result.ts";

test("ok() and err() wrap any value as it is, nothing included", () => {
  const value = { a: 1 };
  const success = ok(value);
  assert.equal(success.value, value);
  assert.deepEqual(success, { ok: true, value: { a: 1 } });
  assert.deepEqual(ok(undefined), { ok: true, value: undefined });
  assert.deepEqual(err("gone"), { ok: false, error: "gone" });
});

test("fail() leaves out the next step where there is none", () => {
  assert.deepEqual(fail("missing", "There is no key", "Run ota-keygen"), {
    ok: false,
    error: { code: "missing", message: "There is no key", next: "Run ota-keygen" },
  });
  assert.deepEqual(Object.keys(fail("missing", "There is no key").error), ["code", "message"]);
});

for (
  const [name, thrown, want] of [
    ["an error", new RangeError("too far"), "too far"],
    ["an abort", new DOMException("stopped", "AbortError"), "stopped"],
    ["a text", "plain", "plain"],
    ["null", null, "null"],
    ["undefined", undefined, "undefined"],
    ["a symbol", Symbol("sign"), "Symbol(sign)"],
    ["what has no text", Object.create(null), "something that has no text"],
  ] as const
) {
  test(`messageOf() tells ${name}`, () => assert.equal(messageOf(thrown), want));
}

test("unreachable() throws, and says which case was reached", () => {
  const forgotten: string = "fourth";
  assert.throws(() => Reflect.apply(unreachable, null, [forgotten]), /fourth/);
});
