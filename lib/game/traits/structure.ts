import type { TraitSchema } from "../types/mod.ts";
import { asset, component } from "./field.ts";

/** The trait that marks the root of a prefab instance. */
export const PREFAB_INSTANCE = "PrefabInstance";

/** Traits that record the origin of entities. */
export const STRUCTURE_TRAITS: readonly TraitSchema[] = [
  component(PREFAB_INSTANCE, "Instance of a prefab, with its descendants.", {
    prefab: asset(["prefab"], "The prefab."),
  }),
];
