import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { AwsClient } from "aws4fetch";
import { type FoundStore, freePort } from "../../scripts/gate/run-store.ts";
import { until } from "./until.ts";

const NODES = 4;

/** Nodes of one store, each of which serves all of it. */
export interface MinioCluster {
  /** The environment of a publisher. */
  readonly env: Readonly<Record<string, string>>;
  /** Makes an empty bucket. @returns Its URL at each node. */
  readonly createBucket: () => Promise<[string, ...string[]]>;
  /** Ends one node, as a crash would. */
  readonly crash: (node: number) => Promise<void>;
  /** Starts it again. */
  readonly restart: (node: number) => Promise<void>;
  /** Ends all nodes. */
  readonly close: () => Promise<void>;
}

/** Starts MinIO on four nodes: an object is written when most of them have it. */
export async function startMinioCluster({ path }: FoundStore): Promise<MinioCluster> {
  if (path === null) throw new Error("Found no store to start: ask findStore() first");
  const address = ownAddress();
  const folder = mkdtempSync(join(tmpdir(), "slipway-minio-"));
  const ports: number[] = [];
  while (ports.length < NODES) ports.push(await freePort());
  const volumes = ports.map((port, node) => {
    mkdirSync(join(folder, String(node)));
    return `http://${address}:${port}${join(folder, String(node))}`;
  });
  const env = { AWS_ACCESS_KEY_ID: "slipway-tests", AWS_SECRET_ACCESS_KEY: crypto.randomUUID() };
  const start = (port: number) =>
    spawn(path, ["server", "--quiet", "--address", `${address}:${port}`, ...volumes], {
      stdio: "ignore",
      env: {
        PATH: process.env["PATH"],
        HOME: folder,
        MINIO_ROOT_USER: env.AWS_ACCESS_KEY_ID,
        MINIO_ROOT_PASSWORD: env.AWS_SECRET_ACCESS_KEY,
        MINIO_BROWSER: "off",
        MINIO_CI_CD: "1", // all nodes share one disk here
      },
    });
  const nodes = ports.map(start);
  const closeAll = async () => {
    await Promise.all(nodes.map(end));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    for (const port of ports) await untilReady(`${address}:${port}`);
  } catch (thrown) {
    await closeAll();
    throw thrown;
  }
  const client = new AwsClient({
    accessKeyId: env.AWS_ACCESS_KEY_ID,
    secretAccessKey: env.AWS_SECRET_ACCESS_KEY,
    service: "s3",
    region: "us-east-1",
  });
  let buckets = 0;
  return {
    env,
    async createBucket() {
      const name = `bucket-${++buckets}`;
      const made = await client.fetch(`http://${address}:${ports[0]}/${name}`, { method: "PUT" });
      if (!made.ok) throw new Error(`MinIO makes no bucket: ${await made.text()}`);
      const [first, ...others] = ports.map((port) =>
        `s3://${name}?endpoint=http://${address}:${port}`
      );
      return [first ?? "", ...others];
    },
    async crash(node) {
      const running = nodes[node];
      if (running !== undefined) await end(running);
    },
    async restart(node) {
      const port = ports[node] ?? 0;
      nodes[node] = start(port);
      // The others take their time to find that it is back.
      for (const each of ports) await untilReady(`${address}:${each}`);
    },
    close: closeAll,
  };
}

function end(node: ChildProcess): Promise<void> {
  if (node.exitCode !== null || node.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    node.once("close", () => resolve());
    node.kill("SIGKILL");
  });
}

/** The machine's own address: in a container MinIO refuses a loopback address for a node. */
function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.find(({ family, internal }) => family === "IPv4" && !internal)?.address ?? "127.0.0.1";
}

async function untilReady(node: string): Promise<void> {
  await until(`MinIO at ${node} has a quorum`, async () => {
    const answer = await fetch(`http://${node}/minio/health/cluster`).catch(() => null);
    await answer?.body?.cancel();
    return answer?.ok;
  });
}
