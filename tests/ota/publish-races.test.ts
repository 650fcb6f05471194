import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { race, RACE_SEED } from "../support/publish-races.ts";
import { rounds } from "../support/rounds.ts";
import { findStore, startGcs, startS3 } from "../../scripts/gate/run-store.ts";

// Takes long: each round is eight publishers in processes of their own, and those again that were killed.

const TITLE = `publishers race, some killed: nothing is lost or mixed (seed ${RACE_SEED})`;

test(`file://: ${TITLE}`, () =>
  race(
    rounds(2, 50),
    (folder) => Promise.resolve({ bucketUrls: [pathToFileURL(join(folder, "bucket")).href] }),
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
        rounds(1, 50),
        async () => ({ bucketUrls: [await store.createBucket()], env: store.env }),
      );
    } finally {
      await store.close();
    }
  });
}
