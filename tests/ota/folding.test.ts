import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { serializeManifest } from "../../lib/ota-format/manifest.ts";
import type { StageResult } from "../../lib/ota-format/native.ts";
import { scanFolder } from "../../lib/ota-publish/scan.ts";
import type { Files } from "../../lib/ports/files.ts";
import { treeOf, withFolder, writeTree } from "../support/folder.ts";
import { openOtaWorld } from "../support/ota-world.ts";
import { manifestOf } from "../support/release-world.ts";

/** A disk that finds a name below the staging in any case, and keeps the one that came first. */
function caseInsensitive(files: Files): Files {
  const spelled = new Map<string, string>();
  const at = (path: string) => {
    if (!path.includes("/.staging/")) return path;
    const folded = path.toLowerCase();
    const first = spelled.get(folded) ?? path;
    spelled.set(folded, first);
    return first;
  };
  return {
    ...files,
    write: (path, ...rest) => files.write(at(path), ...rest),
    copy: (from, to) => files.copy(from, at(to)),
    openRead: (path, ...rest) => files.openRead(at(path), ...rest),
    sync: (path) => files.sync(at(path)),
    list: (path) => files.list(at(path)),
    makeDirectory: (path) => files.makeDirectory(at(path)),
    rename: (from, to) => files.rename(at(from), at(to)),
  };
}

const PATHS = { "data/É.txt": "one", "data/é.txt": "two", "index.html": "page" };

/** Stages a version with two names that differ in the case of one letter beyond A-Z. */
async function stage(
  folder: string,
  copies: readonly string[],
  over: (files: Files) => Files,
): Promise<StageResult> {
  const world = await openOtaWorld(folder);
  const embedded = join(folder, "embedded");
  mkdirSync(embedded);
  writeTree(embedded, { "1": "one", "2": "two" });
  const bodies = new Map<string, string>(
    Object.entries(PATHS).map(([path, text]) => [`https://cdn.example/${encodeURI(path)}`, text]),
  );
  const device = world.device({
    embedded,
    files: over(world.runtime.files),
    fetch: (url) => Promise.resolve(new Response(bodies.get(url))),
  });
  const froms: Readonly<Record<string, string>> = { "data/É.txt": "1", "data/é.txt": "2" };
  return await device.stageUpdateDelta({
    name: "shell",
    version: "v1",
    manifest: serializeManifest(manifestOf("v1", PATHS)),
    base: "embedded",
    copy: copies.map((path) => ({ from: froms[path] ?? "", path })),
    download: Object.keys(PATHS).filter((path) => !copies.includes(path))
      .map((path) => ({ path, url: `https://cdn.example/${encodeURI(path)}` })),
  });
}

const WAYS: readonly [string, readonly string[]][] = [
  ["two downloads", []],
  ["a copy and a download", ["data/É.txt"]],
  ["two copies", ["data/É.txt", "data/é.txt"]],
];

for (const [what, copies] of WAYS) {
  test(`stageUpdateDelta() of ${what} that a disk takes for one file is refused (DEV-28)`, () =>
    withFolder(async (folder) => {
      const answer = await stage(folder, copies, caseInsensitive);
      // Two copies at once may each find the other's bytes, which is no base.
      const refusals = copies.length === 2 ? ["invalid", "base-missing"] : ["invalid"];
      assert.ok(!answer.ok && refusals.includes(answer.code), JSON.stringify(answer));
      assert.ok(!existsSync(join(folder, "phone/shell")));
    }));

  test(`stageUpdateDelta() of ${what} that a disk tells apart is staged (DEV-28)`, () =>
    withFolder(async (folder) => {
      const answer = await stage(folder, copies, (files) => files);
      assert.deepEqual(answer, { ok: true });
      assert.deepEqual(treeOf(join(folder, "phone/shell/v1")), PATHS);
    }));
}

for (
  const [one, two] of [["É", "é"], ["straße", "STRASSE"], ["\u017f", "s"], ["\u212a", "k"], [
    "Σ",
    "ς",
  ]]
) {
  test(`scanFolder() refuses ${one} beside ${two}: a phone may take them for one file`, () =>
    withFolder(async (folder) => {
      const { runtime } = await openOtaWorld(folder);
      const dist = join(folder, "dist");
      mkdirSync(dist);
      writeTree(dist, { [`${one}.txt`]: "1", [`${two}.txt`]: "2" });
      const scanned = await scanFolder(runtime, dist);
      assert.ok(!scanned.ok);
      assert.equal(scanned.error.code, "path");
    }));
}
