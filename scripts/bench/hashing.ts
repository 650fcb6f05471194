import { scanFolder } from "../../lib/ota-publish/scan.ts";
import { type Corpus, FULL_CORPUS, QUICK_CORPUS, writeCorpus } from "./corpus.ts";
import { type Contender, ratioOf, timeRounds } from "./measure.ts";
import type { BenchContext } from "./part.ts";
import type { Finding, Found } from "./report.ts";
import { missingPrograms, runShell } from "./shell.ts";

const ROUNDS = 15;
const LIST = "find . -type f -print0";

interface Peer extends Contender {
  readonly name: string;
  /** Programs that it needs. */
  readonly needs: readonly string[];
}

/** Hashing every file of a folder, as a publish does. */
export async function measureHashing(context: BenchContext): Promise<Found> {
  const { runtime, folder, quick, onRound } = context;
  const corpus = writeCorpus(folder, quick ? QUICK_CORPUS : FULL_CORPUS);
  const peers = peersOf(context, corpus);
  const missing = await missingPrograms([...new Set(peers.flatMap(({ needs }) => needs))]);
  const lacks = ({ needs }: Peer) => needs.filter((name) => missing.includes(name));
  const present = peers.filter((peer) => lacks(peer).length === 0);
  if (missing.length === 0) await compareHashes(context);

  const scan = { run: async () => void await scanned(runtime, folder) };
  const rounds = quick ? 2 : ROUNDS;
  const now = () => runtime.clock.monotonic();
  const [ours = [], ...theirs] = await timeRounds([scan, ...present], { rounds, now, onRound });
  return {
    about: `The scan of a publish over ${corpus.files} files, ${megabytes(corpus)} MB: ` +
      "made-up code and data, textures, sound. The limit is one thread of the same native SHA-256 " +
      "and no file.",
    findings: peers.map((peer): Finding => {
      const pair = { ours: "scan a folder", against: peer.name, of: "time" } as const;
      return present.includes(peer)
        ? { ...pair, ratio: ratioOf(ours, theirs[present.indexOf(peer)] ?? []) }
        : { ...pair, notMeasured: `${lacks(peer).join(", ")} is not on this machine` };
    }),
  };
}

function peersOf({ runtime, folder }: BenchContext, { bytes }: Corpus): readonly Peer[] {
  const shell = (line: string) => async () => void await runShell(`${line} > /dev/null`, folder);
  return [
    {
      name: "xargs sha256sum",
      needs: ["find", "xargs", "sha256sum"],
      run: shell(`${LIST} | xargs -0 sha256sum`),
    },
    {
      name: "xargs -P2 sha256sum",
      needs: ["find", "xargs", "sha256sum"],
      run: shell(`${LIST} | xargs -0 -n 32 -P 2 sha256sum`),
    },
    {
      name: "limit: as many bytes from memory",
      needs: [],
      run: () => {
        const hash = runtime.hashing.createSha256();
        const chunk = new Uint8Array(256 * 1024);
        for (let left = bytes; left > 0; left -= chunk.length) {
          hash.update(chunk.subarray(0, left));
        }
        hash.hex();
      },
    },
  ];
}

async function scanned(runtime: BenchContext["runtime"], folder: string) {
  const result = await scanFolder(runtime, folder);
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

/** Both sides must do the same work: a comparison with different results is worthless. */
async function compareHashes({ runtime, folder }: BenchContext): Promise<void> {
  const ours = Object.entries(await scanned(runtime, folder))
    .map(([path, { hash }]) => `${hash}  ./${path}`);
  const theirs = (await runShell(`${LIST} | xargs -0 sha256sum`, folder)).trimEnd().split("\n");
  if (ours.sort().join("\n") !== theirs.sort().join("\n")) {
    throw new Error("The scan and sha256sum disagree: expected the same hashes of the same files");
  }
}

/** Millions of bytes, for people. */
export function megabytes({ bytes }: Corpus): string {
  return (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0);
}
