import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { withFolder } from "../support/folder.ts";
import { raceRound, type RaceTrack } from "../support/publish-races.ts";
import { runSeed } from "../support/random.ts";
import { rounds } from "../support/rounds.ts";
import { findStore, startGcs, startS3 } from "../../scripts/gate/run-store.ts";

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

for (
  const { scheme, name, start } of [
    { scheme: "s3", name: "versitygw", start: startS3 },
    { scheme: "gs", name: "fake-gcs-server", start: startGcs },
  ] as const
) {
  const found = await findStore(name);
  test(`${scheme}: ${TITLE}`, { skip: found.skip }, async () => {
    const store = await start(found);
    try {
      await race(
        rounds(3, 50),
        async () => ({ bucketUrl: await store.createBucket(), env: store.env }),
      );
    } finally {
      await store.close();
    }
  });
}
