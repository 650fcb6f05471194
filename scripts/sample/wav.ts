import { join } from "./png.ts";

/** A tone of a sound, which fades out. */
interface Tone {
  /** Seconds from the beginning. */
  readonly at: number;
  /** Frequency; 0 is noise. */
  readonly hertz: number;
  /** Frequency at its end; the same when absent. */
  readonly to?: number;
  readonly seconds: number;
  /** At its start, from 0 to 1. */
  readonly volume: number;
}

/** Tones, one after the other or together. */
export interface Sound {
  readonly tones: readonly Tone[];
  /** Samples a second: half of them is the highest that is heard. */
  readonly rate: number;
  /** Seconds; until its last tone ends when absent. */
  readonly length?: number;
}

/**
 * A sound as a WAV file: mono, 8 bits. Triangular waves and integers, so that no sine of any
 * runtime can change a byte.
 */
export function encodeWav({ tones, rate, length }: Sound): Uint8Array {
  const end = length ?? Math.max(...tones.map(({ at, seconds }) => at + seconds));
  const mixed = new Float64Array(Math.ceil(end * rate / 2) * 2); // chunks end on even bytes
  for (const tone of tones) mix(mixed, tone, rate);
  const samples = Uint8Array.from(
    mixed,
    (value) => Math.max(0, Math.min(255, 128 + Math.round(value * 127))),
  );
  const words = (...text: readonly string[]) => new TextEncoder().encode(text.join(""));
  return join([
    words("RIFF"),
    little(4, 36 + samples.length),
    words("WAVE", "fmt "),
    little(4, 16),
    little(2, 1, 1),
    little(4, rate, rate),
    little(2, 1, 8),
    words("data"),
    little(4, samples.length),
    samples,
  ]);
}

function mix(
  mixed: Float64Array,
  { at, hertz, to = hertz, seconds, volume }: Tone,
  rate: number,
): void {
  const count = Math.round(seconds * rate);
  const first = Math.round(at * rate);
  let [phase, noise] = [0, 1];
  for (let i = 0; i < count && first + i < mixed.length; i++) {
    phase = (phase + (hertz + (to - hertz) * i / count) / rate) % 1;
    noise = Math.imul(noise, 1664525) + 1013904223 | 0;
    const wave = hertz === 0 ? noise / 0x8000_0000 : 1 - 4 * Math.abs(phase - 0.5);
    // A soft beginning keeps it from clicking.
    const loudness = volume * Math.min(1, i / 40) * (1 - i / count);
    mixed[first + i] = (mixed[first + i] ?? 0) + wave * loudness;
  }
}

function little(bytes: 2 | 4, ...values: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.length * bytes));
  for (const [index, value] of values.entries()) {
    if (bytes === 2) view.setUint16(index * 2, value, true);
    else view.setUint32(index * 4, value, true);
  }
  return new Uint8Array(view.buffer);
}
