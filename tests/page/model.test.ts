import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entity, TraitSchema } from "../../lib/editor/ports/mod.ts";
import {
  isChanged,
  rowsOf,
  sharedTraits,
  sharedValue,
  titleOf,
} from "../../lib/page/model/fields.ts";
import { effect } from "@preact/signals";
import { isStopped, playState, takeEditor } from "../../lib/page/model/editor.ts";
import { eventWords } from "../../lib/page/model/event-words.ts";
import { numberFrom, shownNumber } from "../../lib/page/model/numbers.ts";
import { mergeChanges } from "../../lib/page/model/scene.ts";
import { BUILT_IN_TRAITS } from "../../lib/game/traits/mod.ts";

for (
  const [text, value] of [
    ["1", 1],
    ["-1.5", -1.5],
    ["1,5", 1.5],
    [" 2 * 3 + 1 ", 7],
    ["1-2-3", -4],
    ["10/4", 2.5],
    ["2*-3", -6],
    ["1e-3", 0.001],
    ["1e3+1", 1001],
    ["90/2*3", 135],
    ["", null],
    ["one", null],
    ["1+", null],
    ["1/0", null],
    ["alert(1)", null],
  ] as const
) {
  test(`the text ${JSON.stringify(text)} is the number ${value}`, () =>
    assert.equal(numberFrom(text), value));
}

test("a number is shown with as few digits as tell it", () => {
  assert.deepEqual([0.1 + 0.2, 1 / 3, 120, -0.5].map(shownNumber), [
    "0.3",
    "0.3333333",
    "120",
    "-0.5",
  ]);
});

const entity = (id: number, name = `${id}`, traits: Entity["traits"] = {}): Entity => ({
  id,
  guid: `00000000-0000-4000-8000-${String(id).padStart(12, "0")}`,
  name,
  parentId: null,
  layer: "3d",
  traits,
});

test("a scene takes a change: the changed in their places, the new at the end, the removed not", () => {
  const before = [entity(1), entity(2), entity(3)];
  const after = mergeChanges(before, [entity(4), entity(2, "two")], [1]);
  assert.deepEqual(after.map(({ id, name }) => [id, name]), [[2, "two"], [3, "3"], [4, "4"]]);
  assert.equal(after[1], before[2]); // what did not change is the same value
});

/** A built-in trait's schema. */
function schemaOf(name: string): TraitSchema {
  const schema = BUILT_IN_TRAITS.find((one) => one.name === name);
  assert.ok(schema);
  return schema;
}

test("the axes of a transform are one row each, every field is in one row", () => {
  const rows = rowsOf(schemaOf("Transform"));
  assert.deepEqual(rows.map(({ title, fields }) => [title, fields.map(({ name }) => name)]), [
    ["Position", ["x", "y", "z"]],
    ["Rotation", ["rx", "ry", "rz"]],
    ["Scale", ["sx", "sy", "sz"]],
  ]);
  for (const schema of BUILT_IN_TRAITS) {
    const shown = rowsOf(schema).flatMap(({ fields }) => fields.map(({ name }) => name));
    assert.deepEqual(shown.toSorted(), Object.keys(schema.fields).toSorted(), schema.name);
  }
});

test("names of fields are words", () => {
  assert.deepEqual(["castShadow", "x", "fogStart"].map(titleOf), ["Cast shadow", "X", "Fog start"]);
});

test("several entities show what they share, and say where they differ", () => {
  const { fields } = schemaOf("Transform");
  const y = fields["y"];
  assert.ok(y);
  const [a, b] = [
    entity(1, "a", { Transform: { y: 2 }, Player: {} }),
    entity(2, "b", { Transform: {} }),
  ];
  assert.deepEqual(sharedTraits([a, b]), ["Transform"]);
  assert.equal(sharedValue([a], "Transform", "y", y), 2);
  assert.equal(sharedValue([b], "Transform", "y", y), y.default);
  assert.equal(sharedValue([a, b], "Transform", "y", y), undefined);
  assert.deepEqual([isChanged([b], "Transform", "y", y), isChanged([a, b], "Transform", "y", y)], [
    false,
    true,
  ]);
});

for (
  const [type, payload, words] of [
    ["input", { kind: "key", code: "KeyW", phase: "down" }, "key W pressed"],
    ["input", { kind: "key", code: "ArrowLeft", phase: "up" }, "key Left let go"],
    ["input", { kind: "key", code: "Space", phase: "press" }, "key Space pressed and let go"],
    ["input", { kind: "tap", x: 12, y: 3.5 }, "tap at 12, 3.5"],
    ["input", { kind: "pointer", phase: "move", x: 1, y: 2 }, "pointer moved at 1, 2"],
    ["input", { kind: "pointer", phase: "down", x: 1, y: 2, id: 1 }, "pointer 2 pressed at 1, 2"],
    ["input", { kind: "wheel", x: 1, y: 2, dy: -16 }, "wheel turned by -16 at 1, 2"],
    [
      "input",
      { kind: "gamepad", buttons: [0, 3], axes: [0.5, -1] },
      "gamepad: buttons 0, 3 down, sticks at 0.5, -1",
    ],
    ["input", { kind: "gamepad", buttons: [], axes: [] }, "gamepad: no button down"],
    ["input", { kind: "action", action: "jump" }, "action “jump”"],
    ["input", { kind: "resize", width: 800, height: 600 }, "the screen is 800 × 600"],
    ["input", { kind: "seek", target: 7, time: 1.5 }, "took the timeline of “Boat” to 1.5 s"],
    ["input", { kind: "shake", force: 2 }, "input kind shake, force 2"],
    ["stop", { tick: 90 }, "stopped the game at step 90"],
    ["step", { ticks: 1 }, "played one step"],
    ["play-clip", { id: 9, clip: "row" }, "plays the clip row of entity 9"],
    ["view", { mode: "ui" }, "looked at the UI layer"],
    [
      "view",
      { gizmo: { mode: "rotate", space: "local" } },
      "took the tool for turning, along the local axes",
    ],
    ["view", { focus: 7 }, "focused on “Boat”"],
    ["save", { path: "a.scene.json", bytes: 12 }, "saved a.scene.json"],
    ["project-settings", { names: ["name", "ota"] }, "set name, ota of the project"],
    // Of an editor of one's own: whatever it calls them.
    ["light-bake", { map: { size: 4 }, ids: [1, 2] }, "light bake map size 4, ids 1, 2"],
    ["constructor", null, "constructor"],
  ] as const
) {
  test(`an event of ${type} is told as: ${words}`, () =>
    assert.equal(eventWords({ type, payload }, (id) => id === 7 ? "Boat" : undefined), words));
}

test("what shows no tick hears of a game when it begins, and of none of its ticks", () => {
  const heard: unknown[] = [];
  const end = effect(() => void heard.push([isStopped.value, playState.value]));
  for (const tick of [0, 6, 12, 18]) {
    takeEditor({ kind: "play", values: { state: "playing", tick, time: tick / 60 } });
  }
  takeEditor({ kind: "play", values: { state: "stopped" } });
  end();
  assert.deepEqual(heard, [[true, "stopped"], [false, "playing"], [true, "stopped"]]);
});
