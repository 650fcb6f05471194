/** The beginning of a picture of 4 by 2 pixels: all that is read of one. */
export const PNG: Uint8Array<ArrayBuffer> = Uint8Array.from(
  atob("iVBORw0KGgoAAAANSUhEUgAAAAQAAAACCAYAAAA="),
  (character) => character.charCodeAt(0),
);
