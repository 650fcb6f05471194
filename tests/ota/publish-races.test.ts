import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { withFolder } from "../support/folder.ts";
import { raceRound, type RaceTrack } from "../support/publish-races.ts";
import { runSeed } from "../support/random.ts";
import { rounds } from "../support/rounds.ts";
import { findStore, startGcs, startS3 } from "../support/stores.ts";

const SEED = runSeed();
const TITLE = `publishers race, some killed: nothing is lost or mixed (seed ${SEED})`;

async function race(count: number, track: (folder: string) => Promise<RaceTrack>): Promise<void> {
  await withFolder(async (folder) => {
    for (let round = 0; round < count; round++) {
      const home = join(folder, String(round));
      mkdirSync(home);
      await raceRound(home, await track(home), SEED + round);
    }
  });
}

test(`file://: ${TITLE}`, () =>
  race(
    rounds(8, 50),
    (folder) => Promise.resolve({ bucketUrl: pathToFileURL(join(folder, "bucket")).href }),
  ));

const versitygw = await findStore("versitygw");
test(`s3: ${TITLE}`, { skip: versitygw.skip }, async () => {
  const store = await startS3(versitygw);
  try {
    await race(
      rounds(3, 50),
      () => Promise.resolve({ bucketUrl: store.createBucket(), env: store.env }),
    );
  } finally {
    await store.close();
  }
});

const emulator = await findStore("fake-gcs-server");
test(`gs: ${TITLE}`, { skip: emulator.skip }, async () => {
  const store = await startGcs(emulator);
  let buckets = 0;
  try {
    await race(rounds(3, 50), async () => {
      const name = `race-${++buckets}`;
      const made = await fetch(`${store.endpoint}/storage/v1/b`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ name }),
      });
      assert.ok(made.ok, await made.text());
      return { bucketUrl: `gs://${name}/games?endpoint=${store.endpoint}` };
    });
  } finally {
    await store.close();
  }
});
