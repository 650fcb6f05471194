export {
  readGuids,
  type Reference,
  type ReferenceFields,
  referenceFields,
  referencesOf,
  referencesTo,
} from "./references.ts";
export { asset, choiceField, color, integer, number, off, on } from "./field.ts";
export { ROTATION_FIELD } from "./motion.ts";
export { BUILT_IN_TRAITS, defaultFields, TraitRegistry } from "./registry.ts";
export { LIGHT_INTENSITY, MAX_MORPHS } from "./rendering.ts";
export { PREFAB_INSTANCE } from "./structure.ts";
export { acceptsValue, expectedOf, isOn, numberIn, textIn } from "./value.ts";
