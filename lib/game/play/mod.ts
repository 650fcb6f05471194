export { HitTest } from "./hits.ts";
export { RunningGame } from "./running-game.ts";
