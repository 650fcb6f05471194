import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { DEFAULT_TARGET, type ReleaseTarget } from "../../ota-format/mod.ts";
import { type Bucket, openBucket, type OpenBucketDependencies } from "../../ota-publish/mod.ts";
import type { Files } from "../../ports/files.ts";
import type { ProjectConfig } from "../config/config.ts";
import type { OtaConnection } from "../config/ota-config.ts";
import { readProjectConfig } from "../config/read-config.ts";
import { checkValue } from "../config/safe-values.ts";
import { refuseFor } from "./ota-problems.ts";

/** The bucket and the public address of a project's updates, from its settings. */
export interface UpdatePlace {
  readonly config: ProjectConfig;
  readonly connection: OtaConnection;
  readonly target: ReleaseTarget;
}

/** Reads the place of a project's updates. @returns 422 `ota-disabled` while they are off. */
export async function readUpdatePlace(
  { files }: { readonly files: Files },
  root: string,
): Promise<Result<UpdatePlace, Problem>> {
  const config = await readProjectConfig(files, root);
  if (!config.ok) return config;
  const { ota: connection } = config.value;
  if (connection?.enabled !== true) {
    return refuse(
      422,
      "ota-disabled",
      "Cannot look at updates: ota.enabled is not true in project.config.json",
      "Set up updates first, and publish a version",
    );
  }
  return ok({ config: config.value, connection, target: toReleaseTarget(connection) });
}

/** The app and the channel that releases are for. */
export function toReleaseTarget({ app, channel }: Partial<ReleaseTarget>): ReleaseTarget {
  return { app: app ?? DEFAULT_TARGET.app, channel: channel ?? DEFAULT_TARGET.channel };
}

/** Opens the bucket that the project names. @returns 422 `no-bucket`, and why it does not open. */
export async function openProjectBucket(
  dependencies: OpenBucketDependencies,
  { config: { publish } }: Pick<UpdatePlace, "config">,
): Promise<Result<Bucket, Problem>> {
  if (publish?.bucket === undefined) {
    return refuse(
      422,
      "no-bucket",
      "Cannot open the bucket: publish.bucket is not set in project.config.json",
      'Set publish.bucket, for example "s3://games/harbor"',
    );
  }
  const safe = checkValue("bucket", publish.bucket);
  if (!safe.ok) return safe;
  const bucket = await openBucket(dependencies, safe.value, "project");
  return bucket.ok ? bucket : refuseFor(bucket.error, "Correct publish.bucket");
}
