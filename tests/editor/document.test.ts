import assert from "node:assert/strict";
import { test } from "node:test";
import { runAtOnce } from "../../lib/core/cooperative.ts";
import { documentOf, guid, seed } from "./scenes.ts";

const ids = (entities: readonly { readonly id: number }[]) => entities.map(({ id }) => id);

test("EntityDocument gives ids in file order and lists parents before children", () => {
  const document = documentOf([{ parentId: 3 }, {}, {}, { parentId: 1 }]);
  assert.deepEqual(ids(document.entities()), [2, 3, 1, 4]);
  assert.deepEqual(document.childrenOf(null), [2, 3]);
  assert.equal(document.byGuid(guid(4))?.id, 4);
  assert.equal(document.rev, 0);
});

test("EntityDocument never gives an id again", () => {
  const document = documentOf([{}, { parentId: 1 }, { parentId: 2 }]);
  assert.deepEqual(ids(runAtOnce(document.removing(2))), [2, 3]);
  assert.equal(document.byGuid(guid(3)), undefined);
  assert.equal(document.add(seed(3, {})).id, 4);
  assert.deepEqual(ids(document.entities()), [1, 4]);
  assert.equal(document.rev, 2);
  assert.equal(document.size, 2);
});

test("EntityDocument.setFields() replaces the value and leaves the old one as it was", () => {
  const document = documentOf([{ traits: { Transform: {} } }]);
  const before = document.get(1);
  document.setFields(1, "Transform", { x: 5 });
  assert.equal(before?.traits["Transform"]?.["x"], 0);
  assert.equal(document.get(1)?.traits["Transform"]?.["x"], 5);
  assert.equal(document.get(1)?.traits["Transform"]?.["sx"], 1);
  assert.equal(document.rev, 1);
  assert.equal(document.setFields(9, "Transform", {}), undefined);
  assert.equal(document.rev, 1);
});

test("EntityDocument lists a chain of 100,000 without recursion", () => {
  const chain = Array.from({ length: 100_000 }, (_, i) => i === 0 ? {} : { parentId: i });
  assert.equal(documentOf(chain).entities().at(-1)?.id, 100_000);
});

for (
  const [what, plant] of [
    ["a guid that is taken", seed(1, {})],
    ["a parent that is not there", seed(2, { parentId: 9 })],
  ] as const
) {
  test(`EntityDocument.add() throws on ${what}`, () => {
    assert.throws(() => documentOf([{}]).add(plant), TypeError);
  });
}
