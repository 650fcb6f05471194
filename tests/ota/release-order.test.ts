import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { DEFAULT_TARGET, parseRelease, readRecord } from "../../lib/ota-format/release.ts";
import { dryRun } from "../../lib/ota-publish/dry-run.ts";
import { rollBack, type RollBackRequest } from "../../lib/ota-publish/roll-back.ts";
import type { Bucket } from "../../lib/ota-publish/store/bucket.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { openOtaWorld, type OtaWorld } from "../support/ota-world.ts";
import { createTestClock } from "../support/store-world.ts";
import { onEveryStore, type StoreWorld } from "./every-store.ts";

// PUB-32: a release that takes players back is never made by accident.

type Outcome = Awaited<ReturnType<OtaWorld["publish"]>>;

const codeOf = (outcome: Outcome | Awaited<ReturnType<typeof rollBack>>) =>
  outcome.ok ? "done" : outcome.error.code;

async function releaseIn(bucket: Bucket) {
  const object = await bucket.read("release.json", 1 << 18);
  assert.ok(object.ok && object.value !== null);
  const record = readRecord(object.value.bytes);
  const release = record.ok ? parseRelease(record.value, DEFAULT_TARGET) : record;
  assert.ok(release.ok);
  return release.value;
}

/** The bucket of a publisher that somebody overtakes before what it puts at a path of that kind. */
function overtaken(bucket: Bucket, at: string, rival: () => Promise<void>) {
  let met = 0;
  const slow: Bucket = {
    ...bucket,
    async put(key, body, options) {
      if (key.includes(at) && met++ === 0) await rival();
      return await bucket.put(key, body, options);
    },
  };
  return { bucket: slow, wasMet: () => met > 0 };
}

function roll(
  { bucket, key }: Pick<StoreWorld, "bucket" | "key">,
  over: Partial<RollBackRequest> & Pick<RollBackRequest, "to">,
) {
  const request = { target: DEFAULT_TARGET, key, minSequence: 0, name: "shell", ...over };
  return rollBack({ bucket, clock: createTestClock() }, request);
}

const page = (version: string) => ({ "index.html": version, "same.js": "same" });

onEveryStore(
  "publish() of a lower version than players have stops before it writes, unless that is meant",
  async ({ bucket, publish, key }) => {
    for (const version of ["v2", "v10"]) {
      assert.equal(codeOf(await publish(version, page(version))), "done");
    }
    assert.equal(codeOf(await publish("v1", page("v1"), { name: "other" })), "done");
    let puts = 0;
    const watched: Bucket = {
      ...bucket,
      put(name, ...rest) {
        if (!name.includes("probe")) puts++;
        return bucket.put(name, ...rest);
      },
    };
    for (const version of ["v2", "v3"]) { // run again, and begun by somebody who is behind
      const refused = await publish(version, page(version), { bucket: watched });
      assert.equal(codeOf(refused), "older");
      assert.match(refused.ok ? "" : refused.error.message, /v10 is released, and its players/);
      assert.match(refused.ok ? "" : refused.error.next ?? "", /--allow-older/);
    }
    assert.equal(puts, 0);
    assert.equal((await releaseIn(bucket)).sequence, 3);

    const warned: string[] = [];
    const back = await publish("v2", page("v2"), {
      allowOlder: true,
      onWarning: ({ code, message }) => void warned.push(`${code}: ${message}`),
    });
    assert.ok(back.ok && back.value.resumed, JSON.stringify(back));
    assert.match(warned.join("\n"), /goes-back: shell goes back from v10 to v2/);
    const { bundles, backTo } = await releaseIn(bucket);
    assert.deepEqual([bundles, backTo], [{ shell: "v2", other: "v1" }, { shell: "v2" }]);

    // Kept while that version is released, gone with the next one of the bundle.
    assert.equal(codeOf(await publish("v2", page("v2"), { mandatory: true })), "done");
    assert.equal(codeOf(await publish("v2", page("v2"), { name: "other" })), "done");
    assert.deepEqual((await releaseIn(bucket)).backTo, { shell: "v2" });
    assert.equal(codeOf(await publish("v11", page("v11"), { allowOlder: true })), "done");
    assert.equal((await releaseIn(bucket)).backTo, undefined, "what goes up goes nowhere back");

    const rolled = await roll({ bucket, key }, { to: "v10" });
    assert.equal(codeOf(rolled), "done");
    assert.deepEqual((await releaseIn(bucket)).backTo, { shell: "v10" });
    const again = await roll({ bucket, key }, { to: "v10" });
    assert.deepEqual(again.ok && again.value.changed, false);
  },
);

