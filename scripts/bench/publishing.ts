import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { bundleZipPath } from "../../lib/ota-format/layout.ts";
import { DEFAULT_TARGET } from "../../lib/ota-format/release.ts";
import { generateKeyPair, type KeyPair } from "../../lib/ota-format/signing.ts";
import { createFileBucket } from "../../lib/ota-publish/file/bucket.ts";
import { createKey } from "../../lib/ota-publish/keys.ts";
import { publish } from "../../lib/ota-publish/publish.ts";
import { packageRoot } from "../shared/runtime.ts";
import { type Corpus, LARGE_CORPUS, QUICK_CORPUS, writeCorpus } from "./corpus.ts";
import { megabytes } from "./hashing.ts";
import { type Contender, ratioOf, timeRounds } from "./measure.ts";
import type { BenchContext, Measure } from "./part.ts";
import type { Finding } from "./report.ts";
import { missingPrograms, runShell } from "./shell.ts";

const ROUNDS = 3;
const NAME = "shell";
const CHANGED = 10;
/** Memory limit of a publication of any size. */
const MEMORY_LIMIT_BYTES = 200e6;
const SYNC_ALL = 'find "$1" -type f -print0 | xargs -0 sync';

/** Input and output folders of the sides. */
interface Places {
  readonly dist: string;
  readonly out: string;
}

/** The baseline of a publication: programs that copy and pack a folder. */
interface Peer {
  readonly name: string;
  /** Copies the current folder into `$1/files` and packs it into `$1/bundle.zip`. */
  readonly line: string;
}

/** A first publish to a bucket in a folder. */
export const measureFirstPublish: Measure = async (context) => {
  const { places, corpus } = prepare(context);
  const peer = await findPeer();
  const about = `A first publish of ${corpus.files} files, ${megabytes(corpus)} MB, to a ` +
    "`file://` bucket: hash, pack, write each file whole and synced, sign. The other side only " +
    "copies and packs. Memory is the most that the script takes, its runtime included.";
  const memory: Finding = {
    ours: "publish",
    against: "200 MB",
    of: "bytes",
    ...await memoryOf(context, places),
  };
  if (typeof peer === "string") {
    return { about, findings: [...missingPeer(peer, ["time", "bytes"]), memory] };
  }

  const key = await generateKeyPair();
  const sizes = { ours: 0, theirs: 0 };
  const sizeOf = (path: string) => statSync(join(places.out, path)).size;
  const theirs = (line: string): Contender => ({
    prepare: () => empty(places),
    run: async () => {
      await runShell(line, places.dist, [places.out]);
      sizes.theirs = sizeOf("bundle.zip");
    },
  });
  const [ours = [], copied = [], synced = []] = await timeRounds([
    {
      prepare: () => empty(places),
      run: async () => {
        await publishOnce(context, places, { key, version: "v1" });
        sizes.ours = sizeOf(join("bucket", bundleZipPath(NAME, "v1")));
      },
    },
    theirs(peer.line),
    theirs(`${peer.line} && ${SYNC_ALL}`),
  ], roundsOf(context));
  const of = "time";
  return {
    about,
    findings: [
      { ours: "publish", against: peer.name, of, ratio: ratioOf(ours, copied) },
      {
        ours: "publish",
        against: `${peer.name}, sync every file`,
        of,
        ratio: ratioOf(ours, synced),
      },
      {
        ours: "bundle.zip",
        against: "zip -r",
        of: "bytes",
        ratio: ratioOf([sizes.ours], [sizes.theirs]),
      },
      memory,
    ],
  };
};

/** A second publish, with a few files changed. */
export const measureSecondPublish: Measure = async (context) => {
  const { places, corpus } = prepare(context);
  const peer = await findPeer();
  const about =
    `The same ${corpus.files} files again with ${CHANGED} of them changed: only files that were ` +
    "written since are hashed, what the last version holds is linked inside the bucket, what its zip " +
    "holds is taken over. The first round also reads what the first publish wrote in its last seconds.";
  if (typeof peer === "string") return { about, findings: missingPeer(peer, ["time"]) };
  const key = await generateKeyPair();
  empty(places);
  const theirOut = join(places.out, "theirs");
  mkdirSync(theirOut);
  await publishOnce(context, places, { key, version: "v1" });
  await runShell(peer.line, places.dist, [theirOut]);
  let turn = 1;
  const [ours = [], theirs = []] = await timeRounds([
    {
      prepare: () => change(places.dist, ++turn),
      run: () => publishOnce(context, places, { key, version: `v${turn}` }),
    },
    {
      prepare: () => {
        change(places.dist, ++turn);
        rmSync(join(theirOut, "bundle.zip"));
      },
      run: async () => void await runShell(peer.line, places.dist, [theirOut]),
    },
  ], roundsOf(context));
  return {
    about,
    findings: [{ ours: "publish", against: peer.name, of: "time", ratio: ratioOf(ours, theirs) }],
  };
};

