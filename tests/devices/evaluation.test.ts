import assert from "node:assert/strict";
import { test } from "node:test";
import { evaluationScript, readEvaluation } from "../../lib/devices/evaluation/evaluation.ts";

// The script that a page runs, run here: what a value does when it is looked at is the engine's.

const run: unknown = Reflect.get(globalThis, "eval");

async function evaluate(expression: string, timeoutMs = 60_000) {
  assert.ok(typeof run === "function");
  return readEvaluation(await run.call(undefined, evaluationScript(expression, timeoutMs)));
}

for (
  const [expression, value] of [
    ["1 + 1", 2],
    ["'text'", "text"],
    ["null", null],
    ["undefined", "[undefined]"],
    ["NaN", "NaN"],
    ["-Infinity", "-Infinity"],
    ["10n ** 20n", "100000000000000000000"],
    ["Symbol('s')", "[Symbol(s)]"],
    ["(function named() {})", "[function named]"],
    ["{ a: 1 }", { a: 1 }],
    ["const a = 2; a * 3", 6],
    ["await Promise.resolve(7)", 7],
    ["const b = await Promise.resolve(2); return b + 1", 3],
    ["Promise.resolve([1, Promise.resolve(2)])", [1, "[promise]"]],
    ["const c = { name: 'c' }; c.self = c; c.list = [c]; c", {
      name: "c",
      self: "[circular]",
      list: ["[circular]"],
    }],
    ["const one = {}; [one, one]", [{}, {}]],
    ["({ get broken() { throw new Error('no') }, fine: 1 })", {
      broken: "[threw: Error: no]",
      fine: 1,
    }],
    ["new Proxy({}, { ownKeys() { throw new Error('mine') } })", "[threw: Error: mine]"],
    ["new Map([['k', { v: 1 }]])", { "[map]": [["k", { v: 1 }]] }],
    ["new Set([1, 2])", { "[set]": [1, 2] }],
    ["new Date(0)", "1970-01-01T00:00:00.000Z"],
    ["new Date(NaN)", "[invalid date]"],
    ["/a+/g", "/a+/g"],
    ["new Error('e')", "[Error: e]"],
    ["new Uint8Array([1, 2])", [1, 2]],
    ["new ArrayBuffer(8)", "[8 bytes]"],
    ["globalThis", "[window]"],
    ["Object.create(null)", {}],
    ["JSON.parse('{\"__proto__\": 5}')", JSON.parse('{"__proto__":5}')],
  ] as const
) {
  test(`device_eval gives JSON of ${expression} (DEV-44)`, async () => {
    const evaluated = await evaluate(expression);
    assert.ok(evaluated.ok, evaluated.ok ? "" : evaluated.error.detail);
    assert.deepEqual(evaluated.value, { value, truncated: false, threw: false });
  });
}

for (
  const expression of [
    "Array.from({ length: 100000 }, (_, i) => ({ i }))",
    "'x'.repeat(10_000_000)",
    "let deep = {}; for (let i = 0; i < 10000; i++) deep = { deep }; deep",
    "Object.fromEntries(Array.from({ length: 5000 }, (_, i) => ['k'.repeat(300) + i, i]))",
  ]
) {
  test(`device_eval cuts what is large: ${expression.slice(0, 40)}`, async () => {
    const evaluated = await evaluate(expression);
    assert.ok(evaluated.ok);
    assert.equal(evaluated.value.truncated, true);
    assert.ok(JSON.stringify(evaluated.value.value).length < 60_000);
  });
}

for (
  const [expression, value] of [
    ["throw new TypeError('mine')", "[TypeError: mine]"],
    ["nothing.there", "[ReferenceError: nothing is not defined]"],
    ["Promise.reject({ code: 3 })", { code: 3 }],
    ["throw { toJSON() { throw 1 } }", { toJSON: "[function toJSON]" }],
    ["({ then() { throw 'thenable' } })", "thenable"],
    ["1 +", "[SyntaxError: Unexpected end of input]"],
  ] as const
) {
  test(`device_eval tells what is thrown: ${expression}`, async () => {
    const evaluated = await evaluate(expression);
    assert.ok(evaluated.ok);
    assert.deepEqual(evaluated.value, { value, truncated: false, threw: true });
  });
}

test("device_eval gives up on a promise that is never settled", async () => {
  const evaluated = await evaluate("new Promise(() => {})", 20);
  assert.equal(evaluated.ok ? "" : evaluated.error.code, "eval-timeout");
});

test("readEvaluation() takes nothing but what the script answers", () => {
  for (const text of [null, 3, "", "{}", '{"value":1}', "x".repeat(500_000)]) {
    const read = readEvaluation(text);
    assert.equal(read.ok ? "" : read.error.code, "eval-failed");
  }
});
