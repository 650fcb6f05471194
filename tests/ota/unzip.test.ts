import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { FileError } from "../../lib/core/file-error.ts";
import { createDevice } from "../support/device-under-test.ts";
import { StageError } from "../../lib/ota-device/transfer.ts";
import { ArchiveError, streamOf } from "../../lib/archive/mod.ts";
import { bundleFiles } from "../../lib/ota-device/bundle-zip.ts";
import { serializeManifest } from "../../lib/ota-format/manifest.ts";
import type { StageResult } from "../../lib/ota-format/native.ts";
import type { Files } from "../../lib/ports/files.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { withFolder } from "../support/folder.ts";
import { buildZip, joined, u32 } from "../support/hostile-zips.ts";
import { runSeed, seededRandom } from "../support/random.ts";
import { rounds } from "../support/rounds.ts";
import type { Tree } from "../support/ota-world.ts";
import { manifestOfZip } from "../support/zip-manifest.ts";
import { FILES, first, GOOD, HONEST, REFUSED, ZEROS, zipOf } from "./hostile-archives.ts";
import { mutate } from "./mutate.ts";

// Whoever writes the zip also signs its hash here: what the archive's own records say is all that
// stands between a lie and the disk.

interface Staging {
  readonly result: StageResult;
  /** Lengths that were asked of the archive on disk. */
  readonly reads: readonly number[];
}

/** Stages a version that consists of `files`, from that archive, in `folder/phone`. */
async function stage(
  folder: string,
  { files = FILES, zip, version = "v1" }: {
    readonly files?: Tree;
    readonly zip: Uint8Array<ArrayBuffer>;
    readonly version?: string;
  },
): Promise<Staging> {
  const runtime = await loadRuntime();
  const reads: number[] = [];
  const device = createDevice({
    ...runtime,
    files: {
      ...runtime.files,
      readRange(path, offset, length) {
        reads.push(length);
        return runtime.files.readRange(path, offset, length);
      },
    },
    fetch: () => Promise.resolve(new Response(zip)),
    root: join(folder, "phone"),
  });
  const result = await device.stageUpdate({
    name: "shell",
    version,
    manifest: serializeManifest(manifestOfZip(version, zip, files)),
    zipUrl: "https://cdn.example/bundle.zip",
  });
  return { result, reads };
}

/** All files below a folder, and the folders that hold none. */
function everything(folder: string, prefix = ""): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(join(folder, prefix), { withFileTypes: true });
  return entries.flatMap((entry) => {
    const path = `${prefix}${entry.name}`;
    const below = entry.isDirectory() ? everything(folder, `${path}/`) : [];
    return below.length > 0 ? below : [path];
  });
}

for (
  const { name, zip, files, code = "archive", detail } of Object.values(REFUSED).flat()
) {
  // DEV-12
  test(`unzip refuses ${name}: ${code}`, () =>
    withFolder(async (folder) => {
      const bytes = zipOf(zip);
      const { result, reads } = await stage(folder, { zip: bytes, ...(files && { files }) });
      assert.ok(!result.ok, "it was staged");
      assert.deepEqual([result.code, detail.test(result.detail)], [code, true], result.detail);
      assert.ok(result.detail.length < 500, `${result.detail.length} characters`);
      assert.deepEqual(everything(folder), ["phone/.partial", "phone/.staging"], "nothing is left");
      assert.ok(reads.every((length) => length <= bytes.length), `it read ${Math.max(...reads)}`);
      const read = reads.reduce((sum, length) => sum + length, 0);
      assert.ok(read <= 100 * bytes.length, `it read ${read} bytes of ${bytes.length}`);
    }));
}

for (const { name, zip } of GOOD) {
  test(`unzip takes ${name}`, () =>
    withFolder(async (folder) => {
      const { result } = await stage(folder, { zip: buildZip(zip) });
      assert.deepEqual(result, { ok: true });
      for (const [path, content] of Object.entries(FILES)) {
        assert.equal(readFileSync(join(folder, "phone/shell/v1", path), "utf8"), content);
      }
    }));
}

test("unzip refuses a directory larger than that of the most files, before it is in memory", () =>
  withFolder(async (folder) => {
    const path = join(folder, "bundle.zip");
    const bytes = joined([new Uint8Array(21_000_000), HONEST.slice(-22)]);
    bytes.set(u32(20_900_000, 100_000), bytes.length - 10);
    bytes.set(u32(0x02014b50), 100_000);
    writeFileSync(path, bytes);
    const { files } = await loadRuntime();
    await assert.rejects(walk(files, path), {
      name: "ArchiveError",
      message: /it holds 1 entries, expected 3/,
    });
  }));

