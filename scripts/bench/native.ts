import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CoreFolder, type CoreProcess, startCore } from "./core-process.ts";
import { PHONE_CORPUS } from "./corpus.ts";
import { withFileServer } from "./downloading.ts";
import { megabytes } from "./hashing.ts";
import { coreAt, measureManyFiles, referenceAt } from "./launching.ts";
import { type Contender, median, ratioOf, timeRounds } from "./measure.ts";
import { measureOnce } from "./once.ts";
import type { BenchContext, Measure } from "./part.ts";
import type { Finding } from "./report.ts";
import { measureStaging, NAME, type Published, publishGame, VERSION } from "./updating.ts";

const LAUNCH_ROUNDS = 15;
/** A single launch is too short to time. */
const LAUNCHES = 20;
const REJECTED = Array.from({ length: 10 }, (_, at) => `v${at + 100}`);
/** Bundles that the records hold; of each, ten versions are quarantined. */
const BUNDLES = [1, 100, 1_000];
const QUICK_BUNDLES = [1, 2, 3];

const CORES: readonly (readonly [language: "Swift" | "Java", core: CoreFolder])[] = [
  ["Swift", "ios"],
  ["Java", "android"],
];

/** Memory bound of a process that stages, in MiB. */
const MEMORY_MIB = { Swift: 64, Java: 64, TypeScript: 96 };

/** Measures the phone's own cores: preparing a whole bundle for its boot, and a launch. */
export const measureNative: Measure = async (context) => {
  const bundles = context.quick ? QUICK_BUNDLES : BUNDLES;
  const game = await publishGame(context, PHONE_CORPUS);
  const findings: Finding[] = [];
  const rows: (readonly (string | number)[])[] = [];
  for (const [language, core] of CORES) {
    const device = await startCore(core);
    if (device === null) {
      const notMeasured =
        `native/${core} cannot be built here: scripts/setup-native installs what it needs`;
      findings.push({
        ours: `${language}: stage`,
        against: "unzip, sha256sum -c",
        of: "time",
        notMeasured,
      });
      continue;
    }
    try {
      const staged = await withFileServer(game.zip, (zipUrl) =>
        measureStaging(context, game, {
          name: `${language}: stage`,
          stage(root) {
            device.open(root);
            const { manifest } = game;
            return device.ask("stageUpdate", { name: NAME, version: VERSION, manifest, zipUrl });
          },
        }));
      const peak = device.peakBytes();
      if (peak !== null) findings.push(memoryFinding(language, peak));
      const launched = await measureLaunches(context, device, { language, bundles });
      const many = await measureManyFiles(context, language, (root) => coreAt(device, root));
      findings.push(...staged, ...launched.findings, many.finding);
      rows.push([
        language,
        mebibytes(peak),
        ...launched.ms.map((ms) => ms.toFixed(2)),
        many.ms.toFixed(2),
        many.lookMs.toFixed(1),
      ]);
    } finally {
      await device.close();
    }
  }
  const staged = await measureTypeScript(context, game);
  const reference = await measureManyFiles(
    context,
    "TypeScript",
    (root) => referenceAt(context.runtime, root),
  );
  findings.push(...staged.findings, reference.finding);
  rows.push([
    "TypeScript",
    mebibytes(staged.peak),
    ...bundles.map(() => ""),
    reference.ms.toFixed(2),
    reference.lookMs.toFixed(1),
  ]);
  const size = `${game.corpus.files} files, ${megabytes(game.corpus)} MB`;
  return {
    about:
      `The native cores, each a process with its own disk and network, stage ${size}, from a server ` +
      "on this machine: fetch, unzip, hash and sync every file, seal. The other side only unzips and " +
      "hashes. Then a launch: it looks at its records and writes down what it serves, against " +
      "reading one such file and replacing it, synced. The records hold more and more bundles with " +
      "ten quarantined versions each; the table has the most memory of the process while it staged, " +
      "and milliseconds of one launch. Last, a launch and an activation of a version of many files, " +
      "a hundred a folder, against one look at each of these by the script; the reference launches in " +
      "the script.",
    findings,
    counts: {
      head: [
        "core",
        "MiB",
        ...bundles.map((count) => `${count * REJECTED.length} quarantined`),
        "many files",
        "one look a file",
      ],
      rows,
    },
  };
};

