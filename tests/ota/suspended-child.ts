import { writeSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { createFileBucket } from "../../lib/ota-publish/file/bucket.ts";
import { DEFAULT_TARGET } from "../../lib/ota-format/release.ts";
import { publish } from "../../lib/ota-publish/publish.ts";
import type { KeyPair } from "../../lib/ota-format/signing.ts";
import type { Bucket } from "../../lib/ota-publish/store/bucket.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { writeTree } from "../support/folder.ts";
import { tinyBucket as tinyGcsBucket } from "./gcs-server.ts";
import { tinyBucket } from "./s3-server.ts";

// A publisher that suspends itself before one of its steps, until somebody wakes it; one publish
// after the other, each suspended at a later step, until one has no such step.

/** What it is told. */
export interface SuspendedOrders {
  readonly folder: string;
  readonly key: KeyPair;
  /** Of a tiny S3; a folder when absent. */
  readonly url?: string;
  /** Whether it is a tiny Google Cloud Storage. */
  readonly isGcs?: boolean;
  /** Steps between two suspensions. */
  readonly stride: number;
}

/** What it tells, a line each. */
export type SuspendedNews =
  | { readonly kind: "suspended"; readonly at: number; readonly step: string }
  | {
    readonly kind: "done";
    readonly at: number;
    readonly failure?: string;
    readonly code?: string;
  }
  | { readonly kind: "end"; readonly steps: number };

const WRITES = new Set(
  "write writeAtomic append makeDirectory rename copy link remove sync setMode".split(" "),
);

const orders: SuspendedOrders = JSON.parse(process.argv[2] ?? "");
const { folder, key, url, stride, isGcs = false } = orders;
const runtime = await loadRuntime();
let stopAt = Infinity;
let steps = 0;

function tell(news: SuspendedNews): void {
  writeSync(1, `${JSON.stringify(news)}\n`);
}

/** One step of a publisher. */
function step(name: string): void {
  if (++steps !== stopAt) return;
  tell({ kind: "suspended", at: stopAt, step: name });
  process.kill(process.pid, "SIGSTOP");
}

function openBucket(at: number): Bucket {
  if (url !== undefined) {
    const options = {
      prefix: String(at),
      clock: runtime.clock,
      fetch: (address: string, init?: RequestInit) => {
        step(`${init?.method ?? "GET"} ${new URL(address).pathname}`);
        return fetch(address, init);
      },
    };
    if (isGcs) {
      const gcs = { url, objects: new Map(), sessions: new Map(), requests: [], cors: null };
      return tinyGcsBucket({ ...gcs, fault: () => null }, options);
    }
    const asks = {
      url,
      objects: new Map(),
      uploads: new Map(),
      requests: [],
      cors: null,
      fault: () => null,
    };
    return tinyBucket(asks, options);
  }
  const files = new Proxy(runtime.files, {
    get(target, name, receiver) {
      const found: unknown = Reflect.get(target, name, receiver);
      if (typeof found !== "function" || !WRITES.has(String(name))) return found;
      return (...args: unknown[]) => {
        step(`${String(name)} ${args.filter((arg) => typeof arg === "string").join(" ")}`);
        return found.apply(target, args);
      };
    },
  });
  return createFileBucket({ ...runtime, files, folder: join(folder, String(at), "bucket") });
}

async function publishShell(bucket: Bucket, at: number, version: string) {
  const dist = join(folder, String(at), version);
  const workFolder = join(folder, String(at), `work-${version}`);
  writeTree(dist, { "index.html": version, "same": "same" });
  writeTree(workFolder, { "x": "" });
  return await publish({ ...runtime, bucket, workFolder }, {
    dist,
    name: "shell",
    version,
    engineApi: 1,
    target: DEFAULT_TARGET,
    key,
    minSequence: 0,
  });
}

for (let at = 1;; at += stride) {
  const bucket = openBucket(at);
  stopAt = Infinity;
  const first = await publishShell(bucket, at, "v1");
  if (!first.ok) throw new Error(JSON.stringify(first));
  steps = 0;
  stopAt = at;
  const second = await publishShell(bucket, at, "v2");
  if (steps < at) {
    tell({ kind: "end", steps });
    break;
  }
  const failure = second.ok ? {} : { failure: second.error.message, code: second.error.code };
  tell({ kind: "done", at, ...failure });
}
