import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { AwsClient } from "aws4fetch";
import { storeBinary, type StoreName } from "./store-binary.ts";

// Stores that really run: started by a test file or a step of the gate, ended with it.

/** A program that can be started here, or why tests that need it are skipped. */
export type FoundStore =
  | { readonly path: string; readonly skip: false }
  | { readonly path: null; readonly skip: string };

/** A store that runs. */
export interface RunningStore {
  /** Its address, without a slash at its end. */
  readonly endpoint: string;
  /** Its own folder, removed with it. */
  readonly folder: string;
  /** Environment of a publisher. */
  readonly env: Readonly<Record<string, string>>;
  /** Makes an empty bucket. @returns Its URL. */
  readonly createBucket: () => Promise<string>;
  /**
   * Creates keys of a publisher who may only do these actions with a bucket, such as
   * `s3:GetObject`. @returns That publisher's environment.
   */
  readonly grant?: (
    url: string,
    actions: readonly string[],
  ) => Promise<Readonly<Record<string, string>>>;
  /** Stops it. */
  readonly close: () => Promise<void>;
}

/** Tries at a free port. */
const TRIES = 5;
/** How long a store may take to start, in milliseconds. */
const START_MS = 300_000;

/** Finds a store, or builds it. To be awaited when tests are registered: skips are by name. */
export async function findStore(name: StoreName): Promise<FoundStore> {
  if (process.platform === "win32") return { path: null, skip: `Windows has no ${name}` };
  const binary = await storeBinary(name);
  if (binary.kind === "failed") throw new Error(`Cannot build ${name}: ${binary.reason}`);
  return binary.kind === "built"
    ? { path: binary.path, skip: false }
    : { path: null, skip: `no ${name}: ${binary.reason}` };
}

/** Starts versitygw over an empty folder. */
export async function startS3({ path }: FoundStore): Promise<RunningStore> {
  const env = {
    AWS_ACCESS_KEY_ID: `KEY${randomText()}`,
    AWS_SECRET_ACCESS_KEY: `secret${randomText()}`,
  };
  let buckets = 0;
  const store = await startStore(path, {
    env: { ROOT_ACCESS_KEY: env.AWS_ACCESS_KEY_ID, ROOT_SECRET_KEY: env.AWS_SECRET_ACCESS_KEY },
    health: "/health",
    args: (port, folder) => {
      // Its disk must have extended attributes: with metadata in files next to the objects
      // (--sidecar), versitygw writes the two one after another, and loses updates.
      for (const name of ["root", "iam"]) mkdirSync(join(folder, name));
      return [
        ...["--port", `127.0.0.1:${port}`, "--quiet", "--keep-alive", "--health", "/health"],
        ...["--iam-dir", join(folder, "iam")],
        ...["posix", join(folder, "root")],
      ];
    },
  });
  return {
    ...store,
    env,
    createBucket() {
      const name = `bucket-${++buckets}`;
      mkdirSync(join(store.folder, "root", name)); // a folder is a bucket of the root user
      return Promise.resolve(`s3://${name}?endpoint=${store.endpoint}`);
    },
    async grant(url, actions) {
      const keys = {
        AWS_ACCESS_KEY_ID: `KEY${randomText()}`,
        AWS_SECRET_ACCESS_KEY: `secret${randomText()}`,
      };
      await createUser({ path, endpoint: store.endpoint, root: env }, keys);
      await setPolicy({ url, endpoint: store.endpoint, root: env }, keys, actions);
      return keys;
    },
  };
}

type Keys = Readonly<Record<"AWS_ACCESS_KEY_ID" | "AWS_SECRET_ACCESS_KEY", string>>;