test("bundleFiles() tells a disk that fails from a broken archive", () =>
  withFolder(async (folder) => {
    const path = join(folder, "bundle.zip");
    writeFileSync(path, HONEST);
    const { files } = await loadRuntime();
    for (let failAt = 1;; failAt++) {
      let reads = 0;
      const readRange: Files["readRange"] = (...request) => {
        if (++reads !== failAt) return files.readRange(...request);
        return Promise.reject(new FileError("other", path, "I/O error"));
      };
      const walked = walk({ ...files, readRange }, path);
      if (failAt === 100) assert.fail("it never reads to the end");
      const failed = await walked.then(() => null, (thrown: unknown) => thrown);
      if (failed === null) break;
      assert.ok(failed instanceof FileError, `read ${failAt} of them: ${String(failed)}`);
    }
    const gone = { ...files, readRange: () => Promise.resolve(null) };
    await assert.rejects(walk(gone, path), { code: "missing" });
  }));

/** Reads every file of an archive. */
async function walk(files: Files, path: string): Promise<void> {
  const size = readFileSync(path).length;
  for await (const file of bundleFiles({ files, path, size })) {
    await new Response(streamOf(file.open())).bytes();
  }
}

test("bundleFiles() whose reader stops early ends without a word", () =>
  withFolder(async (folder) => {
    const path = join(folder, "bundle.zip");
    writeFileSync(path, buildZip(first({ body: ZEROS })));
    const { files } = await loadRuntime();
    for await (const file of bundleFiles({ files, path, size: readFileSync(path).length })) {
      const reader = streamOf(file.open()).getReader();
      await reader.read();
      await reader.cancel(new StageError("size-mismatch", "more than enough"));
      break;
    }
  }));

test("unzip of a mutated archive: what the manifest names, or a closed code", () =>
  withFolder(async (folder) => {
    const seed = runSeed();
    const random = seededRandom(seed);
    const originals = GOOD.map(({ zip }) => buildZip(zip));
    mkdirSync(join(folder, "phone"));
    const outcomes = new Map<string, number>();
    for (let round = 1; round <= rounds(150, 5_000); round++) {
      const original = originals[random.below(originals.length)] ?? HONEST;
      let zip = Uint8Array.from(original);
      for (let change = random.below(3); change >= 0; change--) zip = mutate(zip, random);
      const said = `SLIPWAY_SEED=${seed}, round ${round}: ${Buffer.from(zip).toString("base64")}`;
      const version = `v${round}`;
      const { result } = await stage(folder, { zip, version });
      const staged = join(folder, "phone/shell", version);
      assert.equal(existsSync(staged), result.ok, said);
      if (result.ok) {
        assert.deepEqual(everything(staged).sort(), Object.keys(FILES).sort(), said);
        for (const [path, content] of Object.entries(FILES)) {
          assert.equal(readFileSync(join(staged, path), "utf8"), content, said);
        }
      } else {
        const closed = ["archive", "size-mismatch", "hash-mismatch"].includes(result.code);
        assert.ok(closed, `${said}: ${result.code}: ${result.detail}`);
      }
      for (const left of [".staging", ".partial"]) {
        assert.deepEqual(readdirSync(join(folder, "phone", left)), [], said);
      }
      assert.equal(result.ok, await isTaken(zip), `${said}: its directory says otherwise`);
      const outcome = result.ok ? "staged" : result.code;
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    assert.ok((outcomes.get("archive") ?? 0) > 0, "it must have broken something");

    /** Whether its directory leads to the files of the manifest. */
    async function isTaken(zip: Uint8Array<ArrayBuffer>): Promise<boolean> {
      const path = join(folder, "bundle.zip");
      writeFileSync(path, zip);
      const { files } = await loadRuntime();
      const found: Record<string, string> = {};
      try {
        for await (const file of bundleFiles({ files, path, size: zip.length })) {
          if (found[file.name] !== undefined) return false;
          found[file.name] = await new Response(streamOf(file.open())).text();
        }
      } catch (thrown) {
        assert.ok(thrown instanceof ArchiveError, String(thrown));
        return false;
      }
      return isDeepStrictEqual(found, { ...FILES });
    }
  }));
