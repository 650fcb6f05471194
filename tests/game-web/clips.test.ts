import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { Clips } from "../../lib/game-web/sound/clips.ts";

const ASSET = {
  guid: "g",
  path: "assets/long.ogg",
  name: "long",
  type: "audio",
  size: 10,
} as const;

/** Loads a sound that says how long it is. @returns How often it was read and decoded, and what was said. */
async function load(t: TestContext, seconds: number | null) {
  const done = { read: 0, decoded: 0, said: "" };
  t.mock.method(console, "warn", (text: string) => done.said += text);
  const content = {
    asset: () => ASSET,
    soundLength: () => Promise.resolve(seconds),
    readAsset() {
      done.read++;
      return Promise.resolve(new Uint8Array(10));
    },
  };
  const context = {
    decodeAudioData() {
      done.decoded++;
      return Promise.resolve({ length: 1, numberOfChannels: 1 });
    },
  };
  const clips = new Clips(content, context);
  assert.equal(clips.of("g"), null);
  await clips.whenLoaded();
  return { ...done, exists: clips.of("g") !== null };
}

for (const seconds of [0.2, 1_200]) {
  test(`a sound of ${seconds} s is decoded`, async (t) => {
    const done = await load(t, seconds);
    assert.deepEqual(done, { read: 1, decoded: 1, said: "", exists: true });
  });
}

for (const [what, seconds] of [["is long", 36_000], ["has a length", null]] as const) {
  const not = seconds === null ? "does not say that it" : "says that it";
  test(`a small file that ${not} ${what} is neither fetched nor decoded, and told`, async (t) => {
    const { said, ...done } = await load(t, seconds);
    assert.deepEqual(done, { read: 0, decoded: 0, exists: false });
    const found = `"assets/long.ogg": found ${seconds ?? "unknown"} s, expected at most 1200`;
    assert.ok(said.includes(found), said);
  });
}
