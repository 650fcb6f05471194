/** Reduction of a model's file to the parts that a game ships. */
export { MODEL_LIMITS } from "./limits.ts";
export { meshesAlone } from "./meshes-alone.ts";
