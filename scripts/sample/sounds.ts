import type { Sound } from "./wav.ts";

// The sounds of the sample game, and its music: tones, no recordings.

const NOTES: Readonly<Record<string, number>> = {
  C: 131,
  D: 147,
  E: 165,
  F: 175,
  G: 196,
  A: 220,
  B: 247,
  c: 262,
  d: 294,
  e: 330,
  f: 349,
  g: 392,
  a: 440,
  b: 494,
};

/** A voice: a letter a note, `-` holds the one before, `.` is silence. */
function voice(notes: string, seconds: number, volume: number): Sound["tones"] {
  return [...notes].flatMap((note, i) => {
    const hertz = NOTES[note];
    if (hertz === undefined) return [];
    const held = /^-*/.exec(notes.slice(i + 1))?.[0].length ?? 0;
    return [{ at: i * seconds, hertz, seconds: seconds * (1 + held), volume }];
  });
}

const BEAT = 0.25;
/** Samples a second. */
const [CLEAR, DULL] = [8000, 4000];

/** The sounds by name. */
export const SOUNDS: Readonly<
  Record<string, Sound & { readonly meta?: Readonly<Record<string, unknown>> }>
> = {
  coin: {
    rate: CLEAR,
    tones: [
      { at: 0, hertz: 988, seconds: 0.06, volume: 0.4 },
      { at: 0.06, hertz: 1319, seconds: 0.2, volume: 0.4 },
    ],
  },
  gate: {
    rate: CLEAR,
    tones: [
      { at: 0, hertz: 392, seconds: 0.1, volume: 0.3 },
      { at: 0.1, hertz: 523, seconds: 0.1, volume: 0.3 },
      { at: 0.2, hertz: 659, seconds: 0.25, volume: 0.3 },
    ],
  },
  horn: {
    rate: CLEAR,
    tones: [
      { at: 0, hertz: 147, seconds: 0.6, volume: 0.4 },
      { at: 0, hertz: 185, seconds: 0.6, volume: 0.3 },
    ],
  },
  boost: { rate: DULL, tones: [{ at: 0, hertz: 90, to: 360, seconds: 0.5, volume: 0.5 }] },
  crash: {
    rate: CLEAR,
    tones: [
      { at: 0, hertz: 70, to: 40, seconds: 0.35, volume: 0.5 },
      { at: 0, hertz: 0, seconds: 0.25, volume: 0.4 },
    ],
  },
  win: { rate: DULL, tones: voice("cegc-g.", 0.14, 0.3) },
  lose: { rate: DULL, tones: voice("gfedC---", 0.16, 0.3) },
  "harbor-loop": {
    rate: DULL,
    length: 32 * BEAT,
    meta: { loop: true },
    tones: [
      ...voice("e-g-a-g-e-d-c---d-e-g-e-d---....", BEAT, 0.16),
      ...voice("C.C.G.G.A.A.E.E.F.F.C.C.G.G.G.G.", BEAT, 0.2),
    ],
  },
};
