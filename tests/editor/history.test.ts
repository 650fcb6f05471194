import assert from "node:assert/strict";
import { test } from "node:test";
import type { EntityDocument } from "../../lib/game/scene/document.ts";
import { runAtOnce } from "../../lib/core/cooperative.ts";
import { applyOps } from "../../lib/editor/editing/edit-ops.ts";
import { History, MAX_HISTORY_STEPS } from "../../lib/editor/history/history.ts";
import type { EditOp, Entity } from "../../lib/editor/ports/mod.ts";
import { TraitRegistry } from "../../lib/game/traits/registry.ts";
import { type Random, runSeed, seededRandom } from "../support/random.ts";
import { rounds } from "../support/rounds.ts";
import { withScene } from "./edited-scene.ts";
import { documentOf, guid } from "./scenes.ts";

const STEP = { label: "step", source: "agent", t: 0 } as const;
const traits = new TraitRegistry();

/** All that undo must bring back: ids, guids, values, and the order of siblings. */
function snapshot(document: EntityDocument): readonly Entity[] {
  return structuredClone(document.entities());
}

function randomOp(random: Random, document: EntityDocument): EditOp {
  const entities = document.entities();
  const any = () => entities[random.below(entities.length)]?.id ?? 0;
  const at = { id: any() };
  switch (random.below(9)) {
    case 0:
    case 1:
      return {
        op: "create",
        name: `New ${random.below(99)}`,
        parentId: random.below(3) ? any() : null,
      };
    case 2:
      return { op: "delete", ...at };
    case 3:
      return { op: "duplicate", ...at };
    case 4:
      return { op: "rename", ...at, name: `Name ${random.below(5)}` };
    case 5:
    case 6:
      return {
        op: "reparent",
        ...at,
        parentId: random.below(3) ? any() : null,
        index: random.below(4),
        keepWorld: random.below(2) === 0,
      };
    case 7:
      return { op: "addTrait", ...at, trait: "Transform", fields: { x: random.below(9) } };
    default:
      return { op: "set", ...at, trait: "Transform", fields: { y: random.next(), sx: 2 } };
  }
}

test("History: any edits undone are the start again, redone the end, ids and order included", () => {
  const seed = runSeed();
  for (let round = 0; round < rounds(40, 2_000); round++) {
    const random = seededRandom(seed + round);
    const document = documentOf([
      { traits: { Transform: {} } },
      { parentId: 1 },
      { parentId: 1 },
      {},
    ]);
    let next = 100;
    const scene = { document, traits, assets: [], newGuid: () => guid(next++) };
    const history = new History();
    const states = [snapshot(document)];
    for (let n = 0; n < 30; n++) {
      const ops = Array.from({ length: 1 + random.below(4) }, () => randomOp(random, document));
      const before = [snapshot(document), document.rev];
      const done = runAtOnce(applyOps(scene, ops, { dryRun: random.below(6) === 0 }));
      if (!done.ok || done.value.changes.length === 0) {
        assert.deepEqual(
          [snapshot(document), document.rev],
          before,
          `seed ${seed}, round ${round}`,
        );
        continue;
      }
      history.push(STEP, done.value.changes);
      states.push(snapshot(document));
    }
    const why = `seed ${seed}, round ${round}`;
    for (let at = states.length - 2; at >= 0; at--) {
      runAtOnce(document.replaying(history.changesOf("undo")));
      assert.ok(history.undo());
      assert.deepEqual(snapshot(document), states[at], why);
    }
    assert.equal(history.undo(), false);
    for (let at = 1; at < states.length; at++) {
      runAtOnce(document.replaying(history.changesOf("redo")));
      assert.ok(history.redo());
      assert.deepEqual(snapshot(document), states[at], why);
    }
    // What is created now gets an id that nothing ever had.
    const used = states.flat();
    const added = document.add({
      guid: guid(99),
      name: "Last",
      parentId: null,
      layer: "3d",
      traits: {},
    });
    assert.ok(!used.some(({ id }) => id === added.id), why);
  }
});

test("undo() and redo() bring the same ids back, count as revisions and are noted", async () => {
  await withScene([{}, { parent: 1 }], async ({ edit, editing, core }) => {
    await edit({ op: "create", name: "New" });
    await edit({ op: "delete", id: 1 });
    const undone = await editing.undo(2, "human");
    assert.ok(undone.ok);
    assert.deepEqual(undone.value.map(({ label }) => label), ['Delete "Entity 1"', 'Create "New"']);
    assert.deepEqual(core.document.entities().map(({ id }) => id), [1, 2]);
    assert.deepEqual([core.document.rev, editing.unsaved], [4, false]);
    assert.deepEqual(editing.changedSince(3), { known: true, ids: [3] });
    const redone = await editing.redo(5, "human");
    assert.ok(redone.ok && redone.value.length === 2);
    assert.deepEqual(core.document.entities().map(({ id }) => id), [3]);
    assert.equal((await edit({ op: "create", name: "Next" })).created[0]?.id, 4);
    assert.deepEqual(editing.history().redo, []);
    assert.deepEqual(core.journals.editor().map(({ type, source }) => `${type} ${source}`), [
      "edit agent",
      "edit agent",
      "undo human",
      "undo human",
      "redo human",
      "redo human",
      "edit agent",
    ]);
  });
});

test("History keeps 500 steps and knows the saved state beyond them", () => {
  const history = new History();
  for (let n = 0; n < MAX_HISTORY_STEPS + 10; n++) history.push(STEP, []);
  assert.equal(history.state().undo.length, MAX_HISTORY_STEPS);
  while (history.undo());
  assert.equal(history.unsaved, true, "the state that was opened is out of reach");
  history.markSaved(history.mark());
  assert.equal(history.unsaved, false);
  history.redo();
  assert.equal(history.unsaved, true);
});

test("joinSteps() makes one step of several, takeBackSteps() none", async () => {
  await withScene([{}], async ({ edit, editing, core }) => {
    const { undo: first } = await edit({ op: "rename", id: 1, name: "A" });
    await edit({ op: "rename", id: 1, name: "B" });
    await edit({ op: "create", name: "C" });
    const joined = editing.joinSteps(first, "Batch");
    assert.deepEqual(editing.history().undo.map(({ id, label }) => [id, label]), [
      [1, 'Rename "Entity 1" to "A"'],
      [joined, "Batch"],
    ]);
    await editing.undo(1, "agent");
    assert.deepEqual(core.document.entities().map(({ name }) => name), ["A"]);
    assert.equal(editing.joinSteps(first, "Nothing"), null);
    await edit({ op: "rename", id: 1, name: "D" });
    assert.ok((await editing.takeBackSteps(null)).ok);
    assert.equal(core.document.get(1)?.name, "Entity 1");
    assert.deepEqual(editing.history(), { undo: [], redo: [] });
    assert.equal(editing.unsaved, false);
  });
});

test("changedSince() forgets what is too old and says so", () => {
  const document = documentOf([{}]);
  for (let n = 0; n < 2_001; n++) document.rename(1, `Name ${n}`);
  assert.deepEqual(document.changedSince(0), { known: false, ids: [] });
  assert.deepEqual(document.changedSince(1), { known: true, ids: [1] });
  assert.deepEqual(document.changedSince(2_001), { known: true, ids: [] });
  assert.deepEqual(document.changedSince(2_002), { known: false, ids: [] }, "the future");
});
