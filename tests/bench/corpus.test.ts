import { test } from "node:test";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import {
  type FileGroup,
  FULL_CORPUS,
  GAME_CORPUS,
  LARGE_CORPUS,
  writeCorpus,
} from "../../scripts/bench/corpus.ts";
import { withFolder } from "../support/folder.ts";

const GROUPS: readonly FileGroup[] = [
  { folder: "words", extension: "txt", count: 60, bytes: [500, 9_000], content: "text" },
  { folder: "noise", extension: "bin", count: 9, bytes: [500, 9_000], content: "noise" },
];

async function hashesBelow(folder: string): Promise<ReadonlyMap<string, string>> {
  const hashes = new Map<string, string>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const hash = createHash("sha256").update(await readFile(path)).digest("hex");
    hashes.set(path.slice(folder.length), hash);
  }
  return hashes;
}

test("writeCorpus() writes the same distinct files every time", () =>
  withFolder(async (folder) => {
    const [first, second] = [join(folder, "1"), join(folder, "2")];
    for (const place of [first, second]) mkdirSync(place);
    const corpus = writeCorpus(first, GROUPS);
    writeCorpus(second, GROUPS);
    const hashes = await hashesBelow(first);
    assert.deepEqual(await hashesBelow(second), hashes);
    assert.equal(hashes.size, 69);
    assert.equal(new Set(hashes.values()).size, 69);
    assert.equal(corpus.files, 69);
    assert.ok(corpus.bytes >= 69 * 500 && corpus.bytes <= 69 * 9_000);
  }));

test("writeCorpus() writes text that deflates and noise that does not", () =>
  withFolder(async (folder) => {
    writeCorpus(folder, [
      { folder: "words", extension: "txt", count: 1, bytes: [90_000, 90_000], content: "text" },
      { folder: "noise", extension: "bin", count: 1, bytes: [90_000, 90_000], content: "noise" },
    ]);
    const deflated = async (path: string) =>
      deflateRawSync(await readFile(join(folder, path))).length / 90_000;
    const text = await deflated("words/part-0/file-0.txt");
    assert.ok(text > 0.2 && text < 0.6, `text deflates to ${text}`);
    assert.ok(await deflated("noise/part-0/file-0.bin") > 0.99);
  }));

for (
  const [name, groups, files, megabytes] of [
    ["FULL_CORPUS", FULL_CORPUS, 2_400, 200],
    ["LARGE_CORPUS", LARGE_CORPUS, 5_000, 500],
    ["GAME_CORPUS", GAME_CORPUS, 1_200, 100],
  ] as const
) {
  test(`${name} is about ${megabytes} MB in ${files} files`, () => {
    const count = groups.reduce((sum, group) => sum + group.count, 0);
    const bytes = groups.reduce((sum, group) => {
      const [least, most] = group.bytes;
      return sum + group.count * (least + most) / 2;
    }, 0);
    assert.ok(Math.abs(count / files - 1) < 0.1, `it has ${count} files`);
    assert.ok(Math.abs(bytes / 1e6 / megabytes - 1) < 0.1, `it has ${bytes} bytes`);
  });
}
