import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { EmbeddedPrefabs } from "../../lib/editor/editing/prefabs.ts";
import type { Prefabs } from "../../lib/editor/ports/mod.ts";
import { type EditedScene, withScene, type Written } from "./edited-scene.ts";
import { guid } from "./scenes.ts";

const COIN = "assets/coin.prefab.json";
const BY = { source: "agent" } as const;

/** A prefab of three levels; the leaf follows the root, and somebody that is not in it. */
const coin = {
  schema: 1,
  root: {
    guid: guid(501),
    name: "Coin",
    layer: "3d",
    traits: { Transform: { y: 1 } },
    children: [{
      name: "Body",
      layer: "3d",
      traits: { Transform: {} },
      children: [
        { name: "Leaf", layer: "3d", traits: { Follow: { target: guid(501) } } },
        { name: "Lost", layer: "3d", traits: { Follow: { target: guid(599) } } },
      ],
    }, { name: "Label", layer: "2d", traits: {} }],
  },
};

async function withPrefabs(
  written: readonly Written[],
  use: (scene: EditedScene & { readonly prefabs: Prefabs }) => Promise<void>,
  prefab: unknown = coin,
): Promise<void> {
  const files = { [COIN]: prefab, [`${COIN}.meta.json`]: { guid: guid(500) } };
  await withScene(written, async (scene) => {
    const prefabs = new EmbeddedPrefabs(scene.core, scene.editing);
    await use({ ...scene, prefabs });
  }, files);
}

test("instantiate() makes a tree with fresh guids, as one step of undo", async () => {
  await withPrefabs([{}], async ({ prefabs, core, editing }) => {
    const done = await prefabs.instantiate({
      prefab: COIN,
      parentId: 1,
      name: "First",
      transform: { x: 5 },
      ...BY,
    });
    assert.ok(done.ok, done.ok ? "" : done.error.detail);
    const [root, body, leaf, lost, label] = core.document.withDescendants(2);
    assert.deepEqual(
      [root, body, leaf, lost, label].map((one) => [one?.id, one?.name, one?.parentId, one?.layer]),
      [
        [2, "First", 1, "3d"],
        [3, "Body", 2, "3d"],
        [4, "Leaf", 3, "3d"],
        [5, "Lost", 3, "3d"],
        [6, "Label", 2, "2d"],
      ],
    );
    const { x, y, sx } = root?.traits["Transform"] ?? {};
    assert.deepEqual([x, y, sx], [5, 1, 1]);
    assert.deepEqual(root?.traits["PrefabInstance"], { prefab: guid(500) });
    assert.equal(leaf?.traits["Follow"]?.["target"], root?.guid);
    assert.notEqual(root?.guid, guid(501));
    assert.equal(lost?.traits["Follow"]?.["target"], "");
    assert.match(
      done.value.warnings.join(),
      /"Lost" Follow\.target named an entity that is not here/,
    );
    assert.deepEqual(editing.history().undo.map(({ label }) => label), ['Instantiate "coin"']);
    const again = await prefabs.instantiate({ prefab: guid(500), ...BY });
    assert.ok(again.ok && again.value.created.length === 5);
    await editing.undo(2, "agent");
    assert.equal(core.document.size, 1);
  });
});

for (
  const [what, prefab, name, status, code] of [
    ["a prefab that is not there", coin, "assets/none.prefab.json", 404, "no-such-asset"],
    ["what is no prefab", coin, "assets/scenes/main.scene.json", 422, "wrong-asset-type"],
    ["a prefab of another schema", { schema: 2 }, COIN, 422, "prefab-invalid"],
    ["a prefab that is no JSON", "{", COIN, 422, "prefab-invalid"],
    [
      "an unknown trait deep inside",
      {
        schema: 1,
        root: { ...coin.root, children: [{ name: "A", layer: "3d", traits: { Nope: {} } }] },
      },
      COIN,
      422,
      "prefab-invalid",
    ],
  ] as const
) {
  test(`instantiate() refuses ${what}`, async () => {
    await withPrefabs([{}], async ({ prefabs, core }) => {
      const done = await prefabs.instantiate({ prefab: name, ...BY });
      assert.ok(!done.ok);
      assert.deepEqual([done.error.status, done.error.code], [status, code]);
      assert.deepEqual([core.document.size, core.document.rev], [1, 0]);
    }, prefab);
  });
}

