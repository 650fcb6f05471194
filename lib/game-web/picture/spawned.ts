import type { TraitFields } from "../../game/types/mod.ts";
import type { SeenMoment } from "../content/mod.ts";

type Traits = Readonly<Record<string, TraitFields>>;

/**
 * The traits of everything that a game may put into its world later: of the prefabs that its entities
 * name, and those that these name. What they look like is loaded before it is seen.
 */
export function spawnedTraits({ world, assets }: SeenMoment["game"]): readonly Traits[] {
  if (assets === undefined) return [];
  const { prefabs } = assets;
  const found: Traits[] = [];
  const known = new Set<string>();
  const named: string[] = [];
  const note = (traits: Traits) => {
    for (const fields of Object.values(traits)) {
      for (const value of Object.values(fields)) {
        if (typeof value !== "string" || known.has(value) || !prefabs.has(value)) continue;
        known.add(value);
        named.push(value);
      }
    }
  };
  for (const { traits } of world.entities()) note(traits);
  for (let guid = named.pop(); guid !== undefined; guid = named.pop()) {
    const root = prefabs.get(guid);
    const open = root === undefined ? [] : [root];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      found.push(node.traits);
      note(node.traits);
      open.push(...node.children);
    }
  }
  return found;
}
