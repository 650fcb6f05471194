export { openContent, type OpenedGame } from "./open-content.ts";
export { AS_THEY_ARE, type HeldImage } from "./picture-memory.ts";
export type { GameScreen, GameView, Moment, SeenGame, SeenMoment } from "./view.ts";
export type { WebContent } from "./web-content.ts";
