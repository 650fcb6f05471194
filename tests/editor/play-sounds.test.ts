import assert from "node:assert/strict";
import { test } from "node:test";
import { soundLength } from "../../lib/editor/assets/sound-length.ts";
import { type Playing, withScene } from "./playing.ts";
import { withFolder } from "./project-folder.ts";
import { guid, type Sketch } from "./scenes.ts";

/** A WAV of silence: 8 bits, one channel. */
function wav(samples: number, { hertz = 8_000, says = samples } = {}): Uint8Array {
  const bytes = new Uint8Array(44 + samples).fill(128);
  const view = new DataView(bytes.buffer);
  write(bytes, 0, "RIFF");
  write(bytes, 8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, hertz, true);
  view.setUint32(28, hertz, true);
  view.setUint16(32, 1, true);
  view.setUint16(34, 8, true);
  write(bytes, 36, "data");
  view.setUint32(40, says, true);
  return bytes;
}

/** A page of Ogg without segments that count. */
function page(content: Uint8Array, position: bigint, stream = 7): Uint8Array {
  const bytes = new Uint8Array(28 + content.length);
  const view = new DataView(bytes.buffer);
  write(bytes, 0, "OggS");
  view.setBigInt64(6, position, true);
  view.setUint32(14, stream, true);
  bytes.set([1, content.length], 26);
  bytes.set(content, 28);
  return bytes;
}

function vorbis(hertz: number): Uint8Array {
  const bytes = new Uint8Array(30);
  write(bytes, 0, "\x01vorbis");
  bytes[11] = 1;
  new DataView(bytes.buffer).setUint32(12, hertz, true);
  return bytes;
}

function opus(skipped: number): Uint8Array {
  const bytes = new Uint8Array(30);
  write(bytes, 0, "OpusHead");
  new DataView(bytes.buffer).setUint16(10, skipped, true);
  return bytes;
}

/** Frames of MPEG 1 layer III: 128 kbit/s, 44.1 kHz, stereo, 1,152 samples and 417 bytes each. */
function mp3(frames: number): Uint8Array {
  const bytes = new Uint8Array(frames * 417);
  for (let at = 0; at < bytes.length; at += 417) bytes.set([0xff, 0xfb, 0x90, 0], at);
  return bytes;
}

/** The same with a first frame that says how many follow, how late the sound begins and ends early. */
function counted(frames: number, delay: number, padding: number): Uint8Array {
  const bytes = mp3(2);
  const view = new DataView(bytes.buffer);
  write(bytes, 36, "Xing");
  view.setUint32(40, 15);
  view.setUint32(44, frames);
  write(bytes, 156, "LAME3.100");
  bytes.set([delay >> 4, ((delay & 15) << 4) | (padding >> 8), padding & 255], 177);
  return bytes;
}

