/** Types shared by the parts of a game, without code. */
export type * from "./assets.ts";
export type * from "./input.ts";
export type * from "./render.ts";
export type * from "./scene.ts";
