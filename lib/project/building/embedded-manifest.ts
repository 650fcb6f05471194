import type { JobContext } from "../../core/jobs.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { own } from "../../core/json.ts";
import { ok, type Result } from "../../core/result.ts";
import { DEFAULT_TARGET, EMBEDDED_MANIFEST_FILE } from "../../ota-format/mod.ts";
import { embedManifest } from "../../ota-publish/mod.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Fetch } from "../../ports/fetch.ts";
import type { Files } from "../../ports/files.ts";
import type { Hashing } from "../../ports/hashing.ts";
import type { ProjectConfig } from "../config/config.ts";
import { binaryOrder } from "../served/binary-order.ts";
import { findRelease, findReleasedManifest } from "../served/released.ts";

/** The dependencies of describing a bundle. */
export interface EmbedDependencies {
  /** The file system of the project. */
  readonly files: Files;
  /** Hashes every file. */
  readonly hashing: Hashing;
  /** Requests the current release. */
  readonly fetch: Fetch;
  /** Limits how long that may take. */
  readonly clock: Pick<Clock, "sleep">;
}

/**
 * Writes `ota-embedded-manifest.json` into a web build that goes into an app binary (BUILD-8): the
 * app knows by it which files it has, so that its first update is a delta. A project without a bundle
 * name and an engine API level has no updates, and gets none. Where updates are on, the release that
 * players get is looked at: what is released already is known by its number, and what a store should not
 * get before it is published is warned of (CHECK-14). An address that is out of reach stops no build.
 *
 * @param folder The web build, absolute.
 * @returns 409 `cancelled`; 422 `not-embedded` when the build cannot be a bundle and updates are on;
 * while they are off that is only logged.
 */
export async function embedBundle(
  dependencies: EmbedDependencies,
  folder: string,
  { ota }: Pick<ProjectConfig, "ota">,
  { log, signal }: Pick<JobContext, "log" | "signal">,
): Promise<Result<void, Problem>> {
  const { bundleName, engineApi } = ota ?? {};
  if (bundleName === undefined || engineApi === undefined) return ok(undefined);
  const { files, hashing, fetch, clock } = dependencies;
  const network = { fetch, clock, signal };
  const target = {
    app: ota?.app ?? DEFAULT_TARGET.app,
    channel: ota?.channel ?? DEFAULT_TARGET.channel,
  };
  const { enabled, baseUrl, publicKey } = ota ?? {};
  const found = enabled === true && baseUrl !== undefined
    ? await findRelease(network, baseUrl, { publicKey, target })
    : null;
  const release = found?.state === "verified" ? found.release : null;
  const released = release === null || baseUrl === undefined
    ? null
    : await findReleasedManifest(network, baseUrl, { release, name: bundleName });
  const embedded = await embedManifest({ files, hashing, signal }, {
    dist: folder,
    name: bundleName,
    engineApi,
    target,
    sequence: release?.sequence ?? 0,
    released: released ?? undefined,
    releasedVersion: own(release?.bundles, bundleName),
  });
  if (embedded.ok) {
    const { name, version, files } = embedded.value.manifest;
    log(`${EMBEDDED_MANIFEST_FILE}: ${name} ${version}, ${Object.keys(files).length} files`);
    const order = found?.state === "verified" || found?.state === "none"
      ? binaryOrder(embedded.value.manifest, release, released)
      : null;
    if (order !== null) log(`warning: ${order.message}. ${order.next ?? ""}`, "stderr");
    if (found?.state === "invalid" || found?.state === "unreachable") {
      log(`warning: the release was not compared with the app: ${found.reason}`, "stderr");
    }
    return ok(undefined);
  }
  const { code, message, next = "Correct what the web build makes, and build again" } =
    embedded.error;
  if (code === "cancelled") return refuse(409, code, message, next);
  if (ota?.enabled === true) return refuse(422, "not-embedded", message, next);
  log(`warning: no ${EMBEDDED_MANIFEST_FILE}: ${message}`, "stderr");
  return ok(undefined);
}
