import { test } from "node:test";
import { findStore } from "../../scripts/gate/run-store.ts";
import { startMinioCluster } from "../support/minio-cluster.ts";
import { race, RACE_SEED } from "../support/publish-races.ts";
import { rounds } from "../support/rounds.ts";

// A store of several machines: each publisher asks another node, and a node goes away and comes back.

const minio = await findStore("minio");

test(
  `s3 on four nodes, one of them restarted: publishers race, some killed (seed ${RACE_SEED})`,
  { skip: minio.skip },
  async () => {
    const cluster = await startMinioCluster(minio);
    try {
      let round = 0;
      await race(rounds(2, 50), async () => {
        const node = round++ % 4;
        await cluster.crash(node);
        await cluster.restart(node);
        return { bucketUrls: await cluster.createBucket(), env: cluster.env };
      });
      await cluster.crash(3); // three of four are a quorum
      await race(rounds(2, 10), async () => {
        const [a, b, c] = await cluster.createBucket();
        return { bucketUrls: [a, b ?? a, c ?? a], env: cluster.env };
      });
    } finally {
      await cluster.close();
    }
  },
);