test("create() writes what instantiate() makes again", async () => {
  const scene: Written[] = [
    { traits: { Transform: { x: 3 } } },
    { parent: 1, traits: { Follow: { target: guid(1) } } },
    { parent: 2, traits: { Follow: { target: guid(4) } } },
    {},
  ];
  await withPrefabs(scene, async ({ prefabs, core, root, editing }) => {
    const path = "assets/prefabs/new.prefab.json";
    const done = await prefabs.create({ entity: { id: 1 }, path, ...BY });
    assert.ok(done.ok, done.ok ? "" : done.error.detail);
    assert.match(done.value.warnings.join(), /"Entity 3" Follow\.target names an entity outside/);
    assert.ok(core.scan.assets.some((asset) => asset.path === path && asset.type === "prefab"));
    const meta: unknown = JSON.parse(readFileSync(join(root, `${path}.meta.json`), "utf8"));
    assert.deepEqual(meta, { guid: done.value.guid });
    assert.deepEqual(core.document.get(1)?.traits["PrefabInstance"], { prefab: done.value.guid });
    assert.match(readFileSync(join(root, path), "utf8"), /"x": 3\n/, "defaults are left out");

    const copy = await prefabs.instantiate({ prefab: path, ...BY });
    assert.ok(copy.ok);
    const tree = (id: number) =>
      core.document.withDescendants(id).map(({ name, traits, layer }) => [
        name,
        layer,
        Object.keys(traits),
      ]);
    const [made] = copy.value.created;
    assert.deepEqual(tree(made?.id ?? 0), tree(1));
    const follower = core.document.withDescendants(made?.id ?? 0)[1];
    assert.equal(follower?.traits["Follow"]?.["target"], made?.guid);

    const taken = await prefabs.create({ entity: { id: 4 }, path, ...BY });
    assert.ok(!taken.ok && taken.error.code === "exists");
    assert.equal(editing.history().undo.length, 2);
  });
});

test("create() leaves no file behind when it is refused", async () => {
  await withPrefabs([{}], async ({ prefabs, core, root }) => {
    const path = "assets/x.prefab.json";
    core.playing = { rev: 0, entities: () => [] };
    const playing = await prefabs.create({ entity: { id: 1 }, path, ...BY });
    assert.ok(!playing.ok && playing.error.code === "playing");
    core.playing = null;
    const missing = await prefabs.create({ entity: { id: 9 }, path, ...BY });
    assert.ok(!missing.ok && missing.error.status === 404);
    const wrong = await prefabs.create({ entity: { id: 1 }, path: "../x.prefab.json", ...BY });
    assert.ok(!wrong.ok && wrong.error.code === "outside-project");
    assert.equal(existsSync(join(root, path)), false);
  });
});

test("detach() makes plain entities, and names the instance above where there is one", async () => {
  await withPrefabs([{}], async ({ prefabs, core }) => {
    await prefabs.instantiate({ prefab: COIN, ...BY });
    const part = await prefabs.detach({ entity: { id: 4 }, ...BY });
    assert.ok(!part.ok);
    assert.match(part.error.hint, /part of "Coin" \(id 2\)/);
    assert.ok((await prefabs.detach({ entity: { id: 2 }, ...BY })).ok);
    assert.equal(core.document.get(2)?.traits["PrefabInstance"], undefined);
    const twice = await prefabs.detach({ entity: { id: 2 }, ...BY });
    assert.ok(!twice.ok && twice.error.code === "no-instance");
  });
});
