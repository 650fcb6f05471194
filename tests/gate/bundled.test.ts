import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeRefusal, namedExternals } from "../../scripts/gate/bundled.ts";

test("namedExternals() reads each module that a page leaves out of a bundle once", () =>
  assert.deepEqual(
    namedExternals("`esbuild --external:slipway/node --external:@a/b` or --external:slipway/node."),
    ["slipway/node", "@a/b"],
  ));

const SAID = "Error: Cannot start: bundle with --external:slipway/node";
for (
  const [name, code, output, failures] of [
    ["one error with the name", 1, `file:///x.mjs:1\n${SAID}\n    at x\n`, 0],
    ["an error without the name", 1, "Error: Dynamic require is not supported\n", 1],
    ["two errors", 1, `TypeError: x\n${SAID}\n`, 1],
    ["a start", 0, `${SAID}\n`, 1],
  ] as const
) {
  // HOUSE-5
  test(`judgeRefusal() when a bundle of everything ends with ${name}`, () =>
    assert.equal(judgeRefusal("esm", { code, output }, ["slipway/node"]).failed, failures));
}
