import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type FileGroup, QUICK_CORPUS, writeCorpus } from "./corpus.ts";
import { megabytes } from "./hashing.ts";
import { ratioOf, timeRounds } from "./measure.ts";
import { measureOnce } from "./once.ts";
import type { BenchContext, Measure } from "./part.ts";
import type { Finding } from "./report.ts";
import { missingPrograms, runShell } from "./shell.ts";

const ROUNDS = 5;
const KIB = 1024;

/** About 200 MB in 5,000 files, like a JDK or an Android SDK: many small ones, few large. */
const TOOL_CORPUS: readonly FileGroup[] = [
  { folder: "lib", extension: "js", count: 4_300, bytes: [KIB, 16 * KIB], content: "text" },
  { folder: "jars", extension: "jar", count: 600, bytes: [32 * KIB, 256 * KIB], content: "text" },
  { folder: "data", extension: "bin", count: 94, bytes: [64 * KIB, 512 * KIB], content: "noise" },
  {
    folder: "native",
    extension: "so",
    count: 6,
    bytes: [6_000 * KIB, 9_000 * KIB],
    content: "text",
  },
];

const PEERS = [
  { format: "tar.gz", peer: "tar xzf", needs: ["tar", "gzip"], pack: 'tar czf "$1" .' },
  { format: "zip", peer: "unzip -q", needs: ["zip", "unzip"], pack: 'zip -qr "$1" .' },
] as const;

/** Unpacking a tool, against the programs that everyone has. */
export const measureExtracting: Measure = async (context) => {
  const source = join(context.folder, "source");
  mkdirSync(source);
  const corpus = writeCorpus(source, context.quick ? QUICK_CORPUS : TOOL_CORPUS);
  const findings: Finding[] = [];
  const rows: [string, number, number][] = [];
  for (const { format, peer, needs, pack } of PEERS) {
    const pair = { ours: `unpack a ${format}`, against: peer, of: "time" } as const;
    const missing = await missingPrograms(needs);
    if (missing.length > 0) {
      findings.push({ ...pair, notMeasured: `${missing.join(", ")} is not on this machine` });
      continue;
    }
    const archive = join(context.folder, `tool.${format}`);
    await runShell(pack, source, [archive]);
    const { ours, theirs, peak } = await compare(context, { archive, format, peer });
    findings.push({ ...pair, ratio: ratioOf(ours, theirs) });
    rows.push([format, corpus.files, Math.round(peak / KIB)]);
  }
  return {
    about: `A tool's archive of ${corpus.files} files, ${megabytes(corpus)} MB, unpacked in a ` +
      "process of its own: every name, link and sum checked on the way. The start of the process " +
      "is not counted, its memory is: the most that it held at any time.",
    findings,
    counts: { head: ["archive", "files", "peak memory in MiB"], rows },
  };
};

interface Comparison {
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
  /** Peak over all rounds, in KiB. */
  readonly peak: number;
}

async function compare(
  { runtime, folder, quick, onRound }: BenchContext,
  { archive, format, peer }: { archive: string; format: string; peer: string },
): Promise<Comparison> {
  const out = join(folder, "out");
  const prepare = () => {
    rmSync(out, { recursive: true, force: true });
    mkdirSync(out);
  };
  let peak = 0;
  const [ours = [], theirs = []] = await timeRounds([
    {
      prepare,
      async run() {
        const { ms, peakKiB } = await measureOnce("extract-once", [archive, format, out]);
        peak = Math.max(peak, peakKiB);
        return ms;
      },
    },
    { prepare, run: async () => void await runShell(`${peer} "$1"`, out, [archive]) },
  ], { rounds: quick ? 2 : ROUNDS, now: () => runtime.clock.monotonic(), onRound });
  return { ours, theirs, peak };
}
