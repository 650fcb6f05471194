import { test } from "node:test";
import assert from "node:assert/strict";
import type { JsonValue } from "../../lib/core/json.ts";
import type { Entity, Vec3 } from "../../lib/game/types/mod.ts";
import { noBodies } from "../../lib/game/world/bodies.ts";
import { BindingSource } from "../../lib/game/world/bindings.ts";
import { type LiveEntity, LiveWorld } from "../../lib/game/world/live-world.ts";
import { PerEntity } from "../../lib/game/world/per-entity.ts";
import type { GameContext } from "../../lib/game/world/system.ts";
import { type Random, seededRandom } from "../support/random.ts";

// What the playing world and its systems remember from step to step is what they would find anew, after
// any changes.

const TRAITS = ["Health", "Enemy", "Patrol"] as const;
const NAMES = ["A", "B", "Health", "Enemy"] as const;
const SEEDS = [1, 2, 3, 4];
const ROUNDS = 120;

function seedOf(random: Random, n: number, parentId: number | null): Omit<Entity, "id"> {
  const about = (size: number) => (random.next() - 0.5) * size;
  const traits: Record<string, Record<string, JsonValue>> = {};
  for (const trait of TRAITS) if (random.below(3) === 0) traits[trait] = { hp: n, wait: true };
  if (random.below(6) > 0) {
    traits["Transform"] = { x: about(9), y: about(9), z: about(9), ry: about(700), sx: 2 };
  }
  const name = NAMES[random.below(NAMES.length)] ?? "A";
  return { guid: `guid ${n}`, name, parentId, layer: random.below(5) > 0 ? "3d" : "2d", traits };
}

/** A world that has changed at random, looked at after each change. */
function changed(seed: number, look: (world: LiveWorld, random: Random) => void): void {
  const random = seededRandom(seed);
  const parentOf = (ids: readonly number[]) =>
    random.below(2) === 0 ? null : ids[random.below(ids.length)] ?? null;
  const first: Entity[] = [];
  for (let id = 1; id <= 30; id++) {
    first.push({ id, ...seedOf(random, id, parentOf(first.map((one) => one.id))) });
  }
  const world = new LiveWorld(first, 0);
  for (let round = 0; round < ROUNDS; round++) {
    look(world, random);
    const ids = world.entities().map(({ id }) => id);
    const entity = world.get(ids[random.below(ids.length)] ?? 0);
    const to = (): Vec3 => [random.next(), random.next(), 400 * random.next()];
    switch (random.below(6)) {
      case 0:
        world.add(seedOf(random, 1000 + round, parentOf(ids)));
        break;
      case 1:
        if (entity !== undefined && ids.length > 5) world.remove(entity.id);
        break;
      case 2:
        if (entity !== undefined) world.moveTo(entity, to());
        break;
      case 3:
        if (entity !== undefined) world.moveBy(entity, to());
        break;
      case 4:
        if (entity !== undefined) world.turnTo(entity, to());
        break;
      default:
        if (entity !== undefined) world.set(entity, ["Health", "hp"], random.below(5));
    }
  }
}

/** The same entities in a world that remembers nothing. */
function anew(world: LiveWorld): LiveWorld {
  return new LiveWorld(world.entities(), 0);
}

