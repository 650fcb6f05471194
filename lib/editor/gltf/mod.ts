/** What of a model's file a game carries. */
export { MODEL_LIMITS } from "./limits.ts";
export { meshesAlone } from "./meshes-alone.ts";
