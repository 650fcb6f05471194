import assert from "node:assert/strict";
import { test } from "node:test";
import { fault, problem, refuse } from "../../lib/core/problem.ts";

for (const status of [400, 401, 403, 404, 405, 409, 413, 422, 500, 503] as const) {
  // HTTP-6
  test(`problem() of status ${status} has every member, each of them text for its reader`, () => {
    const { title, ...rest } = problem(status, "no-such-tool", "There is no tool x", "List them");
    assert.match(title, /^[A-Z][A-Za-z ]+$/);
    assert.deepEqual(rest, {
      type: "urn:slipway:problem:no-such-tool",
      status,
      detail: "There is no tool x",
      code: "no-such-tool",
      hint: "List them",
    });
  });
}

test("refuse() is a failure that carries the problem", () => {
  assert.deepEqual(refuse(404, "gone", "It is gone", "Look elsewhere"), {
    ok: false,
    error: problem(404, "gone", "It is gone", "Look elsewhere"),
  });
});

for (
  const [name, thrown, want] of [
    ["an error", new TypeError("x is not a function"), "x is not a function"],
    ["a text", "plain text", "plain text"],
    ["undefined", undefined, "undefined"],
    ["null", null, "null"],
  ] as const
) {
  test(`fault() of ${name} is a 500 that says what was thrown`, () => {
    const { status, code, detail, hint } = fault(thrown);
    assert.deepEqual([status, code], [500, "fault"]);
    assert.ok(detail.endsWith(want), detail);
    assert.notEqual(hint, "");
  });
}
