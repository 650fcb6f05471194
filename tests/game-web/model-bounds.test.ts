import assert from "node:assert/strict";
import { test } from "node:test";
import { modelRefusal } from "../../lib/game-web/picture/model-bounds.ts";

// What a model's file says of itself, before anything of it is decoded.

const mesh = (primitives: number) => ({
  primitives: Array.from({ length: primitives }, () => ({})),
});

const nodes = (count: number) => Array(count).fill({});
const WANTED = /^found 200001 nodes and primitives, expected at most 200000$/;

for (
  const [title, model, expected] of [
    [
      "all that an import takes",
      { nodes: nodes(100_000), meshes: [mesh(40_000), mesh(60_000)] },
      null,
    ],
    ["a primitive more", { nodes: nodes(100_000), meshes: [mesh(40_000), mesh(60_001)] }, WANTED],
    ["a node more", { nodes: nodes(100_001), meshes: [mesh(40_000), mesh(60_000)] }, WANTED],
  ] as const
) {
  test(`modelRefusal() of ${title}`, () => {
    const refusal = modelRefusal(model, {});
    if (expected === null) assert.equal(refusal, null);
    else assert.match(refusal ?? "", expected);
  });
}