function write(bytes: Uint8Array, at: number, text: string): void {
  bytes.set(new TextEncoder().encode(text), at);
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** A box of MPEG-4. */
function box(name: string, content: Uint8Array, { long = false } = {}): Uint8Array {
  const header = long ? 16 : 8;
  const bytes = new Uint8Array(header + content.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, long ? 1 : bytes.length);
  write(bytes, 4, name);
  if (long) view.setBigUint64(8, BigInt(bytes.length));
  bytes.set(content, header);
  return bytes;
}

/** An M4A of these units, its movie behind the samples. */
function m4a(units: number, length: number | bigint, { long = false } = {}): Uint8Array {
  const header = new Uint8Array(108);
  const view = new DataView(header.buffer);
  header[0] = typeof length === "bigint" ? 1 : 0;
  view.setUint32(typeof length === "bigint" ? 20 : 12, units);
  if (typeof length === "bigint") view.setBigUint64(24, length);
  else view.setUint32(16, length);
  return joined(
    box("ftyp", new Uint8Array(20)),
    box("mdat", new Uint8Array(200_000).fill(255), { long }),
    box("moov", joined(box("free", new Uint8Array(8)), box("mvhd", header))),
  );
}

const ID3 = joined(
  new TextEncoder().encode("ID3\x04\x00\x00\x00\x00\x01\x02"),
  new Uint8Array(130),
);

for (
  const [name, bytes, seconds] of [
    ["a WAV", wav(2_000), 0.25],
    ["a WAV that says more than it has", wav(2_000, { says: 0xffff_ffff }), 0.25],
    ["a WAV without samples", wav(0), null],
    ["Vorbis", joined(page(vorbis(44_100), 0n), page(new Uint8Array(9), 66_150n)), 1.5],
    [
      "Vorbis whose last page ends no packet, among pages of another stream",
      joined(
        page(vorbis(8_000), 0n),
        page(new Uint8Array(9), 4_000n),
        page(new Uint8Array(9), -1n),
        page(new Uint8Array(9), 90_000n, 8),
      ),
      0.5,
    ],
    ["Opus", joined(page(opus(312), 0n), page(new Uint8Array(9), 48_312n)), 1],
    ["Ogg of ages", joined(page(vorbis(8_000), 0n), page(new Uint8Array(9), 2n ** 62n)), null],
    ["Ogg of something else", page(new Uint8Array(30), 100n), null],
    ["Vorbis at no rate", page(vorbis(0), 100n), null],
    ["MP3 of equal frames", mp3(100), 100 * 417 * 8 / 128_000],
    ["MP3 behind a tag", joined(ID3, mp3(100)), 100 * 417 * 8 / 128_000],
    ["MP3 that counts", counted(100, 576, 624), (100 * 1152 - 1200) / 44_100],
    ["one lone frame header", new Uint8Array([0xff, 0xfb, 0x90, 0, ...new Uint8Array(900)]), null],
    ["M4A", m4a(1_000, 2_500), 2.5],
    ["M4A with long numbers", m4a(48_000, 24_000n, { long: true }), 0.5],
    ["M4A in fragments, which says nothing", m4a(1_000, 0), null],
    ["M4A of ages", m4a(1, 0xffff_ffff), null],
    ["M4A of no unit", m4a(0, 9), null],
    ["M4A that is cut off", m4a(1_000, 2_500).slice(0, -90), null],
    ["M4A whose box has no size", joined(box("ftyp", new Uint8Array(20)), ID3), null],
    ["nothing", new Uint8Array(0), null],
    ["text", new TextEncoder().encode("no sound at all, however long this goes on"), null],
  ] as const
) {
  test(`soundLength() of ${name}`, () =>
    withFolder({ sound: bytes }, async (root, files) => {
      assert.equal(await soundLength(files, `${root}/sound`), seconds);
    }));
}

test("soundLength() answers whatever becomes of a file's bytes", async () => {
  const complete = [
    wav(500),
    mp3(4),
    counted(9, 1, 1),
    joined(page(vorbis(8_000), 0n), page(vorbis(1), 9n)),
    m4a(1_000, 2_500),
  ];
  for (const bytes of complete) {
    for (let round = 0; round < 40; round++) {
      const damaged = bytes.slice(0, Math.floor(bytes.length * (1 - round / 80)));
      damaged[(round * 37) % damaged.length] = (round * 91) & 255;
      await withFolder({ sound: damaged }, async (root, files) => {
        const seconds = await soundLength(files, `${root}/sound`);
        assert.ok(seconds === null || (seconds > 0 && seconds <= 36_000), `${seconds}`);
      });
    }
  }
});

const [CLIP, SILENT] = [guid(90), guid(91)];
const FILES = {
  "assets/audio/half.wav": wav(4_000),
  "assets/audio/half.wav.meta.json": { guid: CLIP },
  "assets/audio/endless.m4a": new Uint8Array(9),
  "assets/audio/endless.m4a.meta.json": { guid: SILENT },
};

/** What the journal says of sounds: the step and the kind of each. */
function heard({ events }: Playing): readonly (readonly [number, string])[] {
  return ["@sound-start", "@sound-stop", "@sound-end"]
    .flatMap((type) => events(type).map(({ tick }) => [tick, type] as const))
    .toSorted(([a], [b]) => a - b);
}

const HORN: readonly Sketch[] = [
  { traits: { Transform: {}, AudioSource: { clip: CLIP, volume: 0.8 } } },
  { traits: { InputAction: { action: "on", keys: "Space" } } },
  { traits: { InputAction: { action: "off", keys: "KeyX" } } },
  { traits: { ScriptAction: { on: "on", effect: "playSound", target: guid(1) } } },
  { traits: { ScriptAction: { on: "off", effect: "stopSound", target: guid(1) } } },
];

test("Sounds: one that plays from the start ends when its file does", () =>
  withScene(
    [{ traits: { AudioSource: { clip: CLIP, autoplay: true } } }],
    async (playing) => {
      await playing.step(30);
      assert.deepEqual(heard(playing), [[1, "@sound-start"]]);
      const { playing: isPlaying, time } = await playing.trait(1, "AudioSource");
      assert.deepEqual([isPlaying, time], [true, 29 / 60]);
      await playing.step(1);
      assert.deepEqual(heard(playing), [[1, "@sound-start"], [31, "@sound-end"]]);
      const after = await playing.trait(1, "AudioSource");
      assert.deepEqual([after["playing"], after["time"]], [false, 0.5]);
      await playing.step(60);
      assert.equal(heard(playing).length, 2, "it does not begin again by itself");
      assert.deepEqual(playing.events("@sound-start")[0]?.payload, {
        guid: guid(1),
        clip: CLIP,
        volume: 1,
        seconds: 0.5,
      });
    },
    { files: FILES },
  ));

test("Sounds: pitch shortens, loop goes on without an end", () =>
  withScene(
    [
      { traits: { AudioSource: { clip: CLIP, autoplay: true, pitch: 2 } } },
      { traits: { AudioSource: { clip: CLIP, autoplay: true, loop: true } } },
      { traits: { AudioSource: { clip: SILENT, autoplay: true } } },
      { traits: { AudioSource: { clip: CLIP } } },
      { traits: { AudioSource: { autoplay: true } } },
    ],
    async (playing) => {
      await playing.step(76);
      const ends = playing.events("@sound-end").map(({ tick, payload }) => [tick, payload]);
      assert.deepEqual(ends, [[16, { guid: guid(1), clip: CLIP }]]);
      assert.equal((await playing.trait(2, "AudioSource"))["time"], 0.25);
      assert.equal((await playing.trait(3, "AudioSource"))["time"], 1.25, "no length is known");
      assert.equal(
        (await playing.trait(4, "AudioSource"))["playing"],
        undefined,
        "never asked for",
      );
      assert.equal(
        playing.events("@sound-start").length,
        3,
        "there is nothing to play without a clip",
      );
    },
    { files: FILES },
  ));

test("ScriptAction: playSound begins anew, stopSound silences", () =>
  withScene(HORN, async (playing) => {
    const press = async (code: string) => {
      await playing.editor.play.input({ kind: "key", code, phase: "press" }, "agent");
      await playing.step(10);
    };
    await playing.step(1);
    await press("Space");
    await press("Space");
    await press("KeyX");
    await press("KeyX");
    assert.deepEqual(heard(playing), [
      [2, "@sound-start"],
      [12, "@sound-start"],
      [22, "@sound-stop"],
    ]);
    assert.equal((await playing.trait(1, "AudioSource"))["playing"], false);
  }, { files: FILES }));

test("Sounds: a timeline plays its sound on its target, another clip begins anew", () =>
  withScene(
    [
      { traits: { Transform: {}, AudioSource: {}, Timeline: { timeline: guid(92) } } },
    ],
    async (playing) => {
      await playing.step(70);
      assert.deepEqual(heard(playing).map(([, type]) => type), ["@sound-start", "@sound-end"]);
      assert.equal((await playing.trait(1, "AudioSource"))["clip"], CLIP);
    },
    {
      files: {
        ...FILES,
        "assets/t.timeline.json": {
          schema: 1,
          length: 2,
          tracks: [{ type: "audio", items: [{ t: 0.5, clip: CLIP }] }],
        },
        "assets/t.timeline.json.meta.json": { guid: guid(92) },
      },
    },
  ));

test("Sounds: what is destroyed is heard no more, and stop keeps nothing of it", () =>
  withScene(
    [
      { traits: { AudioSource: { clip: CLIP, autoplay: true } } },
      { traits: { ScriptAction: { on: "gone", effect: "destroy", target: guid(1) } } },
    ],
    async (playing) => {
      await playing.step(2);
      await playing.editor.play.dispatch({ action: "gone", source: "agent" });
      await playing.step(60);
      assert.deepEqual(heard(playing), [[1, "@sound-start"]]);
      await playing.editor.play.stop("agent");
      assert.equal((await playing.trait(1, "AudioSource"))["playing"], undefined);
    },
    { files: FILES },
  ));

test("diagnose() finds the clip that an AudioSource misses", () =>
  withScene(
    [{ traits: { AudioSource: { clip: guid(99) } } }, { traits: { AudioSource: { clip: CLIP } } }],
    async ({ editor }) => {
      const { findings } = await editor.diagnose();
      const missing = findings.find(({ code }) => code === "missing-asset");
      assert.deepEqual(missing?.ids, [1]);
      assert.match(missing?.hint ?? "", new RegExp(`AudioSource.clip ${guid(99)}`));
    },
    { files: FILES },
  ));
