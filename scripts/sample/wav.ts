import { join } from "./png.ts";

const SAMPLE_RATE = 8000;

/** A tone of a sound: how high, how long, how loud at its start. It fades to nothing. */
export interface Tone {
  readonly hertz: number;
  readonly seconds: number;
  readonly volume: number;
}

/**
 * Tones after each other as a WAV file: mono, 8 bits, 8 kHz. Square waves, so that no sine of any
 * runtime can change a byte.
 */
export function encodeWav(tones: readonly Tone[]): Uint8Array {
  const samples = tones.flatMap(({ hertz, seconds, volume }) => {
    const count = Math.round(seconds * SAMPLE_RATE);
    return Array.from({ length: count }, (_, i) => {
      const high = Math.floor(i * hertz * 2 / SAMPLE_RATE) % 2 === 0;
      const loudness = Math.round(volume * 100 * (1 - i / count));
      return 128 + (high ? loudness : -loudness);
    });
  });
  if (samples.length % 2 === 1) samples.push(128); // chunks end on even bytes
  const words = (...text: readonly string[]) => new TextEncoder().encode(text.join(""));
  return join([
    words("RIFF"),
    little(4, 36 + samples.length),
    words("WAVE", "fmt "),
    little(4, 16),
    little(2, 1, 1),
    little(4, SAMPLE_RATE, SAMPLE_RATE),
    little(2, 1, 8),
    words("data"),
    little(4, samples.length),
    Uint8Array.from(samples),
  ]);
}

function little(bytes: 2 | 4, ...values: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.length * bytes));
  for (const [index, value] of values.entries()) {
    if (bytes === 2) view.setUint16(index * 2, value, true);
    else view.setUint32(index * 4, value, true);
  }
  return new Uint8Array(view.buffer);
}
