import assert from "node:assert/strict";
import { test } from "node:test";
import { runAtOnce } from "../../lib/core/cooperative.ts";
import { readWav } from "../../lib/editor/assets/wav.ts";
import { wavOf } from "../../lib/page/model/wav-file.ts";

/** A decoded sound of these channels. */
const sound = (...channels: readonly (readonly number[])[]) => ({
  numberOfChannels: channels.length,
  length: channels[0]?.length ?? 0,
  sampleRate: 8_000,
  getChannelData: (channel: number) => Float32Array.from(channels[channel] ?? []),
});

test("a decoded sound is a WAV file, its samples within their bounds", () => {
  const bytes = runAtOnce(wavOf(sound([0, 1, -1, 9], [0.5, -0.5, Number.NaN, -9])));
  assert.deepEqual(readWav(bytes), { seconds: 4 / 8_000, channels: 2, hertz: 8_000 });
  const samples = [...new Int16Array(bytes.buffer, 44)];
  assert.deepEqual(samples, [0, 16_383, 32_767, -16_383, -32_767, 0, 32_767, -32_767]);
  assert.equal(readWav(runAtOnce(wavOf(sound([0]))))?.channels, 1);
});

test("a decoded sound keeps all of its channels, each at its loudspeaker", () => {
  const channels = Array.from({ length: 6 }, (_, n) => [n / 8, -n / 8]);
  const bytes = runAtOnce(wavOf(sound(...channels)));
  assert.deepEqual(readWav(bytes), { seconds: 2 / 8_000, channels: 6, hertz: 8_000 });
  const view = new DataView(bytes.buffer);
  assert.deepEqual([view.getUint16(20, true), view.getUint32(40, true)], [0xfffe, 0x3f]);
  const samples = [...new Int16Array(bytes.buffer, 68)];
  const first = channels.map(([loudness = 0]) => Math.trunc(loudness * 32_767));
  assert.deepEqual(samples, [...first, ...first.map((sample) => -sample)].map((n) => n + 0));
  const alike = runAtOnce(wavOf(sound([0], [0], [0])));
  assert.equal(new DataView(alike.buffer).getUint32(40, true), 0);
});

test("a long sound is encoded in pieces", () => {
  const work = wavOf(sound(Array.from({ length: 200_000 }, () => 0)));
  let yields = 0;
  while (work.next().done !== true) yields++;
  assert.ok(yields >= 3, `${yields} yields`);
});
