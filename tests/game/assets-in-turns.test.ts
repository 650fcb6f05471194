import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeUtf8 } from "../../lib/core/bytes.ts";
import { eventLoopTurn } from "../../lib/core/cooperative.ts";
import { ok } from "../../lib/core/result.ts";
import type { Asset } from "../../lib/game/types/mod.ts";
import { TraitRegistry } from "../../lib/game/traits/registry.ts";
import { loadGameAssets } from "../../lib/game/world/game-assets.ts";

test("prefabs that are read at the same time are parsed one in a turn (BUILD-11)", async (t) => {
  const text = JSON.stringify({ schema: 1, root: { name: "P", layer: "3d", traits: {} } });
  const assets = Array.from({ length: 16 }, (_, n): Asset => ({
    guid: `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`,
    path: `assets/${n}.prefab.json`,
    name: `${n}`,
    type: "prefab",
    size: text.length,
  }));
  let clock = 0;
  let turn = 0;
  const parsedIn: number[] = [];
  const { parse } = JSON;
  t.mock.method(JSON, "parse", (json: string) => {
    clock += 30; // as a large file takes
    parsedIn.push(turn);
    return parse(json);
  });
  let isDone = false;
  const loading = loadGameAssets({
    traits: new TraitRegistry(),
    maxEntities: 100,
    assets,
    details: new Map(),
    readAsset: () => Promise.resolve(encodeUtf8(text)),
    soundLength: () => Promise.resolve(null),
    readScene: () => Promise.resolve(ok({ name: "", entities: [] })),
  }, () => clock).finally(() => isDone = true);
  const counting = (async () => {
    while (!isDone) {
      await eventLoopTurn();
      turn++;
    }
  })();
  const loaded = await loading;
  await counting;
  assert.equal(loaded.prefabs.size, assets.length);
  assert.equal(new Set(parsedIn).size, assets.length, parsedIn.join(" "));
});
