import type { Work } from "../../core/cooperative.ts";

/** The parts of an `AudioBuffer` that a file of it holds. */
export interface SoundSamples {
  readonly numberOfChannels: number;
  /** Samples of a channel. */
  readonly length: number;
  readonly sampleRate: number;
  getChannelData(channel: number): Float32Array;
}

/** Bytes before the samples: those of a form that names each channel's loudspeaker are more. */
const [HEADER_BYTES, LONG_HEADER_BYTES] = [44, 68];
const BYTES_A_SAMPLE = 2;
const [WHOLE_NUMBERS, EXTENSIBLE] = [1, 0xfffe];
/**
 * Loudspeakers by number of channels, in the order of an `AudioBuffer`, a bit each. A player mixes
 * channels down by their loudspeakers; without these, it treats all channels alike.
 */
const LOUDSPEAKERS: Readonly<Record<number, number>> = { 4: 0x33, 6: 0x3f };
/** The rest of the id of a sample form. */
const FORM_ID = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71];
/** Samples that are encoded between two yields. */
const PIECE = 64 * 1024;

/** Encodes a decoded sound as WAV of 16 bits, with all of its channels. */
export function* wavOf(sound: SoundSamples): Work<Uint8Array<ArrayBuffer>> {
  const { length, numberOfChannels: channels } = sound;
  const header = channels > 2 ? LONG_HEADER_BYTES : HEADER_BYTES;
  const frame = channels * BYTES_A_SAMPLE;
  const bytes = new Uint8Array(header + length * frame);
  const view = new DataView(bytes.buffer);
  writeHeader(view, sound, header);
  for (let channel = 0; channel < channels; channel++) {
    const samples = sound.getChannelData(channel);
    for (let i = 0; i < length; i++) {
      if (i % PIECE === PIECE - 1) yield;
      const loudness = Math.max(-1, Math.min(1, samples[i] ?? 0));
      view.setInt16(header + i * frame + channel * BYTES_A_SAMPLE, loudness * 32_767, true);
    }
  }
  return bytes;
}

function writeHeader(
  view: DataView,
  { length, sampleRate, numberOfChannels: channels }: SoundSamples,
  header: number,
): void {
  const isLong = header === LONG_HEADER_BYTES;
  const frame = channels * BYTES_A_SAMPLE;
  const text = (at: number, letters: string) => {
    for (let i = 0; i < letters.length; i++) view.setUint8(at + i, letters.charCodeAt(i));
  };
  text(0, "RIFF");
  view.setUint32(4, view.byteLength - 8, true);
  text(8, "WAVEfmt ");
  view.setUint32(16, header - 28, true);
  view.setUint16(20, isLong ? EXTENSIBLE : WHOLE_NUMBERS, true);
  view.setUint16(22, channels, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, sampleRate * frame, true);
  view.setUint16(32, frame, true);
  view.setUint16(34, BYTES_A_SAMPLE * 8, true);
  if (isLong) {
    view.setUint16(36, 22, true); // bytes that follow
    view.setUint16(38, BYTES_A_SAMPLE * 8, true);
    view.setUint32(40, LOUDSPEAKERS[channels] ?? 0, true);
    view.setUint16(44, WHOLE_NUMBERS, true);
    for (const [i, byte] of FORM_ID.entries()) view.setUint8(46 + i, byte);
  }
  text(header - 8, "data");
  view.setUint32(header - 4, length * frame, true);
}
