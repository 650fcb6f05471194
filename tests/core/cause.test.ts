import assert from "node:assert/strict";
import { test } from "node:test";
import { causeOf } from "../../lib/core/cause.ts";

const refused = new Error("connect ECONNREFUSED 127.0.0.1:9");
const ring = new Error("ring");
ring.cause = ring;

for (
  const [name, thrown, expected] of [
    ["an error without a cause", new Error("fetch failed"), "fetch failed"],
    ["a wrapped error", new TypeError("fetch failed", { cause: refused }), refused.message],
    [
      "the errors of several addresses",
      new TypeError("fetch failed", { cause: new AggregateError([refused], "") }),
      refused.message,
    ],
    ["a cause without words", new Error("fetch failed", { cause: new Error("") }), "fetch failed"],
    ["a cause that is no error", new Error("fetch failed", { cause: 7 }), "fetch failed"],
    ["an error that is its own cause", ring, "ring"],
    ["text", "no", "no"],
  ] as const
) {
  test(`causeOf() ${name}`, () => assert.equal(causeOf(thrown), expected));
}
