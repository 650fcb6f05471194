import { test } from "node:test";
import type { Bucket } from "../../lib/ota-publish/store/bucket.ts";
import { tinyBucket as tinyGcsBucket, withTinyGcs } from "./gcs-server.ts";
import { tinyBucket as tinyS3Bucket, withTinyS3 } from "./s3-server.ts";
import { withFolder } from "../support/folder.ts";
import { openOtaWorld, type OtaWorld } from "../support/ota-world.ts";

/** A publisher, and a bucket on a store of some kind. */
export interface StoreWorld extends Pick<OtaWorld, "publish" | "key"> {
  readonly bucket: Bucket;
}

/** One test for each kind of store: a folder, S3 and Google Cloud Storage, in this process. */
export function onEveryStore(title: string, work: (world: StoreWorld) => Promise<void>): void {
  const open = (bucket: Bucket | null) =>
    withFolder(async (folder) => {
      const world = await openOtaWorld(folder);
      if (bucket === null) return await work(world);
      await work({
        key: world.key,
        bucket,
        publish: (version, files, over) => world.publish(version, files, { bucket, ...over }),
      });
    });
  test(`file: ${title}`, () => open(null));
  test(`s3: ${title}`, () => withTinyS3((s3) => open(tinyS3Bucket(s3))));
  test(`gs: ${title}`, () => withTinyGcs((gcs) => open(tinyGcsBucket(gcs))));
}
