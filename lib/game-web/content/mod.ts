export { openContent, type OpenedGame } from "./open-content.ts";
export { type HeldImage, RAW_PIXELS } from "./picture-memory.ts";
export type { GameScreen, GameView, Moment, SeenGame, SeenMoment } from "./view.ts";
export type { WebContent } from "./web-content.ts";
