export { actionsIn, keyGives, listeners, STICK_WAYS } from "./actions.ts";
export { clipsOf } from "./animation.ts";
export type { Gives } from "./controls.ts";
export type { GameContent } from "./game-content.ts";
export type { GameHost } from "./game-host.ts";
export type { Game } from "./game.ts";
export { type LiveEntity, LiveWorld } from "./live-world.ts";
export { posedAt } from "./posing.ts";
export {
  MAX_SAVED_NAME,
  MAX_SAVED_VALUES,
  openSavedValues,
  type SavedValues,
} from "./saved-values.ts";
export { strengthOf } from "./sticks.ts";
export { STEP } from "./system.ts";
export type { TimelineHead } from "./timelines.ts";
