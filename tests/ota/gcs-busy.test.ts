import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_TARGET, parseRelease, readRecord } from "../../lib/ota-format/release.ts";
import type { Clock } from "../../lib/ports/clock.ts";
import { withFolder } from "../support/folder.ts";
import { openOtaWorld } from "../support/ota-world.ts";
import { tinyBucket, withTinyGcs } from "./gcs-server.ts";

// PUB-34: Google Cloud Storage takes one write a second of one object, and publishers share two: the probe and
// release.json.

/** How many times faster than real time passes here. */
const HURRY = 100;

/** A fast clock, whose deadlines never pass. */
function hurriedClock(): Clock {
  const now = () => performance.now() * HURRY;
  return {
    now,
    monotonic: now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal === undefined) setTimeout(resolve, ms / HURRY);
        else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      }),
  };
}

test("five publishers at once share a store that takes one write of an object a second", () =>
  withFolder((folder) =>
    withTinyGcs(async (gcs) => {
      const world = await openOtaWorld(folder);
      const clock = hurriedClock();
      gcs.now = () => clock.monotonic();
      const names = ["a", "b", "c", "d", "e"]; // PUB-3: none loses more than four races
      const published = await Promise.all(names.map((name) => {
        const bucket = tinyBucket(gcs, { clock });
        return world.publish("v1", { "index.html": name }, { bucket, name, clock });
      }));
      assert.deepEqual(published.map((one) => one.ok ? "done" : one.error.message), [
        ...names.map(() => "done"),
      ]);
      const record = readRecord(gcs.objects.get("mine/release.json")?.bytes ?? new Uint8Array());
      const release = record.ok ? parseRelease(record.value, DEFAULT_TARGET) : record;
      assert.deepEqual(release.ok && Object.keys(release.value.bundles).sort(), names);
    })
  ));

for (
  const [what, at] of [["the probe", ".slipway-probe"], ["release.json", "release.json"]] as const
) {
  test(`a publish waits while others write ${what} for a minute`, () =>
    withFolder((folder) =>
      withTinyGcs(async (gcs) => {
        const world = await openOtaWorld(folder);
        const clock = hurriedClock();
        let until = Infinity;
        gcs.fault = ({ method, body }) => {
          const isMeant = method === "POST" && Buffer.from(body).includes(`mine/${at}"`);
          if (!isMeant) return null;
          if (until === Infinity) until = clock.monotonic() + 60_000;
          return clock.monotonic() < until ? { kind: "status", status: 429 } : null;
        };
        const bucket = tinyBucket(gcs, { clock });
        const published = await world.publish("v1", { "index.html": "one" }, { bucket, clock });
        assert.equal(published.ok || published.error.message, true);
        assert.ok(clock.monotonic() >= until);
      })
    ));
}