/** Makes a user of a versitygw that runs. */
async function createUser(
  { path, endpoint, root }: {
    readonly path: string | null;
    readonly endpoint: string;
    readonly root: Keys;
  },
  keys: Keys,
): Promise<void> {
  const asRoot = ["--access", root.AWS_ACCESS_KEY_ID, "--secret", root.AWS_SECRET_ACCESS_KEY];
  const made = ["--access", keys.AWS_ACCESS_KEY_ID, "--secret", keys.AWS_SECRET_ACCESS_KEY];
  const admin = spawn(
    path ?? "",
    ["admin", ...asRoot, "--endpoint-url", endpoint, "create-user", ...made, "--role", "user"],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  let said = "";
  admin.stderr.setEncoding("utf8").on("data", (text: string) => said += text);
  const code = await new Promise((resolve) => admin.once("close", resolve));
  if (code !== 0) throw new Error(`versitygw makes no user: ${said}`);
}

/** Restricts a user to some actions with a bucket. */
async function setPolicy(
  { url, endpoint, root }: {
    readonly url: string;
    readonly endpoint: string;
    readonly root: Keys;
  },
  { AWS_ACCESS_KEY_ID: user }: Keys,
  actions: readonly string[],
): Promise<void> {
  const bucket = new URL(url).hostname;
  const statement = (resource: string, isOfBucket: boolean) => ({
    Effect: "Allow",
    Principal: { AWS: [user] },
    Action: actions.filter((action) => /Bucket/.test(action) === isOfBucket),
    Resource: [`arn:aws:s3:::${resource}`],
  });
  const client = new AwsClient({
    accessKeyId: root.AWS_ACCESS_KEY_ID,
    secretAccessKey: root.AWS_SECRET_ACCESS_KEY,
    service: "s3",
    region: "us-east-1",
  });
  const answer = await client.fetch(`${endpoint}/${bucket}?policy`, {
    method: "PUT",
    body: JSON.stringify({
      Version: "2012-10-17",
      Statement: [statement(`${bucket}/*`, false), statement(bucket, true)],
    }),
  });
  if (!answer.ok) throw new Error(`versitygw takes no policy: ${await answer.text()}`);
  await answer.body?.cancel();
}

/** Starts fake-gcs-server over memory. It asks for no credentials. */
export async function startGcs({ path }: FoundStore): Promise<RunningStore> {
  let buckets = 0;
  const store = await startStore(path, {
    env: {},
    health: "/_internal/healthcheck",
    args: (port) => [
      ...["-scheme", "http", "-backend", "memory", "-log-level", "error"],
      ...["-host", "127.0.0.1", "-port", String(port), "-public-host", `127.0.0.1:${port}`],
    ],
  });
  return {
    ...store,
    env: {},
    async createBucket() {
      const name = `bucket-${++buckets}`;
      const made = await fetch(`${store.endpoint}/storage/v1/b`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ name }),
      });
      if (!made.ok) throw new Error(`fake-gcs-server makes no bucket: ${await made.text()}`);
      await made.body?.cancel();
      return `gs://${name}?endpoint=${store.endpoint}`;
    },
  };
}

interface StoreProgram {
  readonly env: Readonly<Record<string, string>>;
  /** A path that answers 200 once the store is ready. */
  readonly health: string;
  readonly args: (port: number, folder: string) => readonly string[];
}

/**
 * Runs a program (`$@`) until the end of standard input, which occurs when its starter closes it or
 * dies in any way; then removes its folder.
 */
const UNTIL_END_OF_INPUT = [
  "exec 3<&0",
  '"$@" 3<&- </dev/null & program=$!',
  "exec 2>/dev/null", // the shell's messages have no reader, who may be gone
  "(read -r _ <&3; kill -9 $program) & watch=$!",
  'wait $program; kill $watch; rm -rf -- "$STORE_FOLDER"',
].join("\n");

async function startStore(
  path: string | null,
  program: StoreProgram,
): Promise<Pick<RunningStore, "endpoint" | "folder" | "close">> {
  if (path === null) throw new Error("Found no store to start: ask findStore() first");
  const said: string[] = [];
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const port = await freePort();
    const folder = mkdtempSync(join(process.env["SLIPWAY_DISK"] ?? tmpdir(), "slipway-store-"));
    const child = spawn(
      "/bin/sh",
      ["-c", UNTIL_END_OF_INPUT, "sh", path, ...program.args(port, folder)],
      {
        stdio: ["pipe", "ignore", "pipe"],
        env: { PATH: process.env["PATH"], STORE_FOLDER: folder, ...program.env },
      },
    );
    child.stderr.setEncoding("utf8").on("data", (text: string) => said.push(text));
    const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
    const close = () => {
      child.stdin.destroy();
      return ended;
    };
    const endpoint = `http://127.0.0.1:${port}`;
    if (await answers(child, `${endpoint}${program.health}`)) return { endpoint, folder, close };
    await close(); // another program may have been given that port
  }
  throw new Error(`${path} does not start: ${said.join("").slice(-2_000)}`);
}

/** Waits until a store answers. @returns Whether it does before it ends. */
async function answers(child: ChildProcess, url: string): Promise<boolean> {
  const deadline = performance.now() + START_MS;
  while (child.exitCode === null && performance.now() < deadline) {
    const answer = await fetch(url).catch(() => null);
    await answer?.body?.cancel();
    if (answer?.ok) return child.exitCode === null;
    await sleep(20);
  }
  return false;
}

/** Returns a free port. */
export function freePort(): Promise<number> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}

function randomText(): string {
  return crypto.randomUUID().replaceAll("-", "").slice(0, 20);
}
