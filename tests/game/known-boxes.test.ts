import { test } from "node:test";
import assert from "node:assert/strict";
import { loadGameAssets } from "../../lib/game/world/game-assets.ts";
import { KnownBoxes } from "../../lib/game/world/known-boxes.ts";
import { LiveWorld } from "../../lib/game/world/live-world.ts";
import type { Entity } from "../../lib/game/types/mod.ts";
import { seededRandom } from "../support/random.ts";
import { generatedGame } from "./generated-game.ts";
import { openGame } from "./game-files.ts";

const COUNT = 300;

test("KnownBoxes.isNear() tells what the boxes tell, however things are turned, scaled and carried", async () => {
  const random = seededRandom(7);
  const about = (size: number) => (random.next() - 0.5) * 2 * size;
  const entities = Array.from({ length: COUNT }, (_none, n): Entity => ({
    id: n + 1,
    guid: `guid ${n + 1}`,
    name: `Thing ${n + 1}`,
    parentId: n > 0 && n % 3 === 0 ? 1 + random.below(n) : null,
    layer: "3d",
    traits: {
      Transform: {
        x: about(2),
        y: about(2),
        z: about(2),
        rx: about(180),
        ry: about(180),
        rz: about(180),
        sx: about(2),
        sy: about(2),
        sz: about(2),
      },
      ...(n % 2 === 0 && {
        Collider: { width: 3 * random.next(), height: 3 * random.next(), depth: 3 * random.next() },
      }),
      ...(n % 5 === 0 && { Renderable3D: { mesh: "box" } }),
    },
  }));
  const world = new LiveWorld(entities, 0);
  const assets = await loadGameAssets(await openGame(generatedGame(1)), () => performance.now());
  const game = { world, assets };
  const boxes = new KnownBoxes();
  const anew = (id: number) => new KnownBoxes().of(game, world.get(id) ?? fail());
  let [met, missed] = [0, 0];
  for (let round = 0; round < 4; round++) {
    for (const { id } of entities) {
      const other = anew(1 + random.below(COUNT));
      const reach = random.next();
      const own = anew(id);
      const meets = [0, 1, 2].every((axis) =>
        (own.min[axis] ?? 0) <= (other.max[axis] ?? 0) + reach &&
        (own.max[axis] ?? 0) >= (other.min[axis] ?? 0) - reach
      );
      assert.equal(boxes.isNear(game, world.get(id) ?? fail(), other, reach), meets, `${id}`);
      if (meets) met++;
      else missed++;
    }
    for (const { id } of entities) { // turned only, moved, or grown: each a third
      const entity = world.get(id) ?? fail();
      if (id % 3 === 0) world.turnTo(entity, [about(180), about(180), about(180)]);
      else if (id % 3 === 1) world.moveTo(entity, [about(2), about(2), about(2)]);
      else world.set(entity, id % 2 === 0 ? ["Transform", "sx"] : ["Collider", "width"], about(3));
    }
  }
  assert.ok(met > 100 && missed > 100, `${met} met, ${missed} did not`);
});

function fail(): never {
  throw new Error("An entity is missing");
}
