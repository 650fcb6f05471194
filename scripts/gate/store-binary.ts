import { execFile } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { cacheEntry, shortHash } from "./cache-entry.ts";
import { failed, type Outcome, passed, skipped, sum } from "./outcome.ts";

// The stores that the tests start: programs in Go, built once from pinned versions into the user's
// cache.

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

/** A program of the list. */
export type StoreName = keyof typeof STORES;

/** The path of a program, or why it is missing. */
export type StoreBinary =
  | { readonly kind: "built"; readonly path: string }
  /** This machine has no Go, or too old a one: its tests are skipped. */
  | { readonly kind: "no-go"; readonly reason: string }
  | { readonly kind: "failed"; readonly reason: string };

/** How long a build may take, in milliseconds. */
const BUILD_MS = 900_000;
/** Settings of Go that determine the program, besides the sources. */
const SETTINGS = ["GOVERSION", "GOOS", "GOARCH", "CGO_ENABLED", "GOFLAGS"];

/** Finds a program in the cache, or builds it there. Of several processes one builds, others wait. */
export async function storeBinary(name: StoreName): Promise<StoreBinary> {
  const { module, version } = STORES[name];
  try {
    const settings = await go(["env", ...SETTINGS]);
    if (settings === null) {
      return { kind: "no-go", reason: "this machine has no Go to build it with" };
    }
    const folder = await cacheEntry({
      name: `${name}-${version}-${shortHash(`${module}\n${settings}`)}`,
      make: async (fresh) => void await go(["install", `${module}@${version}`], { GOBIN: fresh }),
    });
    return {
      kind: "built",
      path: join(folder, process.platform === "win32" ? `${name}.exe` : name),
    };
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    const [older] = TOO_OLD.exec(reason) ?? [];
    return older === undefined ? { kind: "failed", reason } : { kind: "no-go", reason: older };
  }
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

/** Returns the stores that the gate needs; the soak builds its own on demand. */
function storeNames(): readonly StoreName[] {
  return ["versitygw", "fake-gcs-server"];
}

/** Message of a Go that is too old and may not fetch a newer one; before 1.21 no Go could. */
const TOO_OLD = /^.*(?:requires go >=|module requires Go|invalid go version).*$/m;

/** Runs Go. @returns Its output, or `null` without Go. @throws Its last lines. */
function go(
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<string | null> {
  const env = { ...process.env, ...settings };
  return new Promise((resolve, reject) => {
    execFile("go", args, { env, timeout: BUILD_MS }, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      if ("code" in error && error.code === "ENOENT") return resolve(null);
      const last = TOO_OLD.exec(stderr)?.[0] ?? stderr.trimEnd().split("\n").slice(-10).join("\n");
      reject(new Error(`go ${args.join(" ")}: ${last || error.message}`));
    });
  });
}
