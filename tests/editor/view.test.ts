import assert from "node:assert/strict";
import { test } from "node:test";
import { freshGuid } from "../../lib/core/guid.ts";
import { applyOps } from "../../lib/editor/editing/edit-ops.ts";
import type { EditOp } from "../../lib/editor/ports/mod.ts";
import { EmbeddedView } from "../../lib/editor/session/view.ts";
import { withScene } from "./edited-scene.ts";

const ASSET = "assets/a.wav";

test("change() keeps what is left out, and is noted with its source", async () => {
  await withScene([{}, {}], ({ core }) => {
    const view = new EmbeddedView(core);
    const start = view.state();
    assert.deepEqual(start, {
      selection: [],
      asset: null,
      gizmo: { mode: "translate", space: "world" },
      mode: "3d",
      viewport: { width: 800, height: 600 },
      focus: null,
    });
    assert.ok(view.change({ selection: [2, 1, 2], gizmoMode: "scale", focus: 2 }, "human").ok);
    const viewport = { width: 320, height: 200 };
    const changed = view.change({ asset: ASSET, mode: "ui", viewport }, "agent");
    assert.ok(changed.ok);
    assert.deepEqual(changed.value, {
      selection: [2, 1],
      asset: ASSET,
      gizmo: { mode: "scale", space: "world" },
      mode: "ui",
      viewport,
      focus: 2,
    });
    assert.deepEqual(core.viewport, viewport, "layout is computed for it");
    assert.deepEqual(core.journals.editor().map(({ type, source }) => [type, source]), [
      ["select", "human"],
      ["view", "human"],
      ["select", "agent"],
      ["view", "agent"],
    ]);
    assert.equal(core.document.rev, 0);
    return Promise.resolve();
  }, { [ASSET]: "" });
});

test("an edit made in turns adds nothing to be selected, and removes nothing, before it is whole", async () => {
  await withScene([{}], ({ core }) => {
    const { document, traits } = core;
    const view = new EmbeddedView(core);
    assert.ok(view.change({ selection: [1] }, "human").ok);
    const added = Array.from({ length: 100 }, (_, n): EditOp => ({ op: "create", name: `${n}` }));
    const ops: readonly EditOp[] = [{ op: "delete", id: 1 }, ...added];
    const scene = { document, traits, assets: [], newGuid: freshGuid };
    const work = applyOps(scene, ops, { dryRun: false });
    let turns = 0;
    for (; work.next().done !== true; turns++) {
      assert.deepEqual(view.state().selection, [1]);
      const early = view.change({ selection: [2] }, "human");
      assert.ok(!early.ok && early.error.code === "no-such-entity");
    }
    assert.ok(turns > 0);
    assert.deepEqual(view.state().selection, []);
    assert.ok(view.change({ selection: [2] }, "human").ok);
    return Promise.resolve();
  });
});

test("a journal keeps the beginning of a long text, and how long it is", async () => {
  await withScene([], ({ core: { journals } }) => {
    journals.noteEditor("input", "agent", { code: "x".repeat(10_000), keys: ["short"] });
    const code = `${"x".repeat(400)}… (10000 characters)`;
    assert.deepEqual(journals.editor()[0]?.payload, { code, keys: ["short"] });
    return Promise.resolve();
  });
});

for (
  const [what, change, code] of [
    ["an entity that is not there", { selection: [1, 9], mode: "ui" }, "no-such-entity"],
    ["a focus that is not there", { focus: 9, mode: "ui" }, "no-such-entity"],
    ["an asset that is not there", { asset: "assets/b.wav", mode: "ui" }, "no-such-asset"],
    ["an empty viewport", { viewport: { width: 0, height: 1 }, mode: "ui" }, "bad-viewport"],
    ["half a pixel", { viewport: { width: 1.5, height: 1 }, mode: "ui" }, "bad-viewport"],
    ["a huge viewport", { viewport: { width: 1, height: 16_385 }, mode: "ui" }, "bad-viewport"],
  ] as const
) {
  test(`change() refuses ${what} and changes nothing`, async () => {
    await withScene([{}], ({ core }) => {
      const view = new EmbeddedView(core);
      const before = view.state();
      const refused = view.change(change, "agent");
      assert.ok(!refused.ok);
      assert.equal(refused.error.code, code);
      assert.deepEqual(view.state(), before);
      assert.deepEqual(core.journals.editor(), []);
      return Promise.resolve();
    });
  });
}

test("state() forgets what was removed, and remembers it when the removal is undone", async () => {
  await withScene([{}, {}], async ({ core, edit, editing }) => {
    const view = new EmbeddedView(core);
    view.change({ selection: [1, 2], focus: 2 }, "agent");
    await edit({ op: "delete", id: 2 });
    assert.deepEqual([view.state().selection, view.state().focus], [[1], null]);
    await editing.undo(1, "agent");
    assert.deepEqual([view.state().selection, view.state().focus], [[1, 2], 2]);
  });
});
