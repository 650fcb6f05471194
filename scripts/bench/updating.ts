import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "../../lib/core/json.ts";
import { checkForUpdate } from "../../lib/ota-client/check.ts";
import { createDevice, type Device } from "../../lib/ota-device/device.ts";
import { bundleZipPath, manifestPath, publicUrl } from "../../lib/ota-format/layout.ts";
import type { Manifest } from "../../lib/ota-format/manifest.ts";
import { DEFAULT_TARGET } from "../../lib/ota-format/release.ts";
import { generateKeyPair } from "../../lib/ota-format/signing.ts";
import { createFileBucket } from "../../lib/ota-publish/file/bucket.ts";
import { publish } from "../../lib/ota-publish/publish.ts";
import type { Fetch } from "../../lib/ports/fetch.ts";
import { createStaticHandler } from "../../lib/project/served/mod.ts";
import { type Corpus, type FileGroup, GAME_CORPUS, QUICK_CORPUS, writeCorpus } from "./corpus.ts";
import { megabytes } from "./hashing.ts";
import { ratioOf, timeRounds } from "./measure.ts";
import type { BenchContext, Measure } from "./part.ts";
import type { Finding } from "./report.ts";
import { missingPrograms, runShell } from "./shell.ts";

const BASE_URL = "https://bucket.example";
/** The published bundle. */
export const NAME = "shell";
export const VERSION = "v1";
const STAGE_ROUNDS = 5;
const CHECK_ROUNDS = 30;
/** A single check is too short to time. */
const CHECKS = 20;

/** A game that is published, and the network that leads to it. */
export interface Published {
  readonly corpus: Corpus;
  readonly manifest: string;
  readonly files: Manifest["files"];
  readonly publicKey: string;
  readonly bucket: string;
  /** The file of its `bundle.zip`. */
  readonly zip: string;
  readonly fetch: Fetch;
  /** Number of requests, and of response bytes. */
  readonly traffic: { requests: number; bytes: number };
}

/** Measures preparing a whole bundle for its boot, and a check with nothing to do. */
export const measureUpdating: Measure = async (context) => {
  const game = await publishGame(context, GAME_CORPUS);
  const staged = await measureStaging(context, game, {
    name: "stage a bundle",
    stage: (root) =>
      deviceAt(context, root, game).stageUpdate({
        name: NAME,
        version: VERSION,
        manifest: game.manifest,
        zipUrl: publicUrl(BASE_URL, bundleZipPath(NAME, VERSION)),
      }),
  });
  const { findings, traffic } = await measureCheck(context, game);
  return {
    about:
      `A phone takes a game of ${game.corpus.files} files, ${megabytes(game.corpus)} MB, as one ` +
      "bundle.zip: fetch, hash, unzip, hash every file, sync each, seal. The other side unzips and " +
      "compares the hashes of what it unzipped. Then a check with nothing to do, against the fetch " +
      "of the release alone. No socket is between.",
    findings: [...staged, ...findings],
    counts: {
      head: ["check with nothing to do", "count"],
      rows: [["requests", traffic.requests], ["bytes", traffic.bytes]],
    },
  };
};

/** Publishes a game of made-up files. */
export async function publishGame(
  { runtime, folder, quick }: BenchContext,
  groups: readonly FileGroup[],
): Promise<Published> {
  const dist = join(folder, "dist");
  const workFolder = join(folder, "work");
  const bucket = join(folder, "bucket");
  for (const place of [dist, workFolder]) mkdirSync(place);
  const corpus = writeCorpus(dist, quick ? QUICK_CORPUS : groups);
  const key = await generateKeyPair();
  let files: Manifest["files"] = {};
  const published = await publish({
    ...runtime,
    bucket: createFileBucket({ ...runtime, folder: bucket }),
    workFolder,
    readBack: (_release, manifest) => {
      files = manifest.files;
      return Promise.resolve(null);
    },
  }, {
    dist,
    name: NAME,
    version: VERSION,
    engineApi: 1,
    target: DEFAULT_TARGET,
    key,
    minSequence: 0,
  });
  if (!published.ok) throw new Error(published.error.message);
  const traffic = { requests: 0, bytes: 0 };
  const serve = createStaticHandler(runtime.files, bucket);
  const fetch: Fetch = async (url, init) => {
    const response = await serve(new Request(url, init));
    traffic.requests++;
    traffic.bytes += Number(response.headers.get("content-length"));
    return response;
  };
  const manifest = await (await fetch(publicUrl(BASE_URL, manifestPath(NAME, VERSION)))).text();
  const zip = join(bucket, bundleZipPath(NAME, VERSION));
  return { corpus, manifest, files, publicKey: key.publicKey, bucket, zip, fetch, traffic };
}

