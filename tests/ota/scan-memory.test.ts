import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { LIMITS } from "../../lib/core/limits.ts";
import { generateKeyPair } from "../../lib/ota-format/signing.ts";
import { scanVersion } from "../../lib/ota-publish/scan-version.ts";
import { readSignedIndex, writeSignedIndex } from "../../lib/ota-publish/signed-index.ts";
import type { Files, FileStat } from "../../lib/ports/files.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { openOtaWorld } from "../support/ota-world.ts";

// PUB-33

const GAME = { "index.html": "<h1>game</h1>", "a/main.js": "sail();", "a/sky.png": "blue" };
const ALL = Object.keys(GAME).sort();

/** A built folder, and scans of it by one user, who has a key. */
async function openScans(folder: string, game: Readonly<Record<string, string>> = GAME) {
  const { runtime, bucket } = await openOtaWorld(folder);
  const key = await generateKeyPair();
  const dist = join(folder, "dist");
  const user = join(folder, "user");
  writeTree(dist, game);
  return {
    dist,
    user,
    /** Scans, keeps the findings, and returns which files were read. */
    async scan(over: { later?: number; stat?: Files["stat"]; allow?: string[] } = {}) {
      const { later = 10_000, stat = runtime.files.stat, allow = [] } = over;
      const read: string[] = [];
      const files: Files = {
        ...runtime.files,
        stat,
        readChunks(path, signal) {
          read.push(path.slice(dist.length + 1));
          return runtime.files.readChunks(path, signal);
        },
      };
      const clock = { ...runtime.clock, now: () => runtime.clock.now() + later };
      const scanned = await scanVersion(
        { ...runtime, clock, files, bucket, workFolder: folder, scannedFolder: user },
        {
          ...{ dist, name: "shell", version: "v1", engineApi: 1, minSequence: 0, key, allow },
          target: { app: "default", channel: "production" },
        },
      );
      if (!scanned.ok) return { refused: scanned.error.message, read: read.sort() };
      await scanned.value.known?.keep();
      const { manifest, crc32s } = scanned.value;
      return { files: manifest.files, crc32s: [...crc32s].sort(), read: read.sort() };
    },
    stat: runtime.files.stat,
  };
}

test("a scan reads only what was written since the last one, and finds the same", () =>
  withFolder(async (folder) => {
    const { scan, dist } = await openScans(folder);
    const first = await scan();
    assert.deepEqual(first.read, ALL);
    assert.deepEqual(await scan(), { ...first, read: [] });
    writeFileSync(join(dist, "a/main.js"), "sail(home);");
    writeFileSync(join(dist, "new.js"), "new");
    const third = await scan();
    assert.deepEqual(third.read, ["a/main.js", "new.js"]);
    assert.notEqual(third.files?.["a/main.js"]?.hash, first.files?.["a/main.js"]?.hash);
    assert.deepEqual((await scan()).read, []);
  }));

test("a scan reads again what was written just before the last one", () =>
  withFolder(async (folder) => {
    const { scan } = await openScans(folder);
    assert.deepEqual((await scan({ later: 0 })).read, ALL);
    assert.deepEqual((await scan({ later: 0 })).read, ALL);
  }));

test("a scan is remembered of as many files as a bundle may have, with long paths", () =>
  withFolder(async (folder) => {
    const { runtime } = await openOtaWorld(folder);
    const key = await generateKeyPair();
    const path = join(folder, "index.json");
    const paths = Array.from({ length: LIMITS.bundleFiles }, (_, at) => `${at}`.padStart(300, "x"));
    const index = Object.fromEntries(
      paths.map((one) => [one, ["1 ".repeat(35), "a".repeat(64), 1]]),
    );
    await writeSignedIndex(runtime.files, path, { index, key });
    assert.deepEqual(await readSignedIndex(runtime.files, path, key.publicKey), index);
  }));

const OTHER_FACTS: Readonly<Record<string, (stat: FileStat) => FileStat>> = {
  "the time of its bytes": (stat) => ({ ...stat, mtimeMs: stat.mtimeMs - 1 }),
  "the time of its facts alone": ({ changedMs = 0, ...stat }) => ({
    ...stat,
    changedMs: changedMs - 1,
  }),
  "another file of its name": ({ inode = 0, ...stat }) => ({ ...stat, inode: inode + 1 }),
  "no time of its facts": ({ changedMs: _, ...stat }) => stat,
  "no number": ({ inode: _, ...stat }) => stat,
};
for (const [what, change] of Object.entries(OTHER_FACTS)) {
  test(`a scan reads a file again of which the system reports ${what}`, () =>
    withFolder(async (folder) => {
      const { scan, stat } = await openScans(folder);
      await scan();
      const { read } = await scan({
        stat: async (path) => {
          const found = await stat(path);
          return found !== null && path.endsWith("main.js") ? change(found) : found;
        },
      });
      assert.deepEqual(read, ["a/main.js"]);
    }));
}

test("a scan does not trust an index that was changed, or that another key signed", () =>
  withFolder(async (folder) => {
    const { scan, user } = await openScans(folder);
    const { files } = await scan();
    const [name = ""] = readdirSync(user);
    const kept = readFileSync(join(user, name), "utf8");
    const hash = files?.["a/main.js"]?.hash ?? "";
    writeFileSync(join(user, name), kept.replaceAll(hash, "0".repeat(64)));
    assert.deepEqual(await scan().then(({ files, read }) => ({ files, read })), {
      files,
      read: ALL,
    });
    writeFileSync(join(user, name), kept.replace(/"sig":"...../, '"sig":"AAAAA'));
    assert.deepEqual((await scan()).read, ALL);
    writeFileSync(join(user, name), kept.slice(0, 300));
    assert.deepEqual((await scan()).read, ALL);
    assert.deepEqual((await scan()).read, []);
  }));

test("a scan looks again into a file that looked private, and refuses it again", () =>
  withFolder(async (folder) => {
    const token = `${"npm"}_${"a1B2".repeat(9)}`;
    const { scan } = await openScans(folder, { ...GAME, "z.json": token });
    assert.deepEqual((await scan({ allow: ["z.json"] })).read, [...ALL, "z.json"]);
    const again = await scan();
    assert.deepEqual(again.read, ["z.json"]);
    assert.match(again.refused ?? "", /z\.json \(it holds a token of npm\)/);
  }));