/** The reference device, in a process for each staging: its runtime's start does not count. */
async function measureTypeScript(
  context: BenchContext,
  game: Published,
): Promise<{ findings: Finding[]; peak: number | null }> {
  const manifestFile = join(context.folder, "manifest.json");
  writeFileSync(manifestFile, game.manifest);
  let peak = 0;
  const staged = await withFileServer(game.zip, (zipUrl) =>
    measureStaging(context, game, {
      name: "TypeScript: stage",
      async stage(root) {
        const args = [root, NAME, VERSION, manifestFile, zipUrl];
        const { ms, peakKiB } = await measureOnce("stage-once", args);
        peak = Math.max(peak, peakKiB * 1024);
        return { ok: true, ms };
      },
    }));
  return peak === 0
    ? { findings: staged, peak: null }
    : { findings: [...staged, memoryFinding("TypeScript", peak)], peak };
}

function mebibytes(bytes: number | null): string {
  return bytes === null ? "" : (bytes / 2 ** 20).toFixed(0);
}

function memoryFinding(language: keyof typeof MEMORY_MIB, peakBytes: number): Finding {
  const limit = MEMORY_MIB[language];
  return {
    ours: `${language}: memory while staging`,
    against: `${limit} MiB`,
    of: "bytes",
    ratio: ratioOf([peakBytes], [limit * 2 ** 20]),
  };
}

/** A launch with records that grow, each against its smallest record being read and replaced. */
async function measureLaunches(
  { runtime: { files, clock }, folder, quick, onRound }: BenchContext,
  device: CoreProcess,
  { language, bundles }: { readonly language: string; readonly bundles: readonly number[] },
): Promise<{ findings: Finding[]; ms: number[] }> {
  const repeat = (work: () => Promise<unknown>) => async () => {
    for (let i = 0; i < LAUNCHES; i++) await work();
  };
  const one = join(folder, "record.json");
  writeFileSync(one, new Uint8Array(300));
  const launches = bundles.map((count): Contender => {
    const root = join(folder, `launches-${count}`);
    writeRecords(root, count);
    return {
      prepare: () => device.open(root),
      run: repeat(() => device.ask("launch", { name: NAME, binaryVersion: "1" })),
    };
  });
  const replace: Contender = {
    run: repeat(async () => {
      const bytes = await files.read(one, 1_000);
      if (bytes !== null) await files.writeAtomic(one, bytes);
    }),
  };
  const [theirs = [], ...ours] = await timeRounds([replace, ...launches], {
    rounds: quick ? 2 : LAUNCH_ROUNDS,
    now: () => clock.monotonic(),
    onRound,
  });
  const findings = bundles.map((count, at): Finding => ({
    ours: `${language}: launch, ${count * REJECTED.length} quarantined`,
    against: "limit: read and replace one small file",
    of: "time",
    ratio: ratioOf(ours[at] ?? [], theirs),
  }));
  return { findings, ms: ours.map((times) => median(times) / LAUNCHES) };
}

/** Writes the records of a device with that many bundles, without versions: the binary serves. */
function writeRecords(root: string, count: number): void {
  const names = [NAME, ...Array.from({ length: count - 1 }, (_, at) => `bundle-${at}`)];
  const rejected = Object.fromEntries(names.map((name) => [name, REJECTED]));
  const state = { rejected, lastSeenBinaryVersion: "1" };
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root);
  writeFileSync(join(root, "state.json"), JSON.stringify(state));
  writeFileSync(join(root, "guard.json"), JSON.stringify({ schema: 1, rejected, sequence: {} }));
}
