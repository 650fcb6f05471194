import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { Uint8ArrayReader, Uint8ArrayWriter, ZipReader } from "@zip.js/zip.js";
import { LIMITS } from "../../lib/core/limits.ts";
import { sha256Hex } from "../../lib/core/sha256.ts";
import { bundleZipPath, contentPath, manifestPath } from "../../lib/ota-format/layout.ts";
import { type Manifest, parseManifest } from "../../lib/ota-format/manifest.ts";
import {
  DEFAULT_TARGET,
  isSigned,
  parseRelease,
  readRecord,
  type Release,
} from "../../lib/ota-format/release.ts";
import type { Bucket } from "../../lib/ota-publish/store/bucket.ts";
import { createKey } from "../../lib/ota-publish/keys.ts";
import { openBucket } from "../../lib/ota-publish/open-bucket.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { withFolder, writeTree } from "./folder.ts";
import type { Tree } from "./ota-world.ts";
import { type Random, runSeed, seededRandom } from "./random.ts";
import { scriptCommand } from "./script.ts";

const PUBLISHERS = 8;
const KILLED = 3;
const STEPS = ["hash", "check", "upload", "claim", "release"];
const MAX_BYTES = LIMITS.manifestBytes;

/** The place of a race. */
export interface RaceTrack {
  /** An empty place for this round, as `--bucket` names it: one URL for each node of its store. */
  readonly bucketUrls: readonly [string, ...string[]];
  /** Credentials of the store. */
  readonly env?: Readonly<Record<string, string>>;
}

/** One publisher, in a process of its own. */
interface Entrant {
  readonly name: string;
  readonly files: Tree;
  readonly dist: string;
  /**
   * When the publisher is killed: the step, and the time after the step began; `null` for never.
   */
  readonly kill: { readonly step: string; readonly afterMs: number } | null;
}

/** How a publisher ended. */
interface Finish {
  readonly entrant: Entrant;
  /** `null` when it was killed. */
  readonly code: number | null;
  readonly output: string;
}

/** The seed of all races of this run. */
export const RACE_SEED: number = runSeed();

/** Runs that many rounds, each at a place of its own. */
export async function race(
  count: number,
  track: (folder: string) => Promise<RaceTrack>,
): Promise<void> {
  await withFolder(async (folder) => {
    for (let round = 0; round < count; round++) {
      const home = join(folder, String(round));
      mkdirSync(home);
      await raceRound(home, await track(home), RACE_SEED + round);
    }
  });
}

/**
 * Runs one round: eight publishers at one bucket at once. Four publish bundles of their own; four
 * publish the same bundle and version, two of them with one content and two with another. Three are
 * killed, at points that the seed decides. Afterwards every published entry must be complete and
 * none lost, and the killed publishers publish again.
 */
async function raceRound(folder: string, track: RaceTrack, seed: number): Promise<void> {
  const runtime = await loadRuntime();
  const keyFile = join(folder, "key.json");
  const key = await createKey(runtime, keyFile);
  assert.ok(key.ok);
  const { publicKey } = key.value;
  // A killed publisher leaves its work folder behind: inside this folder it is removed with the
  // rest.
  const env = { ...track.env, XDG_DATA_HOME: join(folder, "user"), TMPDIR: folder };
  const host = { ...runtime.host, env: (name: string) => ({ ...process.env, ...env })[name] };
  const nodes = track.bucketUrls;
  const bucket = await openBucket({ ...runtime, host }, nodes[0], "user");
  assert.ok(bucket.ok);

  const run = (entrant: Entrant, place: number) =>
    publish(entrant, { bucketUrl: nodes[place % nodes.length] ?? nodes[0], keyFile, env });
  const finished = await Promise.all(lineUp(folder, seededRandom(seed)).map(run));
  await judge(bucket.value, publicKey, finished);
  const again: Finish[] = [];
  for (const [place, { entrant, code }] of finished.entries()) {
    // At another node, which must see what the first one wrote.
    if (code === null) again.push(await run({ ...entrant, kill: null }, place + 1));
  }
  const finishes = [...finished.filter(({ code }) => code !== null), ...again];
  const release = await judge(bucket.value, publicKey, finishes);
  for (const { entrant, code, output } of finishes) {
    if (code === 0) continue;
    assert.equal(entrant.name, "same", output);
    assert.match(output, /exists with other content/, `only other content is refused: ${output}`);
  }
  const won = finishes.filter(({ code }) => code === 0);
  assert.deepEqual(
    Object.keys(release?.bundles ?? {}).sort(),
    [...new Set(finishes.map(({ entrant }) => entrant.name))].sort(),
    "no bundle's entry is lost",
  );
  assert.ok(won.length >= PUBLISHERS - 2, "of the two contents one was published");
}