function prepare({ folder, quick }: BenchContext): { places: Places; corpus: Corpus } {
  const places = { dist: join(folder, "dist"), out: join(folder, "out") };
  mkdirSync(places.dist);
  return { places, corpus: writeCorpus(places.dist, quick ? QUICK_CORPUS : LARGE_CORPUS) };
}

function empty({ out }: Places): void {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out);
}

function roundsOf({ runtime, quick, onRound }: BenchContext) {
  return { rounds: quick ? 2 : ROUNDS, now: () => runtime.clock.monotonic(), onRound };
}

/** Gives some files new content. */
function change(dist: string, turn: number): void {
  for (let file = 0; file < CHANGED; file++) {
    const path = join(dist, "code", "part-0", `file-${file}.js`);
    writeFileSync(path, `// turn ${turn}\n${readFileSync(path, "utf8")}`);
  }
}

/** Returns the programs that copy and pack here, or a text with the missing ones. */
async function findPeer(): Promise<Peer | string> {
  const missing = await missingPrograms(["cp", "zip", "rclone"]);
  if (missing.includes("zip")) return "zip is not on this machine";
  const pack = 'zip -q -r "$1/bundle.zip" .';
  if (!missing.includes("rclone")) {
    return { name: "rclone copy, zip -r", line: `rclone copy . "$1/files" && ${pack}` };
  }
  if (missing.includes("cp")) return "neither rclone nor cp is on this machine";
  return { name: "cp -r, zip -r", line: `mkdir -p "$1/files" && cp -r . "$1/files" && ${pack}` };
}

function missingPeer(notMeasured: string, kinds: readonly ("time" | "bytes")[]): Finding[] {
  return kinds.map((of) => ({ ours: "publish", against: "rclone copy, zip -r", of, notMeasured }));
}

async function publishOnce(
  { runtime }: BenchContext,
  { dist, out }: Places,
  { key, version }: { readonly key: KeyPair; readonly version: string },
): Promise<void> {
  const workFolder = join(out, "work");
  mkdirSync(workFolder, { recursive: true });
  const bucket = createFileBucket({ ...runtime, folder: join(out, "bucket") });
  const packedFolder = join(out, "packed");
  const scannedFolder = join(out, "scanned");
  const published = await publish({ ...runtime, bucket, workFolder, packedFolder, scannedFolder }, {
    dist,
    name: NAME,
    version,
    engineApi: 1,
    target: DEFAULT_TARGET,
    key,
    minSequence: 0,
  });
  if (!published.ok) throw new Error(published.error.message);
}

/** The most memory that the script takes for a publish, of the limit. */
async function memoryOf(
  { runtime, folder }: BenchContext,
  places: Places,
): Promise<{ ratio: ReturnType<typeof ratioOf> } | { notMeasured: string }> {
  if (process.platform !== "linux") return { notMeasured: "only Linux tells" };
  empty(places);
  const keyFile = join(folder, "key.json");
  const key = await createKey(runtime, keyFile);
  if (!key.ok) throw new Error(key.error.message);
  const script = join(packageRoot(), "scripts", "ota-publish.ts");
  const child = spawn(process.execPath, [
    ...["run", "-A", script, "--dist", places.dist, "--name", NAME, "--version", "v1"],
    ...["--bucket", pathToFileURL(join(places.out, "bucket")).href, "--key", keyFile],
  ], { stdio: "ignore", env: { ...process.env, XDG_DATA_HOME: join(folder, "user") } });
  let most = 0;
  const look = setInterval(() => {
    const peak = /^VmHWM:\s+(\d+) kB/m.exec(statusOf(child.pid))?.[1];
    most = Math.max(most, Number(peak ?? 0) * 1024);
  }, 20);
  const code = await new Promise((resolve) => child.on("close", resolve));
  clearInterval(look);
  if (code !== 0 || most === 0) return { notMeasured: `the script ended with ${code}` };
  return { ratio: ratioOf([most], [MEMORY_LIMIT_BYTES]) };
}

function statusOf(pid: number | undefined): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return ""; // it has ended
  }
}
