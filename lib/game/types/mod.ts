/** What the parts of a game speak of: types, and nothing that runs. */
export type * from "./assets.ts";
export type * from "./input.ts";
export type * from "./render.ts";
export type * from "./scene.ts";
