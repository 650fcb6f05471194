import assert from "node:assert/strict";
import { test } from "node:test";
import { runAtOnce, type Work } from "../../lib/core/cooperative.ts";
import { applyOps } from "../../lib/editor/editing/edit-ops.ts";
import type { EditOp, Entity } from "../../lib/editor/ports/mod.ts";
import type { Change } from "../../lib/game/scene/change.ts";
import type { EntityDocument } from "../../lib/game/scene/document.ts";
import { TraitRegistry } from "../../lib/game/traits/registry.ts";
import { LiveWorld } from "../../lib/game/world/live-world.ts";
import { documentOf, guid } from "./scenes.ts";

// An edit of a whole scene and the start of a game give others their turn (decision 117): counted are
// the entities between two turns. Nobody sees the half of an edit.

const MANY = 5_000;
/** Entities that may come, go or change between two turns. */
const MOST = 256;

const traits = new TraitRegistry();
const tree = () => documentOf([{ traits: { Transform: {} } }, ...below(MANY)]);
const below = (count: number) =>
  Array.from({ length: count }, () => ({ parentId: 1, traits: { Transform: {} } }));

function sceneOf(document: EntityDocument) {
  let next = 100_000;
  return { document, traits, assets: [], newGuid: () => guid(next++) };
}

const EDITS: Readonly<Record<string, readonly EditOp[]>> = {
  "creating entities": Array.from({ length: MANY }, (_, n) => ({
    op: "create",
    name: `New ${n}`,
    traits: { Transform: { x: n } },
  })),
  "setting a field of each": Array.from({ length: MANY }, (_, n) => ({
    op: "set",
    id: n + 2,
    trait: "Transform",
    fields: { x: 1 },
  })),
  "duplicating a tree": [{ op: "duplicate", id: 1 }],
  "removing a tree": [{ op: "delete", id: 1 }],
};

/** Goes through work turn by turn. @param look Is asked in each of them. */
function turnByTurn<T>(work: Work<T>, look: () => void): { readonly value: T; turns: number } {
  for (let turns = 0;; turns++) {
    const step = work.next();
    if (step.done === true) return { value: step.value, turns };
    look();
  }
}

/** Whether a document shows these entities, and no others, to all who ask. */
function assertShows(document: EntityDocument, entities: readonly Entity[]): void {
  assert.equal(document.entities(), entities);
  assert.equal(document.size, entities.length);
  for (const entity of entities.slice(0, 100)) {
    assert.equal(document.get(entity.id), entity);
    assert.equal(document.byGuid(entity.guid), entity);
  }
  assert.equal(document.get(entities.length + 1), undefined);
  assert.equal(document.byGuid(guid(100_000)), entities.find((one) => one.guid === guid(100_000)));
}

for (const [what, ops] of Object.entries(EDITS)) {
  for (const dryRun of [false, true]) {
    test(`${what} ${dryRun ? "on trial " : ""}gives others their turn, who see none of it`, () => {
      const document = tree();
      const [before, rev] = [document.entities(), document.rev];
      let done = 0;
      const work = applyOps(sceneOf(document), ops, { dryRun });
      const { value, turns } = turnByTurn(work, () => {
        assertShows(document, before);
        assert.equal(document.rev, rev);
        const { length } = document.transacted;
        assert.ok(length - done <= MOST, `${length - done} entities in one turn`);
        done = length;
      });
      assert.ok(value.ok);
      assert.ok(turns >= MANY / MOST, `${turns} turns`);
      assert.equal(document.entities() === before, dryRun);
      assert.equal(document.rev, dryRun ? rev : rev + 1);
    });
  }
}

test("an edit that is given up between two turns leaves the scene as it was", () => {
  const document = tree();
  const before = document.entities();
  const work = applyOps(sceneOf(document), EDITS["creating entities"] ?? [], { dryRun: false });
  for (let turn = 0; turn < 5; turn++) assert.equal(work.next().done, false);
  assert.ok(document.transacted.length > 0);
  assert.throws(() => work.throw(new Error("given up")), /given up/);
  assert.deepEqual(document.entities(), before);
  assert.equal(document.size, MANY + 1);
  assert.equal(document.get(MANY + 2), undefined);
});

test("doing an edit again gives others their turn, who see none of it", () => {
  const document = tree();
  const ops = EDITS["creating entities"] ?? [];
  const done = runAtOnce(applyOps(sceneOf(document), ops, { dryRun: false }));
  assert.ok(done.ok);
  const back = done.value.changes.toReversed().map((change): Change => {
    if (change.kind !== "insert") throw new TypeError(`found ${change.kind}`);
    return { kind: "remove", before: change.after, from: change.to };
  });
  const before = document.entities();
  const { turns } = turnByTurn(document.replaying(back), () => assertShows(document, before));
  assert.ok(turns >= MANY / MOST - 1, `${turns} turns`);
  assert.equal(document.entities().length, MANY + 1);
});

test("the world of a game comes to be in turns, and is the same as at once", () => {
  const entities = tree().entities();
  const { value: world, turns } = turnByTurn(LiveWorld.of(entities, 7), () => undefined);
  assert.ok(turns >= MANY / MOST - 1, `${turns} turns`);
  const inOneTurn = new LiveWorld(entities, 7);
  assert.equal(world.rev, 7);
  assert.equal(world.size, entities.length);
  assert.deepEqual(world.entities(), inOneTurn.entities());
  for (const trait of ["Transform", "Camera"]) {
    const ids = (one: LiveWorld) => one.withTrait(trait).map(({ id }) => id);
    assert.deepEqual(ids(world), ids(inOneTurn));
  }
  const added = world.add({
    guid: guid(90_000),
    name: "Camera",
    parentId: null,
    layer: "3d",
    traits: { Camera: {} },
  });
  assert.deepEqual(world.withTrait("Camera").map(({ id }) => id), [added.id]);
});