function deviceAt({ runtime }: BenchContext, root: string, { fetch }: Published): Device {
  return createDevice({ ...runtime, root, fetch });
}

/** A device that stages the whole bundle. */
export interface StagingDevice {
  readonly name: string;
  /** Stages into a folder that is not there yet; answers as `stageUpdate` does, perhaps with `ms`. */
  readonly stage: (root: string) => Promise<unknown>;
}

/** Times a staging against unzipping and hashing the same archive. */
export async function measureStaging(
  { runtime, folder, quick, onRound }: BenchContext,
  { files, zip }: Published,
  { name, stage }: StagingDevice,
): Promise<Finding[]> {
  const pair = { ours: name, of: "time" } as const;
  const [peer, syncing] = ["unzip, sha256sum -c", "unzip, sha256sum -c, sync every file"];
  const missing = await missingPrograms(["unzip", "sha256sum", "find", "xargs", "sync"]);
  if (missing.length > 0) {
    const notMeasured = `${missing.join(", ")} is not on this machine`;
    return [{ ...pair, against: peer, notMeasured }, { ...pair, against: syncing, notMeasured }];
  }
  const root = join(folder, "phone");
  const out = join(folder, "unzipped");
  const sums = join(folder, "sums");
  const lines = Object.entries(files).map(([path, { hash }]) => `${hash}  ./${path}\n`);
  writeFileSync(sums, lines.join(""));
  const unzip = 'unzip -q "$1" && sha256sum --quiet -c "$2"';
  const theirs = (line: string) => ({
    prepare: () => {
      rmSync(out, { recursive: true, force: true });
      mkdirSync(out);
    },
    run: async () => void await runShell(line, out, [zip, sums]),
  });
  const [ours = [], plain = [], synced = []] = await timeRounds([
    {
      prepare: () => rmSync(root, { recursive: true, force: true }),
      run: async () => {
        const staged = await stage(root);
        if (!isRecord(staged) || staged["ok"] !== true) throw new Error(JSON.stringify(staged));
        if (typeof staged["ms"] === "number") return staged["ms"];
      },
    },
    theirs(unzip),
    theirs(`${unzip} && find . -type f -print0 | xargs -0 sync`),
  ], { rounds: quick ? 2 : STAGE_ROUNDS, now: () => runtime.clock.monotonic(), onRound });
  return [
    { ...pair, against: peer, ratio: ratioOf(ours, plain) },
    { ...pair, against: syncing, ratio: ratioOf(ours, synced) },
  ];
}

async function measureCheck(
  context: BenchContext,
  game: Published,
): Promise<{ findings: Finding[]; traffic: Published["traffic"] }> {
  const { runtime, folder, quick, onRound } = context;
  const { fetch, publicKey, traffic } = game;
  const native = deviceAt(context, join(folder, "current"), game);
  const check = async (expected: string) => {
    const { result } = await checkForUpdate({ fetch, native }, {
      baseUrl: BASE_URL,
      publicKey,
      bundleName: NAME,
      engineApi: 1,
    });
    if (result !== expected) throw new Error(`The check answered ${result}, expected ${expected}`);
  };
  await check("staged");
  traffic.requests = traffic.bytes = 0;
  await check("up-to-date");
  const seen = { ...traffic };
  const repeat = (work: () => Promise<void>) => async () => {
    for (let i = 0; i < CHECKS; i++) await work();
  };
  const [ours = [], theirs = []] = await timeRounds([
    { run: repeat(() => check("up-to-date")) },
    {
      run: repeat(async () => {
        await (await fetch(publicUrl(BASE_URL, "release.json"))).arrayBuffer();
      }),
    },
  ], { rounds: quick ? 2 : CHECK_ROUNDS, now: () => runtime.clock.monotonic(), onRound });
  const against = "limit: fetch of the release";
  return {
    findings: [{ ours: "check", against, of: "time", ratio: ratioOf(ours, theirs) }],
    traffic: seen,
  };
}
