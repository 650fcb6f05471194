/** Parts for drawing icons. */
export { DOT_LETTERS } from "./dot-letters.ts";
export { encodePng } from "./encode-png.ts";
export type { Rgb } from "./pixels.ts";
export { scaled } from "./scale.ts";
