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

/** Every step of a publish: suspended before it, another publishes meanwhile, it goes on. */
async function suspendEverywhere(
  folder: string,
  { openBucket, url, stride }: {
    readonly openBucket: (at: number, clock: Clock) => Bucket;
    readonly url?: string;
    readonly stride: number;
  },
): Promise<void> {
  const world = await openOtaWorld(join(folder, "rival"));
  const orders: SuspendedOrders = { folder, key: world.key, stride, ...(url && { url }) };
  const [command = "", ...words] = CHILD;
  const child = spawn(command, [...words, JSON.stringify(orders)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { pid } = child;
  assert.ok(pid !== undefined);
  const ended = once(child, "close");
  let suspensions = 0;
  let rivals = 0;
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const news: SuspendedNews = JSON.parse(line);
      if (news.kind === "end") break;
      const bucket = openBucket(news.at, hastyClock(world.runtime.clock));
      if (news.kind === "suspended") {
        suspensions++;
        const published = await world.publish("v1", { level: "1" }, { name: "game", bucket });
        assert.ok(published.ok, `${news.step}: ${JSON.stringify(published)}`);
        rivals = published.value.release.sequence;
        process.kill(pid, "SIGCONT"); // child.kill() works once under Deno
        continue;
      }
      assert.equal(news.failure, undefined, `step ${news.at}`);
      const { sequence, bundles } = await releaseIn(bucket);
      assert.deepEqual(bundles, { shell: "v2", game: "v1" }, `step ${news.at}: nothing is lost`);
      assert.ok(sequence >= rivals, `step ${news.at}: ${sequence} after ${rivals}`);
      const kept = await bucket.list("releases");
      const wanted = Array.from({ length: sequence }, (_, i) => `${i + 1}.json`);
      assert.deepEqual(kept.ok && [...kept.value].sort(), wanted, `step ${news.at}`);
    }
    const [code] = await ended;
    assert.equal(code, 0);
    assert.ok(suspensions * stride > 15);
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
      )
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
      })
    )
  ));
