import { numberOr, textOr } from "../traits/value.ts";
import type { Actions } from "./actions.ts";
import { BindingSource } from "./bindings.ts";
import { PerEntity } from "./per-entity.ts";
import { MAX_SAVED_NAME, MAX_SAVED_VALUES } from "./saved-values.ts";
import type { GameContext, System } from "./system.ts";

/** Saves numbers of the game (`SavedValue`): `value` is what is currently saved under the name. */
export class Saving implements System {
  readonly #actions: Pick<Actions, "isNow">;
  readonly #values = new PerEntity("SavedValue", (entity, fields) => {
    return { entity, fields, source: new BindingSource(textOr(fields["source"])) };
  });

  constructor(actions: Pick<Actions, "isNow">) {
    this.#actions = actions;
  }

  step(game: GameContext): void {
    for (const one of this.#values.of(game.world)) {
      const { entity, fields } = one;
      const name = textOr(fields["name"]);
      const known = game.saved.get(name);
      const on = textOr(fields["on"]);
      const isDue = on === "" || this.#actions.isNow(on);
      const source = textOr(fields["source"]);
      if (one.source.text !== source) one.source = new BindingSource(source);
      const now = isDue ? one.source.valueOf(game) : null;
      const kept = typeof now === "number"
        ? together(known ?? numberOr(fields["value"], 0), now, textOr(fields["keep"]))
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
