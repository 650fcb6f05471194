import { own } from "../../core/json.ts";
import type { Entity } from "../ports/mod.ts";
import { textIn } from "../../game/traits/mod.ts";

/** The numbers that the rules of a game keep (`lib/game/world/rules.ts`). */
const GAME_VALUES: readonly string[] = [
  "score",
  "coins",
  "gems",
  "fuels",
  "keys",
  "laps",
  "time",
  "hp",
  "bonus",
];

/**
 * Returns the entities whose `Binding.source` matches nothing in the scene, each with that source.
 * Parsed as in the game: `<Trait>.<field>`, `<Entity>.<Trait>.<field>`, `<Entity>.speed`, or a
 * number of the game.
 */
export function unboundSources(
  entities: readonly Entity[],
): readonly { readonly id: number; readonly source: string }[] {
  const bound = entities.filter(({ traits }) => traits["Binding"] !== undefined);
  if (bound.length === 0) return [];
  const fields = new Set<string>();
  const named = new Map<string, Entity>();
  for (const entity of entities) {
    if (!named.has(entity.name)) named.set(entity.name, entity);
    for (const [trait, values] of Object.entries(entity.traits)) {
      for (const field of Object.keys(values)) fields.add(`${trait}.${field}`);
    }
  }
  return bound
    .map(({ id, traits }) => ({ id, source: textIn(traits["Binding"], "source") }))
    .filter(({ source }) => {
      if (source === "") return false; // no source chosen yet
      const [first = "", second = "", third] = source.split(".");
      const entity = named.get(first);
      if (third === undefined && fields.has(source)) return false;
      if (entity !== undefined && third !== undefined) {
        return own(own(entity.traits, second), third) === undefined;
      }
      if (entity !== undefined && second === "speed") return false;
      return !GAME_VALUES.includes(second === "" ? first : second);
    });
}
