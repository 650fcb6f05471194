import assert from "node:assert/strict";
import { test } from "node:test";
import type { EditOp } from "../../lib/editor/ports/mod.ts";
import { type Playing, withScene } from "./playing.ts";
import { guid } from "./scenes.ts";

// A scene, a prefab and a playing world hold so many entities and not one more.

const MOST = 6;
const PREFAB = "assets/pair.prefab.json";

const node = (name: string, children: readonly object[] = []) => ({
  name,
  layer: "3d",
  traits: { Transform: {} },
  children,
});

const FILES = {
  [PREFAB]: { schema: 1, root: node("Pair", [node("Part")]) },
  [`${PREFAB}.meta.json`]: { guid: guid(900) },
  "assets/many.prefab.json": {
    schema: 1,
    root: node("Many", Array.from({ length: MOST }, () => node("Part"))),
  },
};

/** Five entities: a root, three below it, and one that spawns a pair in every step. */
const SCENE = [
  { traits: { Transform: {} } },
  ...Array.from({ length: 3 }, () => ({ parentId: 1 })),
  { traits: { Transform: {}, Spawner: { prefab: guid(900), interval: 0.05, limit: 100 } } },
];

const within = (entities: number, use: (playing: Playing) => Promise<void>) =>
  withScene(SCENE.slice(0, entities), use, { files: FILES, maxEntities: MOST });

const create: EditOp = { op: "create", name: "New" };

const EDITS: readonly (readonly [string, { there: number; ops: EditOp[]; fits: boolean }])[] = [
  ["the last one", { there: 5, ops: [create], fits: true }],
  ["one more than fits", { there: 5, ops: [create, create, create], fits: false }],
  ["a copy that just fits", { there: 4, ops: [{ op: "duplicate", id: 2 }, create], fits: true }],
  ["a copy of a tree that does not fit", {
    there: 4,
    ops: [{ op: "duplicate", id: 1 }],
    fits: false,
  }],
  ["what fits once others are gone", {
    there: 5,
    ops: [{ op: "delete", id: 1 }, create, create, create, create, create],
    fits: true,
  }],
];

for (const [what, { there, ops, fits }] of EDITS) {
  test(`edit() ${fits ? "takes" : "refuses whole"} ${what}`, () =>
    within(there, async ({ editor }) => {
      const { document, editing } = editor;
      const { rev } = document;
      const done = await editing.edit({ ops, source: "agent" });
      assert.ok(done.ok);
      assert.equal(done.value.ok, fits, JSON.stringify(done.value));
      if (done.value.ok) return assert.ok(document.size <= MOST);
      const [first, ...others] = done.value.error.errors;
      assert.equal(first?.code, "too-many-entities");
      assert.match(first?.message ?? "", /a scene holds at most 6$/);
      assert.ok(others.every(({ code }) => code === "create-refused"));
      assert.deepEqual([document.size, document.rev], [there, rev]);
    }));
}

test("instantiate() takes a prefab that just fits, and refuses it whole when it does not", () =>
  within(4, async ({ editor }) => {
    const place = () => editor.prefabs.instantiate({ prefab: PREFAB, source: "agent" });
    assert.ok((await place()).ok);
    const refused = await place();
    assert.equal(!refused.ok && refused.error.code, "too-many-entities");
    assert.match(refused.ok ? "" : refused.error.hint, /new_scene/);
    assert.equal(editor.document.size, MOST);
    const many = await editor.prefabs.instantiate({
      prefab: "assets/many.prefab.json",
      source: "agent",
    });
    assert.equal(!many.ok && many.error.code, "prefab-invalid");
    assert.match(many.ok ? "" : many.error.detail, /found more than 6 entities/);
  }));

test("a scene file with one entity too many is refused, and the open scene stays", () =>
  withScene(SCENE.slice(0, 2), async ({ editor }) => {
    const opened = await editor.editing.openScene("assets/scenes/big.scene.json", {
      source: "agent",
    });
    assert.equal(!opened.ok && opened.error.code, "scene-too-large");
    assert.match(opened.ok ? "" : opened.error.detail, /found 7 entities, expected at most 6/);
    assert.equal(editor.document.size, 2);
  }, {
    maxEntities: MOST,
    files: {
      "assets/scenes/big.scene.json": {
        schema: 1,
        name: "Big",
        entities: Array.from({ length: 7 }, (_, n) => ({
          guid: guid(n + 1),
          name: `Entity ${n + 1}`,
          layer: "3d",
          traits: {},
        })),
      },
    },
  }));

test("a game spawns no prefab that does not fit as a whole, and says so once", () =>
  withScene(SCENE.slice(4), async ({ editor, step }) => {
    await step(30);
    const { entities } = await editor.sceneState();
    assert.equal(entities.length, 5); // the spawner and two pairs of a world of six
    const reported = (await editor.consoleEntries()).filter(({ text }) =>
      /Cannot spawn/.test(text)
    );
    assert.deepEqual(reported.map(({ text }) => text), [
      "Cannot spawn a prefab: the world holds at most 6 entities",
    ]);
  }, { files: FILES, maxEntities: MOST }));
