/** The parts of an `AudioBuffer` that a file of it holds. */
export interface SoundSamples {
  readonly numberOfChannels: number;
  /** Samples of a channel. */
  readonly length: number;
  readonly sampleRate: number;
  getChannelData(channel: number): Float32Array;
}

const HEADER_BYTES = 44;
const BYTES_A_SAMPLE = 2;

/** Encodes a decoded sound as WAV: 16 bits, at most two of its channels. */
export function wavOf(sound: SoundSamples): Uint8Array<ArrayBuffer> {
  const { length, sampleRate } = sound;
  const channels = Math.min(2, sound.numberOfChannels);
  const frame = channels * BYTES_A_SAMPLE;
  const bytes = new Uint8Array(HEADER_BYTES + length * frame);
  const view = new DataView(bytes.buffer);
  const text = (at: number, letters: string) => {
    for (let i = 0; i < letters.length; i++) view.setUint8(at + i, letters.charCodeAt(i));
  };
  text(0, "RIFF");
  view.setUint32(4, bytes.length - 8, true);
  text(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true); // whole numbers
  view.setUint16(22, channels, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, sampleRate * frame, true);
  view.setUint16(32, frame, true);
  view.setUint16(34, BYTES_A_SAMPLE * 8, true);
  text(36, "data");
  view.setUint32(40, length * frame, true);
  for (let channel = 0; channel < channels; channel++) {
    const samples = sound.getChannelData(channel);
    for (let i = 0; i < length; i++) {
      const loudness = Math.max(-1, Math.min(1, samples[i] ?? 0));
      view.setInt16(HEADER_BYTES + i * frame + channel * BYTES_A_SAMPLE, loudness * 32_767, true);
    }
  }
  return bytes;
}
