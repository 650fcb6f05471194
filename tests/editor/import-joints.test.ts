import assert from "node:assert/strict";
import { test } from "node:test";
import { withScene } from "./playing.ts";
import { guid, type Sketch } from "./scenes.ts";

const BODY: readonly Sketch[] = [
  { traits: { Transform: {} } },
  { parentId: 1, traits: { Transform: {} } },
  { parentId: 1, traits: { Transform: {}, Skin: { joints: `${guid(1)} ${guid(2)}` } } },
];

test("edit(): a copy of a skinned tree has joints of its own", () =>
  withScene(BODY, async ({ editor }) => {
    const done = await editor.editing.edit({ ops: [{ op: "duplicate", id: 1 }], source: "agent" });
    assert.ok(done.ok && done.value.ok);
    const { entities } = await editor.sceneState();
    const [top, joint, skin] = entities.slice(3);
    assert.equal(skin?.traits["Skin"]?.["joints"], `${top?.guid} ${joint?.guid}`);
  }));

test("diagnose() and edit() name a joint that is gone", () =>
  withScene(BODY, async ({ editor }) => {
    const done = await editor.editing.edit({ ops: [{ op: "delete", id: 2 }], source: "agent" });
    assert.ok(done.ok && done.value.ok);
    assert.match(done.value.value.warnings.join(), /Skin\.joints \(id 3\) still names "Entity 2"/);
    const { findings } = await editor.diagnose();
    assert.deepEqual(findings.find(({ code }) => code === "missing-entity")?.ids, [3]);
  }));

for (const joints of ["no guid", `${guid(1)}  ${guid(2)}`, `${guid(1)},${guid(2)}`, " "]) {
  test(`edit(): refuses ${JSON.stringify(joints)} as joints`, () =>
    withScene(BODY, async ({ editor }) => {
      const done = await editor.editing.edit({
        ops: [{ op: "set", id: 3, trait: "Skin", fields: { joints } }],
        source: "agent",
      });
      assert.ok(done.ok && !done.value.ok);
      assert.match(done.value.error.errors[0]?.message ?? "", /guids of entities with a space/);
    }));
}

test("ScriptAction: a spawned skinned prefab has joints of its own", () =>
  withScene(
    [{ traits: { Transform: {}, ScriptAction: { on: "go", effect: "spawn", prefab: guid(90) } } }],
    async ({ editor, step }) => {
      await step(1);
      await editor.play.dispatch({ action: "go", source: "agent" });
      await step(1);
      const spawned = (await editor.sceneState()).entities.slice(1);
      const [top, joint, skin] = spawned;
      assert.equal(spawned.length, 3);
      assert.equal(skin?.traits["Skin"]?.["joints"], `${joint?.guid} ${top?.guid}`);
    },
    {
      files: {
        "assets/body.prefab.json": {
          schema: 1,
          root: {
            guid: guid(1),
            name: "Top",
            layer: "3d",
            traits: { Transform: {} },
            children: [
              { guid: guid(2), name: "Joint", layer: "3d", traits: { Transform: {} } },
              {
                name: "Skin",
                layer: "3d",
                traits: { Transform: {}, Skin: { joints: `${guid(2)} ${guid(1)}` } },
              },
            ],
          },
        },
        "assets/body.prefab.json.meta.json": { guid: guid(90) },
      },
    },
  ));
