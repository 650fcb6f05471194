export { openContent, type OpenedGame } from "./open-content.ts";
export type { GameScreen, Moment, SeenMoment, View } from "./view.ts";
export type { WebContent } from "./web-content.ts";
