import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

// The folder that is hashed and published: a made-up build of a web game. The same bytes come out on
// every machine, so that the ratios of two machines can be compared.

/** Files of one kind. */
export interface FileGroup {
  readonly folder: string;
  readonly extension: string;
  readonly count: number;
  /** Inclusive bounds of a file's size. */
  readonly bytes: readonly [least: number, most: number];
  /** Text deflates to about a third; noise, like textures and sound, does not shrink. */
  readonly content: "text" | "noise";
}

/** A written corpus. */
export interface Corpus {
  readonly folder: string;
  readonly files: number;
  readonly bytes: number;
}

const KIB = 1024;
const MIB = 1024 * KIB;

/** About 200 MB: many small files, some large. */
export const FULL_CORPUS: readonly FileGroup[] = [
  { folder: "code", extension: "js", count: 1_600, bytes: [KIB, 16 * KIB], content: "text" },
  { folder: "data", extension: "json", count: 300, bytes: [16 * KIB, 256 * KIB], content: "text" },
  {
    folder: "textures",
    extension: "ktx2",
    count: 500,
    bytes: [32 * KIB, 256 * KIB],
    content: "noise",
  },
  { folder: "sound", extension: "ogg", count: 12, bytes: [2 * MIB, 6 * MIB], content: "noise" },
  { folder: "models", extension: "glb", count: 3, bytes: [6 * MIB, 8 * MIB], content: "noise" },
];

/** About 500 MB in 5,000 files: a large game. */
export const LARGE_CORPUS: readonly FileGroup[] = FULL_CORPUS.map((group) => ({
  ...group,
  count: Math.round(group.count * (group.extension === "ogg" ? 3 : 2.07)),
}));

/** About 100 MB: a game as a phone downloads it. */
export const GAME_CORPUS: readonly FileGroup[] = FULL_CORPUS.map((group) => ({
  ...group,
  count: Math.ceil(group.count / 2),
}));

/** About 100 MB in 2,000 files, which a phone should stage in the time of an unzip. */
export const PHONE_CORPUS: readonly FileGroup[] = FULL_CORPUS.map((group) => ({
  ...group,
  count: group.extension === "js" ? group.count : Math.ceil(group.count / 2),
}));

/** Under a megabyte, for tests of the benchmark itself. */
export const QUICK_CORPUS: readonly FileGroup[] = [
  { folder: "code", extension: "js", count: 20, bytes: [KIB, 4 * KIB], content: "text" },
  { folder: "sound", extension: "ogg", count: 2, bytes: [64 * KIB, 128 * KIB], content: "noise" },
];

const SEED = 0x51_1b_0a_75;
const TEXT_BLOCK_BYTES = 2 * MIB;

/** Writes a corpus below an existing folder. */
export function writeCorpus(folder: string, groups: readonly FileGroup[]): Corpus {
  const random = createRandom(SEED);
  const block = makeText(random, TEXT_BLOCK_BYTES);
  let files = 0;
  let bytes = 0;
  for (const group of groups) {
    const [least, most] = group.bytes;
    for (let i = 0; i < group.count; i++) {
      const size = least + random() % (most - least + 1);
      const content = group.content === "noise"
        ? makeNoise(random, size)
        : cutText(random, block, size);
      // Built games keep folders of some dozens of files.
      const place = join(folder, group.folder, `part-${Math.floor(i / 50)}`);
      mkdirSync(place, { recursive: true });
      writeFileSync(join(place, `file-${i}.${group.extension}`), content);
      files++;
      bytes += size;
    }
  }
  return { folder, files, bytes };
}

/** Mulberry32: 32 random bits a call, the same for the same seed. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return (bits ^ (bits >>> 14)) >>> 0;
  };
}

function makeNoise(random: () => number, size: number): Uint8Array {
  const words = new Uint32Array(Math.ceil(size / 4));
  for (let i = 0; i < words.length; i++) words[i] = random();
  return new Uint8Array(words.buffer, 0, size);
}

/** Something like source text: a thousand words, a few of them frequent. */
function makeText(random: () => number, size: number): Uint8Array {
  const letters = "etaoinshrdlucmfwypvbgk";
  const words = Array.from(
    { length: 1_000 },
    () =>
      Array.from({ length: 2 + random() % 9 }, () => letters[random() % letters.length]).join(""),
  );
  const marks = [" ", " ", " ", ".", "(", ") ", ", ", " = ", ";\n  ", " {\n  ", "}\n", ' "', '": '];
  const pieces: string[] = [];
  for (let length = 0; length < size;) {
    const rare = random() / 2 ** 32;
    const word = random() % 12 === 0
      ? String(random() % 10_000)
      : words[Math.floor(words.length * rare ** 3)];
    const piece = `${word}${marks[random() % marks.length]}`;
    pieces.push(piece);
    length += piece.length;
  }
  return new TextEncoder().encode(pieces.join("")).subarray(0, size);
}

/** Composes a file from pieces of the block, without repetition within deflate's window. */
function cutText(random: () => number, block: Uint8Array, size: number): Uint8Array {
  const text = new Uint8Array(size);
  for (let at = 0; at < size;) {
    const length = Math.min(size - at, 400 + random() % 4_000);
    const from = random() % (block.length - length);
    text.set(block.subarray(from, from + length), at);
    at += length;
  }
  return text;
}
