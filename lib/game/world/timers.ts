import { numberIn, textIn } from "../traits/value.ts";
import { type GameContext, STEPS_PER_SECOND, type System } from "./system.ts";

/** Dispatches actions after a time (`Timer`), counted from its start. */
export class Timers implements System {
  readonly #counted = new Map<number, number>();

  step(game: GameContext): void {
    for (const entity of game.world.withTrait("Timer")) {
      const fields = entity.traits["Timer"];
      if (fields?.["running"] === false) {
        this.#counted.delete(entity.id);
        continue;
      }
      const counted = (this.#counted.get(entity.id) ?? 0) + 1;
      const isDue = counted >= Math.round(numberIn(fields, "seconds", 1) * STEPS_PER_SECOND);
      this.#counted.set(entity.id, isDue ? 0 : counted);
      if (!isDue) continue;
      game.dispatch(textIn(fields, "action"));
      if (fields?.["repeat"] !== true) game.world.set(entity, ["Timer", "running"], false);
    }
  }
}
