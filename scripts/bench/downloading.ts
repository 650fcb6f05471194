import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { download } from "../../lib/toolchain/download/download.ts";
import { createRandom } from "./corpus.ts";
import { ratioOf, timeRounds } from "./measure.ts";
import type { BenchContext } from "./part.ts";
import type { Finding, Found } from "./report.ts";
import { missingPrograms, runShell } from "./shell.ts";

const ROUNDS = 9;
const FULL_BYTES = 200_000_000;
const QUICK_BYTES = 2_000_000;

/** A pinned download: streamed, hashed, synced, renamed; from a server on this machine. */
export async function measureDownloading(context: BenchContext): Promise<Found> {
  const { runtime, folder, quick, onRound } = context;
  const bytes = quick ? QUICK_BYTES : FULL_BYTES;
  const served = join(folder, "served");
  const content = noise(bytes);
  writeFileSync(served, content);
  const sha256 = createHash("sha256").update(content).digest("hex");
  const ours = "download, hash and sync";
  const peers = [
    { name: "curl alone", line: 'curl -sS -o "$2" "$1"' },
    { name: "curl, then sha256sum", line: 'curl -sS -o "$2" "$1" && sha256sum "$2"' },
    {
      name: "curl, then sha256sum and sync",
      line: 'curl -sS -o "$2" "$1" && sha256sum "$2" && sync "$2"',
    },
  ];
  const missing = await missingPrograms(["curl", "sha256sum", "sync"]);
  const about = `One file of ${bytes / 1e6} MB from an HTTP server on this machine, which limits ` +
    "both sides. On a real line the hash and the disk are done while the next bytes come.";
  if (missing.length > 0) {
    const notMeasured = `${missing.join(", ")} is not on this machine`;
    return {
      about,
      findings: peers.map(({ name }) => ({ ours, against: name, of: "time", notMeasured })),
    };
  }
  const to = join(folder, "downloaded");
  const prepare = () => rmSync(to, { force: true });
  return await withFileServer(served, async (url) => {
    const run = async () => {
      const result = await download({
        artifact: { name: "bench", url, sha256, bytes },
        to,
        progress: { log: () => undefined, progress: () => undefined },
      }, runtime);
      if (!result.ok) throw new Error(result.error.message);
    };
    const theirs = peers.map(({ line }) => ({
      prepare,
      run: async () => void await runShell(line, folder, [url, to]),
    }));
    const rounds = quick ? 2 : ROUNDS;
    const now = () => runtime.clock.monotonic();
    const [own = [], ...others] = await timeRounds([{ prepare, run }, ...theirs], {
      rounds,
      now,
      onRound,
    });
    const findings = peers.map(({ name }, i): Finding => ({
      ours,
      against: name,
      of: "time",
      ratio: ratioOf(own, others[i] ?? []),
    }));
    return { about, findings };
  });
}

/** Works with the address of a server, in a process of its own, that serves one file. */
export async function withFileServer<T>(
  path: string,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const extension = import.meta.url.endsWith(".ts") ? ".ts" : ".js";
  const script = fileURLToPath(new URL(`./file-server${extension}`, import.meta.url));
  const words = "Deno" in globalThis ? ["run", "-A", script, path] : [script, path];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
  const end = () => child.kill("SIGTERM"); // an interrupted benchmark leaves no server behind
  process.once("exit", end);
  try {
    for await (const url of createInterface({ input: child.stdout })) return await work(url);
    throw new Error("The file server printed no address");
  } finally {
    process.off("exit", end);
    end();
  }
}

function noise(bytes: number): Uint8Array {
  const random = createRandom(7);
  const words = new Uint32Array(Math.ceil(bytes / 4));
  for (let i = 0; i < words.length; i++) words[i] = random();
  return new Uint8Array(words.buffer, 0, bytes);
}