onEveryStore(
  "publish() of the version that is released says that going back is meant, where it is told to",
  async ({ bucket, publish }) => {
    assert.equal(codeOf(await publish("v2", page("v2"))), "done");
    assert.equal(codeOf(await publish("v2", page("v2"))), "done");
    assert.equal((await releaseIn(bucket)).backTo, undefined, "published again, and nothing more");
    const warned: string[] = [];
    const back = await publish("v2", page("v2"), {
      allowOlder: true,
      onWarning: ({ code, message }) => void warned.push(`${code}: ${message}`),
    });
    assert.equal(codeOf(back), "done");
    assert.match(warned.join("\n"), /goes-back: Players whose app came with a newer shell than v2/);
    assert.deepEqual((await releaseIn(bucket)).backTo, { shell: "v2" });
    assert.equal(codeOf(await publish("v2", page("v2"))), "done");
    assert.deepEqual((await releaseIn(bucket)).backTo, { shell: "v2" }, "said once is enough");
  },
);

// The kind: what was looked at before a long upload is looked at again at the write.
for (const at of ["/files/", "/manifest.json", "/bundle.zip", "releases/", "release.json"]) {
  onEveryStore(`a publisher that is overtaken before it puts ${at} takes nobody back`, async (
    world,
  ) => {
    const { bucket, publish } = world;
    assert.equal(codeOf(await publish("v1", page("v1"))), "done");
    const slow = overtaken(bucket, at, async () => {
      assert.equal(codeOf(await publish("v3", page("v3"))), "done");
    });
    const late = await publish("v2", page("v2"), { bucket: slow.bucket });
    assert.ok(slow.wasMet());
    assert.equal(codeOf(late), "superseded", JSON.stringify(late));
    assert.match(late.ok ? "" : late.error.message, /v3 was released in between/);
    assert.match(late.ok ? "" : late.error.next ?? "", /--allow-older/);
    assert.deepEqual((await releaseIn(bucket)).bundles, { shell: "v3" });
    const after = await publish("v4", page("v4"));
    assert.equal(codeOf(after), "done", "and nobody stands in the way of the next");
    assert.deepEqual((await releaseIn(bucket)).bundles, { shell: "v4" });
    const meant = await publish("v2", page("v2"), { allowOlder: true });
    assert.equal(codeOf(meant), "done", "it lay whole in the bucket");
  });
}

onEveryStore(
  "who is overtaken by a lower version, or by another bundle, goes on",
  async (world) => {
    const { bucket, publish } = world;
    assert.equal(codeOf(await publish("v1", page("v1"))), "done");
    const slow = overtaken(bucket, "/manifest.json", async () => {
      assert.equal(codeOf(await publish("v2", page("v2"))), "done");
      assert.equal(codeOf(await publish("v9", page("v9"), { name: "other" })), "done");
    });
    assert.equal(codeOf(await publish("v3", page("v3"), { bucket: slow.bucket })), "done");
    assert.deepEqual((await releaseIn(bucket)).bundles, { shell: "v3", other: "v9" });
  },
);

onEveryStore("going back to what was known says nothing of what came meanwhile", async (world) => {
  const { bucket, publish } = world;
  for (const version of ["v1", "v3"]) {
    assert.equal(codeOf(await publish(version, page(version))), "done");
  }
  const slow = overtaken(bucket, "/manifest.json", async () => {
    assert.equal(codeOf(await publish("v4", page("v4"))), "done");
  });
  const late = await publish("v2", page("v2"), { bucket: slow.bucket, allowOlder: true });
  assert.equal(codeOf(late), "superseded");
  assert.deepEqual((await releaseIn(bucket)).bundles, { shell: "v4" });
});

