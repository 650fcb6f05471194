import { encodeUtf8 } from "../../core/bytes.ts";
import { DOT_LETTERS } from "./dot-letters.ts";
import { filled, type Rgb, type Square } from "./pixels.ts";

// The icon of a game without its own: the first letter of its name, in white dots on a colour
// derived from the name. The letter is inside the area that every launcher shows.

/** Replaces letters without dots: a triangle that points to the right. */
const PLAY = "gosusog";
/** Dots across and down. */
const [ACROSS, DOWN] = [5, 7];
/** The side of a dot, in 512ths of the icon. */
const DOT = 44;

/** The icon as pixels. */
export function letterSquare(name: string, side: number): Square {
  const square = filled(side, groundOf(name));
  for (const { x, y, size } of dotsOf(name, side)) {
    for (let row = y; row < y + size; row++) {
      square.rgba.fill(255, (row * side + x) * 4, (row * side + x + size) * 4);
    }
  }
  return square;
}

/** The icon as an SVG document. */
export function letterSvg(name: string): string {
  const dots = [...dotsOf(name, 512)].map(({ x, y, size }) =>
    `M${x} ${y}h${size}v${size}h-${size}z`
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512">
<path fill="rgb(${groundOf(name).join(" ")})" d="M0 0h512v512H0z"/>
<path fill="#fff" d="${dots.join("")}"/>
</svg>
`;
}

/** Yields the places of the dots, in whole pixels. */
function* dotsOf(name: string, side: number) {
  const size = Math.floor(side * DOT / 512);
  const [left, top] = [(side - ACROSS * size) >> 1, (side - DOWN * size) >> 1];
  for (const [row, digit] of [...rowsOf(name)].entries()) {
    for (let column = 0; column < ACROSS; column++) {
      const isDot = (Number.parseInt(digit, 32) << column & 16) !== 0;
      if (isDot) yield { x: left + column * size, y: top + row * size, size };
    }
  }
}

/** Returns seven rows, in the form of {@linkcode DOT_LETTERS}. Drops an accent. */
function rowsOf(name: string): string {
  const [letter = ""] = name.trim().normalize("NFD").toUpperCase();
  return Object.hasOwn(DOT_LETTERS, letter) ? DOT_LETTERS[letter] ?? PLAY : PLAY;
}

/** A dark colour: any hue, half saturated. */
function groundOf(name: string): Rgb {
  const hue = encodeUtf8(name).reduce((sum, byte) => (sum * 31 + byte) % 360, 0);
  const channel = (turn: number) => {
    const away = Math.abs((hue + turn) % 360 - 180); // 180 at the channel's own hue
    return 40 + Math.min(98, Math.max(0, Math.round((away - 60) * 98 / 60)));
  };
  return [channel(0), channel(240), channel(120)];
}
