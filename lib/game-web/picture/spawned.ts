import type { TraitFields } from "../../game/types/mod.ts";
import type { SeenMoment } from "../content/mod.ts";

type Traits = Readonly<Record<string, TraitFields>>;

/**
 * Returns the traits of everything that a game may spawn: of the prefabs that its entities
 * reference, and of those that these reference. Their looks are loaded before they become visible.
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