for (const [meanwhile, over] of [["v4", {}], ["v2", { allowOlder: true }]] as const) {
  onEveryStore(`rollBack() stops when ${meanwhile} was released since it looked`, async (world) => {
    const { bucket, publish, key } = world;
    for (const version of ["v1", "v2", "v3"]) {
      assert.equal(codeOf(await publish(version, page(version))), "done");
    }
    const slow = overtaken(bucket, "releases/", async () => {
      assert.equal(codeOf(await publish(meanwhile, page(meanwhile), over)), "done");
    });
    const late = await roll({ bucket: slow.bucket, key }, { to: "v1" });
    assert.ok(slow.wasMet());
    assert.equal(codeOf(late), "superseded", JSON.stringify(late));
    assert.deepEqual((await releaseIn(bucket)).bundles, { shell: meanwhile });
    assert.equal(codeOf(await roll({ bucket, key }, { to: "v1" })), "done");
  });
}

onEveryStore("mandatory and the entry page are those of what a release is built upon", async (
  world,
) => {
  const { bucket, publish } = world;
  assert.equal(codeOf(await publish("v1", { "game.js": "1" })), "done");
  const warned: string[] = [];
  const slow = overtaken(bucket, "/manifest.json", async () => {
    assert.equal(codeOf(await publish("v2", page("v2"), { mandatory: true })), "done");
  });
  const late = await publish("v3", { "game.js": "3" }, {
    bucket: slow.bucket,
    onWarning: ({ code, message }) => void warned.push(`${code}: ${message}`),
  });
  assert.ok(late.ok, JSON.stringify(late));
  assert.deepEqual([late.value.release.mandatory, late.value.mandatoryFrom], [true, 2]);
  assert.match(warned.join("\n"), /no-entry-page: shell v3 has no index.html, and v2 has one/);
});

test("dryRun() refuses what publish() would", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    for (const version of ["v1", "v2"]) {
      assert.equal(codeOf(await world.publish(version, page(version))), "done");
    }
    const dist = join(folder, "dist-again");
    writeTree(dist, page("v1"));
    mkdirSync(join(folder, "work"));
    const { runtime, bucket, key } = world;
    const plan = (allowOlder: boolean) =>
      dryRun({ ...runtime, bucket, workFolder: join(folder, "work") }, {
        dist,
        name: "shell",
        version: "v1",
        engineApi: 1,
        target: DEFAULT_TARGET,
        key,
        minSequence: 0,
        allowOlder,
      });
    const refused = await plan(false);
    assert.equal(!refused.ok && refused.error.code, "older");
    assert.ok((await plan(true)).ok);
  }));

test("a phone whose app came with v3 goes back only by what says so", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    for (const version of ["v1", "v2"]) {
      assert.equal(codeOf(await world.publish(version, page(version))), "done");
    }
    const embedded = join(folder, "binary");
    writeTree(embedded, {
      ...page("v3"),
      "ota-embedded-manifest.json": JSON.stringify({
        schema: 1,
        name: "shell",
        version: "v3",
        engineApi: 1,
        files: { "index.html": { hash: "0".repeat(64), size: 2 } },
      }),
    });
    const checked = async () => {
      const check = await world.check(world.device({ embedded }));
      return [check.result, check.version];
    };
    assert.deepEqual(await checked(), ["up-to-date", "v3"]);
    assert.equal(codeOf(await roll(world, { to: "v2" })), "done"); // released already: said now
    assert.deepEqual(await checked(), ["staged", "v2"]);
    assert.equal(codeOf(await roll(world, { to: "v1" })), "done");
    assert.deepEqual(await checked(), ["staged", "v1"]);
    assert.equal(codeOf(await world.publish("v4", page("v4"))), "done");
    assert.deepEqual(await checked(), ["staged", "v4"]);
  }));
