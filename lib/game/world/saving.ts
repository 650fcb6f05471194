import { numberIn, textIn } from "../traits/value.ts";
import type { Actions } from "./actions.ts";
import { Sources } from "./bindings.ts";
import { MAX_SAVED_NAME, MAX_SAVED_VALUES } from "./saved-values.ts";
import type { GameContext, System } from "./system.ts";

/** Keeps numbers of the game (`SavedValue`): `value` is what is kept under the name now. */
export class Saving implements System {
  readonly #actions: Pick<Actions, "isNow">;
  readonly #sources = new Sources();

  constructor(actions: Pick<Actions, "isNow">) {
    this.#actions = actions;
  }

  step(game: GameContext): void {
    for (const entity of game.world.having("SavedValue")) {
      const fields = entity.traits["SavedValue"];
      const name = textIn(fields, "name");
      const known = game.saved.get(name);
      const [on, keep] = [textIn(fields, "on"), textIn(fields, "keep")];
      const isDue = on === "" || this.#actions.isNow(on);
      const now = isDue ? this.#sources.valueOf(game, textIn(fields, "source")) : null;
      const kept = typeof now === "number"
        ? together(known ?? numberIn(fields, "value"), now, keep)
        : known;
      if (kept === undefined || !Number.isFinite(kept)) continue;
      game.world.set(entity, ["SavedValue", "value"], kept);
      if (kept === known) continue;
      const fits = name.length <= MAX_SAVED_NAME &&
        (known !== undefined || game.saved.size < MAX_SAVED_VALUES);
      if (name !== "" && fits) game.saved.set(name, kept);
      else {game.warn(`SavedValue of "${entity.name}" (id ${entity.id}) is not kept: ${
          name === ""
            ? "it has no name"
            : `more than ${MAX_SAVED_VALUES} values, or a name of over ${MAX_SAVED_NAME} characters`
        }`);}
    }
  }
}

function together(known: number, now: number, keep: string): number {
  switch (keep) {
    case "highest":
      return Math.max(known, now);
    case "lowest":
      return Math.min(known, now);
    case "sum":
      return known + now;
    default:
      return now;
  }
}
