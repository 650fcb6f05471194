export { actionsIn, listeners } from "./actions.ts";
export { clipsOf } from "./animation.ts";
export type { GameContent } from "./game-content.ts";
export type { Game } from "./game.ts";
export { openSavedValues } from "./saved-values.ts";
export { STEP } from "./system.ts";
export type { TimelineHead } from "./timelines.ts";
