import assert from "node:assert/strict";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { serializeManifest } from "../../lib/ota-format/manifest.ts";
import type { Files } from "../../lib/ports/files.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { createDevice } from "../support/device-under-test.ts";
import { withFolder } from "../support/folder.ts";
import { buildZip } from "../support/hostile-zips.ts";
import { seededRandom } from "../support/random.ts";
import { manifestOfZip, refOf } from "../support/zip-manifest.ts";
import { type Contents, deltaOf, openPhone } from "./content-world.ts";

// Contents that are too large for one piece are written first and synced later: nothing may count on
// them before. What is small is cut in power-cut.test.ts.

const MB = 1024 * 1024;
/** As the system may take to sync: what does not wait for it has gone on by then. */
const SYNC_MS = 30;

/**
 * A disk that syncs slowly, and tells of contents that were counted on before they were synced.
 *
 * @param archive The hash of an archive: what lies of it is hashed again by whoever goes on with it.
 */
function slowToSync(files: Files, archive?: string) {
  const unsynced = new Set<string>();
  const early: string[] = [];
  let tails = 0;
  const note = (path: string) => {
    const isContent = basename(dirname(path)) === ".partial";
    if (isContent && !(archive && basename(path).startsWith(archive))) unsynced.add(path);
  };
  const watched: Files = {
    ...files,
    async sync(path) {
      await new Promise((resolve) => setTimeout(resolve, SYNC_MS));
      await files.sync(path);
      unsynced.delete(path);
    },
    async write(path, body, options) {
      const isTail = /\.[0-9]+\.[0-9]+$/.test(path);
      if (isTail) {
        tails++;
        early.push(...[...unsynced].map((lost) => `${basename(lost)} before the tail`));
      }
      note(path);
      const written = await files.write(path, body, options);
      if (options?.sync) unsynced.delete(path);
      return written;
    },
    async append(path, bytes) {
      note(path);
      await files.append(path, bytes);
    },
    async rename(from, to) {
      if (unsynced.has(from)) early.push(`${basename(from)} before it was renamed`);
      await files.rename(from, to);
    },
  };
  return { files: watched, early, tails: () => tails };
}

function noise(size: number, seed: number): Uint8Array<ArrayBuffer> {
  const random = seededRandom(seed);
  return Uint8Array.from({ length: size }, () => random.below(256));
}

const CONTENTS: Contents = {
  "one.bin": noise(3 * MB, 1),
  "two.bin": noise(3 * MB, 2),
  "z.bin": noise(100_000, 3),
};

// DEV-6, DEV-31
test("a whole bundle's large files are synced before a tail or a version counts on them", () =>
  withFolder(async (folder) => {
    const entries = Object.entries(CONTENTS).map(([name, body]) => ({ name, body, method: 0 }));
    const zip = buildZip({ entries });
    const manifest = manifestOfZip("v1", zip, CONTENTS);
    const runtime = await loadRuntime();
    const disk = slowToSync(runtime.files, refOf(zip).hash);
    const device = createDevice({
      ...runtime,
      files: disk.files,
      fetch: () => Promise.resolve(new Response(zip)),
      root: join(folder, "phone"),
    });
    const staged = await device.stageUpdate({
      name: "shell",
      version: "v1",
      manifest: serializeManifest(manifest),
      zipUrl: "https://cdn.example/bundle.zip",
    });
    assert.deepEqual([staged, disk.early, disk.tails()], [{ ok: true }, [], 1]);
  }));

// DEV-6
test("a delta's large files are synced before a version counts on them", () =>
  withFolder(async (folder) => {
    const { root, embedded } = await openPhone(folder);
    const runtime = await loadRuntime();
    const disk = slowToSync(runtime.files);
    const byHash = new Map(Object.values(CONTENTS).map((bytes) => [refOf(bytes).hash, bytes]));
    const device = createDevice({
      ...runtime,
      files: disk.files,
      fetch: (url) => {
        const bytes = byHash.get(basename(String(url)));
        return Promise.resolve(new Response(bytes?.slice() ?? null));
      },
      root,
      embedded,
    });
    const staged = await device.stageUpdateDelta(deltaOf("v1", CONTENTS, "https://cdn.example"));
    assert.deepEqual([staged, disk.early], [{ ok: true }, []]);
  }));
