import { add } from "../geometry/math.ts";
import { numberIn, textIn } from "../traits/value.ts";
import { type GameContext, STEP, type System } from "./system.ts";

/** Brings prefabs into the world from time to time (`Spawner`). */
export class Spawners implements System {
  readonly #due = new Map<number, number>();
  readonly #alive = new Map<number, readonly number[]>();

  step(game: GameContext): void {
    for (const entity of [...game.world.withTrait("Spawner")]) {
      const fields = entity.traits["Spawner"];
      const wait = Math.max(1, Math.round(numberIn(fields, "interval", 5) / STEP));
      const due = this.#due.get(entity.id) ?? game.age - 1 + wait;
      this.#due.set(entity.id, due);
      if (game.age < due) continue;
      this.#due.set(entity.id, game.age + wait);
      const known = this.#alive.get(entity.id) ?? [];
      const alive = known.filter((id) => game.world.get(id) !== undefined);
      this.#alive.set(entity.id, alive);
      if (alive.length >= numberIn(fields, "limit", 5)) continue;
      const prefab = textIn(fields, "prefab");
      const made = game.spawn(prefab, this.#spot(game, entity.id, numberIn(fields, "radius")));
      if (made !== null) this.#alive.set(entity.id, [...alive, made.id]);
      else if (!game.assets.prefabs.has(prefab)) {
        game.warn(`Spawner "${entity.name}" (id ${entity.id}) has no prefab`);
      }
    }
  }

  /** A spot on a square around the spawner: engines may round sines differently. */
  #spot(
    { world, chance }: GameContext,
    id: number,
    radius: number,
  ): readonly [number, number, number] {
    const entity = world.get(id);
    const middle = entity === undefined ? [0, 0, 0] as const : world.placeOf(entity).affine.offset;
    if (radius === 0) return middle;
    return add(middle, [(chance.next() * 2 - 1) * radius, 0, (chance.next() * 2 - 1) * radius]);
  }
}
