import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { packageRoot } from "../shared/runtime.ts";
import { failed, type Outcome, passed, skipped, sum } from "./outcome.ts";

// The stores that the tests start: programs in Go, built once from pinned versions into the
// checkout's .cache/.

/** The programs, each a Go package and its version. */
export const STORES = {
  /** S3 over a folder, with conditional writes. */
  "versitygw": { module: "github.com/versity/versitygw/cmd/versitygw", version: "v1.8.0" },
  /** Google Cloud Storage over memory. */
  "fake-gcs-server": { module: "github.com/fsouza/fake-gcs-server", version: "v1.56.1" },
  /** S3 over several nodes that agree by quorum; for the soak. */
  "minio": {
    module: "github.com/minio/minio",
    version: "v0.0.0-20260212201848-7aac2a2c5b7c",
  },
} as const;

/** One of the programs. */
export type StoreName = keyof typeof STORES;

/** Where a program is, or why it is not. */
export type StoreBinary =
  | { readonly kind: "built"; readonly path: string }
  /** This machine has no Go, or too old a one: its tests are skipped. */
  | { readonly kind: "no-go"; readonly reason: string }
  | { readonly kind: "failed"; readonly reason: string };

/** How long a build may take, in milliseconds. */
const BUILD_MS = 900_000;

/** Finds a program in the cache, or builds it there. Of several processes one builds, others wait. */
export async function storeBinary(name: StoreName): Promise<StoreBinary> {
  const { module, version } = STORES[name];
  const cache = join(packageRoot(), ".cache", "stores");
  const folder = join(cache, `${name}-${version}`);
  const path = join(folder, process.platform === "win32" ? `${name}.exe` : name);
  if (existsSync(path)) return { kind: "built", path };
  mkdirSync(folder, { recursive: true });
  return await withLock(join(folder, "lock"), async () => {
    if (existsSync(path)) return { kind: "built", path };
    // Beside its place, so that it can be renamed there: nobody sees half of a program.
    const temporary = mkdtempSync(join(cache, "build-"));
    try {
      const built = await go(["install", `${module}@${version}`], temporary);
      if (built !== null) return built;
      renameSync(join(temporary, path.slice(folder.length)), path);
      return { kind: "built", path };
    } finally {
      rmSync(temporary, { recursive: true, force: true });
    }
  });
}

/** A step of the gate: builds every store before the tests run, so that no test file waits for it. */
export async function buildStores(names: readonly StoreName[] = storeNames()): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  for (const name of names) { // one after another: each build uses all cores
    const binary = await storeBinary(name);
    if (binary.kind === "built") outcomes.push(passed());
    else if (binary.kind === "no-go") outcomes.push(skipped(`build ${name}`, binary.reason));
    else outcomes.push(failed(binary.reason));
  }
  return sum(outcomes);
}

/** Those that the gate needs; the soak builds its own when it comes to it. */
function storeNames(): readonly StoreName[] {
  return ["versitygw", "fake-gcs-server"];
}

/** What a Go says that is too old and may not fetch a newer one; before 1.21 no Go did. */
const TOO_OLD = /^.*(?:requires go >=|module requires Go|invalid go version).*$/m;

/** Runs Go. @returns `null` when it did what it was asked for. */
function go(args: readonly string[], bin: string): Promise<StoreBinary | null> {
  const env = { ...process.env, GOBIN: bin };
  return new Promise((resolve) => {
    execFile("go", args, { env, timeout: BUILD_MS }, (error, _stdout, stderr) => {
      if (error === null) return resolve(null);
      if ("code" in error && error.code === "ENOENT") {
        return resolve({ kind: "no-go", reason: "this machine has no Go to build it with" });
      }
      const [older] = TOO_OLD.exec(stderr) ?? [];
      if (older !== undefined) return resolve({ kind: "no-go", reason: older });
      const last = stderr.trimEnd().split("\n").slice(-10).join("\n");
      resolve({ kind: "failed", reason: `go ${args.join(" ")}: ${last || error.message}` });
    });
  });
}

/** Only saves work: were it ever held twice, a program is built twice and put in place whole. */
async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + BUILD_MS;
  while (!take(path) && performance.now() < deadline) {
    const holder = readHolder(path);
    if (holder !== null && !isAlive(holder)) rmSync(path, { force: true });
    else await sleep(200);
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

function take(path: string): boolean {
  try {
    writeFileSync(path, String(process.pid), { flag: "wx" });
    return true;
  } catch {
    return false;
  }
}

function readHolder(path: string): number | null {
  try {
    return Number(readFileSync(path, "utf8")) || null; // none yet: it is being written
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return thrown instanceof Error && "code" in thrown && thrown.code === "EPERM";
  }
}