for (const seed of SEEDS) {
  test(`LiveWorld.withTrait() and named() find what is there, seed ${seed}`, () => {
    const idsOf = (entities: readonly LiveEntity[]) => entities.map(({ id }) => id);
    const seen: { readonly list: readonly LiveEntity[]; readonly copy: readonly LiveEntity[] }[] =
      [];
    changed(seed, (world, random) => {
      const fresh = anew(world);
      for (const { list, copy } of seen) assert.deepEqual(idsOf(list), idsOf(copy));
      if (random.below(3) > 0) return; // several come and go between two looks
      for (const trait of [...TRAITS, "Transform", "Nothing"]) {
        assert.deepEqual(idsOf(world.withTrait(trait)), idsOf(fresh.withTrait(trait)), trait);
        assert.equal(world.withTrait(trait), world.withTrait(trait));
        seen.push({ list: world.withTrait(trait), copy: [...world.withTrait(trait)] });
      }
      for (const name of NAMES) assert.equal(world.named(name)?.id, fresh.named(name)?.id);
    });
  });

  test(`LiveWorld.positionOf() and placeOf() are those of a fresh world, seed ${seed}`, () => {
    changed(seed, (world, random) => {
      const fresh = anew(world);
      for (const { id } of world.entities()) {
        const entity = world.get(id) ?? missing();
        const place = fresh.placeOf(fresh.get(id) ?? missing());
        assert.deepEqual(world.positionOf(entity), place.affine.offset);
        if (random.below(2) === 0) assert.deepEqual(world.placeOf(entity), place);
      }
    });
  });

  test(`LiveWorld.drainMoved() tells of what is watched and was moved, seed ${seed}`, () => {
    let before = new Map<number, string>();
    const watched = new Set<number>();
    let reported = 0;
    changed(seed, (world, random) => {
      const transforms = new Map(
        world.entities().map(({ id, traits }) => [id, JSON.stringify(traits["Transform"])]),
      );
      const moved = [...watched].filter((id) =>
        transforms.has(id) && transforms.get(id) !== before.get(id)
      );
      const taken = world.drainMoved().map(({ id }) => id).filter((id) => transforms.has(id));
      assert.deepEqual(taken, moved);
      reported += taken.length;
      for (const { id } of world.entities()) {
        if (random.below(2) > 0) continue;
        watched.add(id);
        world.watch(world.get(id) ?? missing());
      }
      before = transforms;
    });
    assert.ok(reported > 10, `${reported} were told of`);
  });

  test(`LiveWorld.changedSince() tells of what has changed and of what that carries, seed ${seed}`, () => {
    let before = new Map<number, string>();
    const history: { readonly rev: number; readonly changed: Set<number> }[] = [];
    let least = 1;
    changed(seed, (world, random) => {
      const entities = world.entities();
      const now = new Map(entities.map((entity) => [entity.id, JSON.stringify(entity)]));
      const others = entities.filter(({ id }) => now.get(id) !== before.get(id));
      for (const { changed } of history) for (const { id } of others) changed.add(id);
      for (const { rev, changed } of history) {
        const reported = new Set<number>();
        for (const { id, layer, parentId } of entities) {
          const carrier = entities.find((one) => one.id === parentId && one.layer === layer);
          if (changed.has(id) || reported.has(carrier?.id ?? -1)) reported.add(id);
        }
        least = Math.min(least, reported.size / entities.length);
        const found = world.changedSince(rev).map(({ id }) => id);
        assert.deepEqual(
          found.toSorted(byNumber),
          [...reported].toSorted(byNumber),
          `since ${rev}`,
        );
        const places = new Map(found.map((id, place) => [id, place]));
        for (const id of found) {
          const carrier = world.carrierOf(world.get(id) ?? missing());
          assert.ok((places.get(carrier?.id ?? -1) ?? -1) < (places.get(id) ?? -1), `${id}`);
        }
      }
      history.push({ rev: world.rev, changed: new Set() });
      before = now;
      switch (random.below(4)) { // beside the change of the round
        case 0:
          for (let n = 0; n < 12; n++) world.add(seedOf(random, random.below(1e9), 1));
          break;
        case 1:
          for (const { id } of entities.slice(20)) if (random.below(2) === 0) world.remove(id);
          break;
        case 2: {
          const other = entities.map((entity) =>
            random.below(9) > 0
              ? entity
              : { ...entity, traits: { Transform: { x: random.next() } } }
          );
          world.edit(
            other,
            new Set(other.filter((one, n) => one !== entities[n]).map((o) => o.id)),
          );
        }
      }
    });
    assert.ok(least < 0.2, `at least ${least} of all were told of`);
  });

  test(`PerEntity.of() keeps one object for each entity while it is there, seed ${seed}`, () => {
    const begun: number[] = [];
    const kept = new PerEntity("Health", (entity, fields) => {
      begun.push(entity.id);
      return { entity, fields };
    });
    const known = new Map<number, unknown>();
    changed(seed, (world) => {
      const list = kept.of(world);
      assert.equal(kept.of(world), list);
      assert.deepEqual(list.map(({ entity }) => entity), world.withTrait("Health"));
      for (const one of list) {
        assert.equal(one.fields, one.entity.traits["Health"]);
        if (known.has(one.entity.id)) assert.equal(known.get(one.entity.id), one);
        known.set(one.entity.id, one);
      }
    });
    assert.equal(new Set(begun).size, begun.length);
  });

  test(`Source.valueOf() is what a fresh one finds, seed ${seed}`, () => {
    const texts = [
      ...["Health.hp", "Enemy.Health.hp", "A.Health.hp", "B.Transform.x", "A.speed", "Health.wait"],
      ...["Game.score", "score", "Nobody.Health.hp", "Health.toString", "Health.constructor.name"],
    ];
    const sources = texts.map((text) => new BindingSource(text));
    const found = new Set<JsonValue>();
    changed(seed, (world) => {
      const values = new Map([["score", 7]]);
      const game: Pick<GameContext, "world" | "values" | "physics"> = {
        world,
        values,
        physics: noBodies(),
      };
      for (const [n, text] of texts.entries()) {
        const value = new BindingSource(text).valueOf(game);
        assert.deepEqual(sources[n]?.valueOf(game), value, text);
        found.add(value);
      }
    });
    assert.ok(found.size > 5, `${found.size} values`);
  });
}

function byNumber(a: number, b: number): number {
  return a - b;
}

function missing(): never {
  throw new Error("An entity is missing");
}
