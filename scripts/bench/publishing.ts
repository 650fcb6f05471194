import { mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { bundleZipPath } from "../../lib/ota-format/layout.ts";
import { DEFAULT_AUDIENCE } from "../../lib/ota-format/release.ts";
import { generateKeyPair, type KeyPair } from "../../lib/ota-format/signing.ts";
import { createFileBucket } from "../../lib/ota-publish/file-bucket.ts";
import { publish } from "../../lib/ota-publish/publish.ts";
import { FULL_CORPUS, QUICK_CORPUS, writeCorpus } from "./corpus.ts";
import { megabytes } from "./hashing.ts";
import { type Contender, ratioOf, timeRounds } from "./measure.ts";
import type { BenchContext } from "./part.ts";
import type { Finding, Section } from "./report.ts";
import { missingPrograms, runShell } from "./shell.ts";

const ROUNDS = 5;
const NAME = "shell";
const VERSION = "v1";

/** Where the sides read and write; `out` is empty when a side starts. */
interface Places {
  readonly dist: string;
  readonly out: string;
}

/** The first publish of a version to a bucket in a folder. */
export async function measurePublishing(context: BenchContext): Promise<Omit<Section, "name">> {
  const { runtime, folder, quick, onRound } = context;
  const places = { dist: join(folder, "dist"), out: join(folder, "out") };
  mkdirSync(places.dist);
  const corpus = writeCorpus(places.dist, quick ? QUICK_CORPUS : FULL_CORPUS);
  const about = `A first publish of ${corpus.files} files, ${megabytes(corpus)} MB, to a ` +
    "`file://` bucket: hash, pack, write each file whole and synced, sign. The other side only " +
    "copies and packs.";
  const zip = await findZip();
  if (zip === null) {
    const notMeasured = "neither zip nor python3 is on this machine";
    const findings: Finding[] = [
      { ours: "publish", against: "cp -r, zip -r", of: "time", notMeasured },
      { ours: "bundle.zip", against: "zip -r", of: "bytes", notMeasured },
    ];
    return { about, findings };
  }

  const key = await generateKeyPair();
  const sizes = { ours: 0, theirs: 0 };
  const sizeOf = (path: string) => statSync(join(places.out, path)).size;
  const empty = () => {
    rmSync(places.out, { recursive: true, force: true });
    mkdirSync(places.out);
  };
  const copyAndZip = `cp -r . "$1/files" && ${zip.line}`;
  const shell = (line: string) => runShell(line, places.dist, [places.out]);
  const contenders: readonly Contender[] = [
    {
      prepare: empty,
      run: async () => {
        await publishOnce(context, places, key);
        sizes.ours = sizeOf(join("bucket", bundleZipPath(NAME, VERSION)));
      },
    },
    {
      prepare: empty,
      run: async () => {
        await shell(copyAndZip);
        sizes.theirs = sizeOf("bundle.zip");
      },
    },
    {
      prepare: empty,
      run: async () =>
        void await shell(`${copyAndZip} && find "$1" -type f -print0 | xargs -0 sync`),
    },
  ];
  const now = () => runtime.clock.monotonic();
  const [ours = [], copied = [], synced = []] = await timeRounds(contenders, {
    rounds: quick ? 2 : ROUNDS,
    now,
    onRound,
  });
  const findings: Finding[] = [
    {
      ours: "publish",
      against: `cp -r, ${zip.name}`,
      of: "time",
      ratio: ratioOf(ours, copied),
    },
    {
      ours: "publish",
      against: `cp -r, ${zip.name}, sync every file`,
      of: "time",
      ratio: ratioOf(ours, synced),
    },
    {
      ours: "bundle.zip",
      against: zip.name,
      of: "bytes",
      ratio: ratioOf([sizes.ours], [sizes.theirs]),
    },
  ];
  return { about, findings };
}

/** The command that packs the current folder into `$1/bundle.zip`. */
async function findZip(): Promise<{ readonly name: string; readonly line: string } | null> {
  const missing = await missingPrograms(["cp", "zip", "python3"]);
  if (missing.includes("cp")) return null;
  if (!missing.includes("zip")) return { name: "zip -r", line: 'zip -q -r "$1/bundle.zip" .' };
  if (missing.includes("python3")) return null;
  return {
    name: "python3 -m zipfile",
    line: 'python3 -m zipfile -c "$1/bundle.zip" .',
  };
}

async function publishOnce(
  { runtime }: BenchContext,
  { dist, out }: Places,
  key: KeyPair,
): Promise<void> {
  const folder = join(out, "bucket");
  const workFolder = join(out, "work");
  mkdirSync(workFolder);
  const bucket = createFileBucket({ ...runtime, folder });
  const published = await publish({ ...runtime, bucket, workFolder }, {
    dist,
    name: NAME,
    version: VERSION,
    engineApi: 1,
    audience: DEFAULT_AUDIENCE,
    key,
    minSequence: 0,
  });
  if (!published.ok) throw new Error(published.error.message);
}
