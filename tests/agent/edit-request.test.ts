import { test } from "node:test";
import assert from "node:assert/strict";
import { readOps } from "../../lib/agent/scene/edit-request.ts";
import type { EditOp } from "../../lib/editor/ports/mod.ts";

// Operations as callers spell them: what can only mean one thing is taken, all else is refused.

const CART = "0f8fad5b-d9cb-469f-a165-70867728950e";
const ENTITIES = [
  { id: 7, guid: CART, name: "Cart", parentId: null, layer: "3d" as const, traits: {} },
];

const TAKEN: readonly (readonly [Readonly<Record<string, unknown>>, EditOp])[] = [
  [{ op: "delete", id: "7" }, { op: "delete", id: 7 }],
  [{ op: "delete", guid: "0F8FAD" }, { op: "delete", guid: CART }],
  [
    { op: "create", name: "A", traits: '{"Transform":{"x":1}}' },
    { op: "create", name: "A", traits: { Transform: { x: 1 } } },
  ],
  [
    { op: "create", name: "A", traits: { Transform: '{"x":1}' } },
    { op: "create", name: "A", traits: { Transform: { x: 1 } } },
  ],
  [
    { op: "set", id: 7, trait: "Transform", fields: '{"x":1}' },
    { op: "set", id: 7, trait: "Transform", fields: { x: 1 } },
  ],
  [
    { op: "reparent", id: 7, parentId: null, keepWorld: "true", index: "2" },
    { op: "reparent", id: 7, parentId: null, keepWorld: true, index: 2 },
  ],
  // An optional member that is null is absent.
  [
    { op: "create", name: "A", parentId: null, parentGuid: null, layer: null, traits: null },
    { op: "create", name: "A", parentId: null },
  ],
  [
    { op: "reparent", id: 7, guid: null, parentId: null, keepWorld: null, index: null },
    { op: "reparent", id: 7, parentId: null },
  ],
  [{ op: "addTrait", id: 7, trait: "T", fields: null }, { op: "addTrait", id: 7, trait: "T" }],
  [{ op: "duplicate", id: 7, name: null }, { op: "duplicate", id: 7 }],
  // 0 is the top, as in create_entity and reparent_entity.
  [{ op: "create", name: "A", parentId: 0 }, { op: "create", name: "A", parentId: null }],
  [{ op: "reparent", id: 7, parentId: "0" }, { op: "reparent", id: 7, parentId: null }],
  [
    { op: "reparent", id: 7, parentId: null, keepWorld: 1 },
    { op: "reparent", id: 7, parentId: null, keepWorld: true },
  ],
];
for (const [given, want] of TAKEN) {
  test(`readOps() takes ${JSON.stringify(given)}`, () => {
    const read = readOps([JSON.parse(JSON.stringify(given))], ENTITIES);
    assert.deepEqual(read, { ok: true, value: [want] });
  });
}

const REFUSED: readonly (readonly [Readonly<Record<string, unknown>>, string])[] = [
  [{ op: "create", name: "A", traits: "Transform" }, "bad-value"],
  [{ op: "create", name: "A", traits: "[]" }, "bad-value"],
  [{ op: "create", name: "A", traits: "{" }, "bad-value"],
  [{ op: "create", name: "A", traits: { Transform: "x" } }, "bad-value"],
  [{ op: "reparent", id: 7, parentId: null, keepWorld: "yes" }, "bad-value"],
  [{ op: "reparent", id: 7, parentId: null, index: -1 }, "bad-value"],
  [{ op: "delete", id: "7.5" }, "bad-value"],
  [{ op: "delete", guid: "ffff" }, "no-such-entity"],
  [{ op: "delete", id: 7, name: "Cart" }, "unknown-member"],
  [{ op: "remove", id: 7 }, "unknown-op"],
  [{ op: "create" }, "missing-member"],
  [{ op: "setLayer", id: 7, layer: "4d" }, "bad-value"],
  [{ op: "setLayer", id: 7 }, "missing-member"],
];
for (const [given, code] of REFUSED) {
  // SCENE-10
  test(`readOps() refuses ${JSON.stringify(given)}`, () => {
    const read = readOps([JSON.parse(JSON.stringify(given))], ENTITIES);
    assert.ok(!read.ok);
    assert.deepEqual(read.error.map((error) => [error.op, error.code]), [[0, code]]);
  });
}
