import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { DEFAULT_TARGET, parseRelease, readRecord } from "../../lib/ota-format/release.ts";
import { createFileBucket } from "../../lib/ota-publish/file/bucket.ts";
import type { Bucket } from "../../lib/ota-publish/store/bucket.ts";
import type { Clock } from "../../lib/ports/clock.ts";
import { withFolder } from "../support/folder.ts";
import { openOtaWorld } from "../support/ota-world.ts";
import { stride } from "../support/rounds.ts";
import { tinyBucket as tinyGcsBucket, withTinyGcs } from "./gcs-server.ts";
import { tinyBucket, withTinyS3 } from "./s3-server.ts";
import type { SuspendedNews, SuspendedOrders } from "./suspended-child.ts";

const CHILD = "Deno" in globalThis
  ? [process.execPath, "run", "-A", "--no-check", "tests/ota/suspended-child.ts"]
  : [process.execPath, "dist/tests/ota/suspended-child.js"];

/** A clock for which every wait is over at once, and a second: who is suspended seems dead. */
function hastyClock(clock: Clock): Clock {
  let now = 0;
  return {
    ...clock,
    monotonic: () => now,
    sleep: () => {
      now += 1_000;
      return new Promise((resolve) => setTimeout(resolve, 1));
    },
  };
}

async function releaseIn(bucket: Bucket) {
  const object = await bucket.read("release.json", 1 << 18);
  assert.ok(object.ok && object.value !== null);
  const record = readRecord(object.value.bytes);
  const release = record.ok ? parseRelease(record.value, DEFAULT_TARGET) : record;
  assert.ok(release.ok);
  return release.value;
}

/** What another publishes meanwhile, and what has to come of both. */
interface Rival {
  readonly name: string;
  readonly version: string;
  readonly files: Readonly<Record<string, string>>;
  /** @param news How the suspended one ended. */
  judge(news: SuspendedNews & { kind: "done" }, bundles: Readonly<Record<string, string>>): void;
}

/** Another bundle: both come out. */
const NEIGHBOUR: Rival = {
  name: "game",
  version: "v1",
  files: { level: "1" },
  judge({ at, failure }, bundles) {
    assert.equal(failure, undefined, `step ${at}`);
    assert.deepEqual(bundles, { shell: "v2", game: "v1" }, `step ${at}: nothing is lost`);
  },
};

/** A later version of the same bundle: nobody is taken back from it (PUB-32). */
const SUCCESSOR: Rival = {
  name: "shell",
  version: "v3",
  files: { "index.html": "v3" },
  judge({ at, code }, bundles) {
    // Whose release was out before it was suspended has nothing to stop.
    assert.ok(code === undefined || ["older", "superseded"].includes(code), `step ${at}: ${code}`);
    assert.deepEqual(bundles, { shell: "v3" }, `step ${at}: nobody goes back`);
  },
};

/** Every step of a publish: suspended before it, another publishes meanwhile, it goes on. */
async function suspendEverywhere(
  folder: string,
  { openBucket, url, isGcs = false, stride, rival = NEIGHBOUR }: {
    readonly openBucket: (at: number, clock: Clock) => Bucket;
    readonly url?: string;
    readonly isGcs?: boolean;
    readonly stride: number;
    readonly rival?: Rival;
  },
): Promise<ReadonlySet<string | undefined>> {
  const world = await openOtaWorld(join(folder, "rival"));
  const orders: SuspendedOrders = { folder, key: world.key, stride, isGcs, ...(url && { url }) };
  const [command = "", ...words] = CHILD;
  const child = spawn(command, [...words, JSON.stringify(orders)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { pid } = child;
  assert.ok(pid !== undefined);
  const ended = once(child, "close");
  let suspensions = 0;
  let rivals = 0;
  const codes = new Set<string | undefined>();
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const news: SuspendedNews = JSON.parse(line);
      if (news.kind === "end") break;
      const bucket = openBucket(news.at, hastyClock(world.runtime.clock));
      if (news.kind === "suspended") {
        suspensions++;
        const { name, version, files } = rival;
        const published = await world.publish(version, files, { name, bucket });
        assert.ok(published.ok, `${news.step}: ${JSON.stringify(published)}`);
        rivals = published.value.release.sequence;
        process.kill(pid, "SIGCONT"); // child.kill() works once under Deno
        continue;
      }
      codes.add(news.code);
      const { sequence, bundles } = await releaseIn(bucket);
      rival.judge(news, bundles);
      assert.ok(sequence >= rivals, `step ${news.at}: ${sequence} after ${rivals}`);
      const kept = await bucket.list("releases");
      const expected = Array.from({ length: sequence }, (_, i) => `${i + 1}.json`);
      assert.deepEqual(kept.ok && [...kept.value].sort(), expected, `step ${news.at}`);
    }
    const [code] = await ended;
    assert.equal(code, 0);
    assert.ok(suspensions * stride > 15);
    return codes;
  } finally {
    if (child.exitCode === null) process.kill(pid, "SIGKILL");
  }
}

const skip = process.platform === "win32" && "Windows suspends no process by a signal";

// PUB-21: two publishers, one suspended
test(
  "publish() to a folder that is suspended before any of its steps loses nothing of another's",
  {
    skip,
  },
  () =>
    withFolder((folder) =>
      openOtaWorld(join(folder, "x")).then(({ runtime }) =>
        suspendEverywhere(folder, {
          stride: stride(5),
          openBucket: (at, clock) =>
            createFileBucket({ ...runtime, clock, folder: join(folder, String(at), "bucket") }),
        })
      ).then(() => undefined)
    ),
);

// PUB-21: two publishers, one suspended
test("publish() to S3 that is suspended before any of its requests loses nothing of another's", {
  skip,
}, () =>
  withTinyS3((s3) =>
    withFolder((folder) =>
      suspendEverywhere(folder, {
        url: s3.url,
        stride: stride(4),
        openBucket: (at) => tinyBucket(s3, { prefix: String(at) }),
      }).then(() => undefined)
    )
  ));

// PUB-32: the older one is suspended
for (const store of ["a folder", "S3", "Google Cloud Storage"] as const) {
  test(
    `publish() to ${store} that is suspended before any step takes nobody back from a later version`,
    {
      skip,
    },
    () =>
      withFolder(async (folder) => {
        const { runtime } = await openOtaWorld(join(folder, "x"));
        const suspend = (over: Omit<Parameters<typeof suspendEverywhere>[1], "stride" | "rival">) =>
          suspendEverywhere(folder, { stride: stride(4), rival: SUCCESSOR, ...over });
        const check = (codes: ReadonlySet<string | undefined>) =>
          assert.ok(codes.has("superseded"), [...codes].join());
        if (store === "S3") {
          return await withTinyS3(async (s3) =>
            check(
              await suspend({
                url: s3.url,
                openBucket: (at) => tinyBucket(s3, { prefix: String(at) }),
              }),
            )
          );
        }
        if (store === "Google Cloud Storage") {
          return await withTinyGcs(async (gcs) =>
            check(
              await suspend({
                url: gcs.url,
                isGcs: true,
                openBucket: (at) => tinyGcsBucket(gcs, { prefix: String(at) }),
              }),
            )
          );
        }
        check(
          await suspend({
            openBucket: (at, clock) =>
              createFileBucket({ ...runtime, clock, folder: join(folder, String(at), "bucket") }),
          }),
        );
      }),
  );
}