function lineUp(folder: string, random: Random): Entrant[] {
  const doomed = new Set<number>();
  while (doomed.size < KILLED) doomed.add(random.below(PUBLISHERS));
  return Array.from({ length: PUBLISHERS }, (_, i) => {
    const name = i < 4 ? `own-${i}` : "same";
    const content = i < 4 ? i : i % 2;
    const files: Record<string, string> = { "index.html": `${name} ${content}` };
    for (let file = 0; file < 12; file++) {
      files[`data/${file}.json`] = `${name} ${content} ${file} `.repeat(200);
    }
    const dist = join(folder, `dist-${i}`);
    writeTree(dist, files);
    const step = STEPS[random.below(STEPS.length)] ?? "";
    return { name, files, dist, kill: doomed.has(i) ? { step, afterMs: random.below(40) } : null };
  });
}

function publish(
  entrant: Entrant,
  { bucketUrl, keyFile, env }: {
    readonly bucketUrl: string;
    readonly keyFile: string;
    readonly env: Readonly<Record<string, string>>;
  },
): Promise<Finish> {
  const { dist, name, kill } = entrant;
  const [command, words] = scriptCommand("ota-publish", [
    ...["--dist", dist, "--name", name, "--version", "v1", "--bucket", bucketUrl],
    ...["--key", keyFile, "--json"],
  ]);
  return new Promise((resolve, reject) => {
    const child = spawn(command, words, { env: { ...process.env, ...env } });
    let output = "";
    let timer: ReturnType<typeof setTimeout> | undefined;
    child.stdout.on("data", (chunk) => output += chunk);
    child.stderr.on("data", (chunk) => {
      output += chunk;
      if (kill === null || timer !== undefined) return;
      if (!output.includes(`"name":"${kill.step}"`)) return;
      timer = setTimeout(() => child.kill("SIGKILL"), kill.afterMs);
    });
    child.on("error", reject);
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      resolve({ entrant, code: signal === "SIGKILL" ? null : code, output });
    });
  });
}

/** Checks everything in the bucket against what the publishers say they published. */
async function judge(
  bucket: Bucket,
  publicKey: string,
  finishes: readonly Finish[],
): Promise<Release | null> {
  const bytes = await bytesOf(bucket, "release.json");
  const published = finishes.filter(({ code }) => code === 0);
  if (bytes === null) {
    assert.equal(published.length, 0, "a publish that succeeded left a release");
    return null;
  }
  const record = readRecord(bytes);
  assert.ok(record.ok);
  assert.ok(await isSigned(record.value, publicKey));
  const release = parseRelease(record.value, DEFAULT_TARGET);
  assert.ok(release.ok);
  const { bundles, manifests } = release.value;
  for (const [name, version] of Object.entries(bundles)) {
    const text = await bytesOf(bucket, manifestPath(name, version));
    assert.ok(text !== null && manifests[name] !== undefined);
    const { served: _hint, ...ref } = manifests[name] ?? {};
    assert.deepEqual({ hash: await sha256Hex(text), size: text.length }, ref);
    const manifest = parseManifest(text, { name, version });
    assert.ok(manifest.ok);
    await assertWhole(bucket, manifest.value);
    for (const { entrant, output } of published.filter(({ entrant }) => entrant.name === name)) {
      const index = String(entrant.files["index.html"]);
      const found: string | undefined = manifest.value.files["index.html"]?.hash;
      assert.equal(found, await sha256Hex(new TextEncoder().encode(index)), output);
    }
  }
  for (const { entrant } of published) assert.equal(bundles[entrant.name], "v1");
  return release.value;
}

async function assertWhole(bucket: Bucket, manifest: Manifest): Promise<void> {
  const { name, version, files, bundleZip } = manifest;
  const zip = await bytesOf(bucket, bundleZipPath(name, version));
  assert.ok(zip !== null);
  assert.deepEqual({ hash: await sha256Hex(zip), size: zip.length }, bundleZip);
  const reader = new ZipReader(new Uint8ArrayReader(zip), { useWebWorkers: false });
  const packed: Record<string, string> = {};
  for (const entry of await reader.getEntries()) {
    assert.ok(!entry.directory);
    const content = await entry.getData(new Uint8ArrayWriter());
    packed[entry.filename] = await sha256Hex(content);
  }
  await reader.close();
  const named = Object.entries(files).map(([path, { hash }]) => [path, hash]);
  assert.deepEqual(packed, Object.fromEntries(named), "the zip holds the files of the manifest");
  for (const { hash, size } of Object.values(files)) {
    const bytes = await bytesOf(bucket, contentPath(name, version, hash));
    assert.ok(bytes !== null, `${name} lacks ${hash}`);
    assert.deepEqual({ hash: await sha256Hex(bytes), size: bytes.length }, { hash, size });
  }
}

async function bytesOf(bucket: Bucket, key: string): Promise<Uint8Array<ArrayBuffer> | null> {
  const object = await bucket.read(key, MAX_BYTES);
  assert.ok(object.ok);
  return object.value?.bytes ?? null;
}
