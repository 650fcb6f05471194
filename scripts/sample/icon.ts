import { encodePng, type Rgb, scaled } from "../../lib/project/icons/mod.ts";

// The icon of Harbor Run: its red boat before the sun. Drawn twice as large, and made smaller with
// smooth edges. Integers only, as the textures are.

const SIDE = 512;
const DRAWN = SIDE * 2;

const SKY: Rgb = [0x2f, 0x86, 0xa3];
const SUN: Rgb = [0xff, 0xe0, 0x8a];
const SAIL: Rgb = [0xf1, 0xe8, 0xda];
const JIB: Rgb = [0xd9, 0xc4, 0x8f];
const MAST: Rgb = [0x5a, 0x40, 0x28];
const HULL: Rgb = [0xc9, 0x35, 0x3c];
const WATER: Rgb = [0x1b, 0x5e, 0x82];
const CREST: Rgb = [0x5f, 0xb3, 0xc4];

/** The file. */
export function sampleIcon(): Uint8Array {
  const rgba = new Uint8Array(DRAWN * DRAWN * 4);
  for (let y = 0; y < DRAWN; y++) {
    for (let x = 0; x < DRAWN; x++) rgba.set([...colorAt(x, y), 255], (y * DRAWN + x) * 4);
  }
  return encodePng(scaled({ side: DRAWN, rgba }, SIDE));
}

function colorAt(x: number, y: number): Rgb {
  const sea = y - 800 - Math.abs((x + 64) % 256 - 128) / 4;
  if (sea > 0) return sea < 24 ? CREST : WATER;
  if (y > 676 && y < 860 && x > 196 + (y - 676) / 2 && x < 836 - (y - 676) / 2) {
    return y > 704 && y < 736 ? SAIL : HULL;
  }
  if (x > 484 && x < 508 && y > 150 && y <= 676) return MAST;
  if (x > 524 && y < 644 && x - 524 < (y - 170) * 3 / 5) return SAIL;
  if (x < 468 && y < 644 && 468 - x < (y - 260) * 3 / 5) return JIB;
  const [dx, dy] = [x - 700, y - 330];
  return dx * dx + dy * dy < 190 * 190 ? SUN : SKY;
}
