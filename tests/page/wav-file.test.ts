import assert from "node:assert/strict";
import { test } from "node:test";
import { readWav } from "../../lib/editor/assets/wav.ts";
import { wavOf } from "../../lib/page/model/wav-file.ts";

/** A decoded sound of these channels. */
const sound = (...channels: readonly (readonly number[])[]) => ({
  numberOfChannels: channels.length,
  length: channels[0]?.length ?? 0,
  sampleRate: 8_000,
  getChannelData: (channel: number) => Float32Array.from(channels[channel] ?? []),
});

test("a decoded sound is a WAV file of two channels at most, its samples within their bounds", () => {
  const bytes = wavOf(sound([0, 1, -1, 9], [0.5, -0.5, Number.NaN, -9], [1, 1, 1, 1]));
  assert.deepEqual(readWav(bytes), { seconds: 4 / 8_000, channels: 2, hertz: 8_000 });
  const samples = [...new Int16Array(bytes.buffer, 44)];
  assert.deepEqual(samples, [0, 16_383, 32_767, -16_383, -32_767, 0, 32_767, -32_767]);
  assert.equal(readWav(wavOf(sound([0])))?.channels, 1);
});
