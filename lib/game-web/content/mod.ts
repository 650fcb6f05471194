export { AS_THEY_ARE, decodeImage, MAX_PIXELS } from "./decode-image.ts";
export { openContent, type OpenedGame } from "./open-content.ts";
export type { GameScreen, Moment, SeenGame, SeenMoment, View } from "./view.ts";
export type { WebContent } from "./web-content.ts";
