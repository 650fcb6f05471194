import { attempt } from "../../core/attempt.ts";
import { isHidden, isInside } from "../../core/inside.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { isOwnBucket, ownBucketsPath, realPlace } from "../../ota-publish/mod.ts";
import type { Files } from "../../ports/files.ts";
import type { Host } from "../../ports/host.ts";
import type { InstalledApp } from "./installed.ts";
import { phoneUnwritable } from "./tell.ts";

/** Facts that decide whether a bucket may be served. */
export interface BucketPlaceParts {
  readonly files: Files;
  readonly host: Pick<Host, "cli" | "platform" | "userData">;
  /** The project's folder, absolute. */
  readonly root: string;
}

/**
 * Returns the folder of an app's updates; for a trial the phone's own.
 *
 * @returns `null` if a server has them; 403 `outside-project`.
 */
export async function appBucket(
  parts: BucketPlaceParts,
  { source, bucket }: Pick<InstalledApp, "source" | "bucket">,
): Promise<Result<string | null, Problem>> {
  return bucket === null || source === "trial" ? ok(bucket) : await checkBucketPlace(parts, bucket);
}

/**
 * Resolves the folder of a project's bucket and checks that the phone may serve it: a script of an
 * update can read everything in there. It must be in the project, or in the user's own list.
 *
 * @returns The folder, links resolved; 403 `outside-project`.
 */
export async function checkBucketPlace(
  parts: BucketPlaceParts,
  folder: string,
): Promise<Result<string, Problem>> {
  const { files, host, root } = parts;
  const found = await attempt(async () => {
    const real = await realPlace(files, folder);
    const realRoot = await realPlace(files, root);
    const isOfProject = isInside(realRoot, real) && !isHidden(realRoot, real);
    return isOfProject || await isOwnBucket(parts, real) ? real : null;
  });
  if (!found.ok) return phoneUnwritable(folder, found.error.message);
  if (found.value !== null) return ok(found.value);
  return refuse(
    403,
    "outside-project",
    `Cannot serve the bucket ${folder} to the simulated phone: expected a folder in the project ` +
      `(not the project itself, nor a hidden one), or a bucket of ${ownBucketsPath(host)}`,
    `If the bucket is yours, publish to it by hand once ('${host.cli} publish' with --bucket), ` +
      'or add it to that file: {"schema":1,"buckets":["file:///folder"]}; or start the phone with ' +
      "source=trial",
  );
}
