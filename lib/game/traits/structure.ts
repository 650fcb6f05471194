import type { TraitSchema } from "../types/mod.ts";
import { asset, component } from "./field.ts";

/** The trait that marks the root of what was made of a prefab. */
export const PREFAB_INSTANCE = "PrefabInstance";

/** Traits that say where entities come from. */
export const STRUCTURE_TRAITS: readonly TraitSchema[] = [
  component(PREFAB_INSTANCE, "Was made of a prefab, with all that is below it.", {
    prefab: asset(["prefab"], "The prefab."),
  }),
];
