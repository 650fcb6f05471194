import type { JobContext } from "../../core/jobs.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { DEFAULT_TARGET, EMBEDDED_MANIFEST_FILE } from "../../ota-format/mod.ts";
import { embedManifest } from "../../ota-publish/mod.ts";
import type { Files } from "../../ports/files.ts";
import type { Hashing } from "../../ports/hashing.ts";
import type { ProjectConfig } from "../config/config.ts";

/** The dependencies of describing a bundle. */
export interface EmbedDependencies {
  /** The file system that the project lies on. */
  readonly files: Files;
  /** Hashes every file. */
  readonly hashing: Hashing;
}

/**
 * Writes `ota-embedded-manifest.json` into a web build that goes into an app binary (BUILD-8): the
 * app knows by it which files it has, so that its first update is a delta. A project without a bundle
 * name and an engine API level has no updates, and gets none.
 *
 * @param folder The web build, absolute.
 * @returns 422 `not-embedded` when the build cannot be a bundle and updates are on; while they are off
 * that is only logged.
 */
export async function embedBundle(
  { files, hashing }: EmbedDependencies,
  folder: string,
  { ota }: Pick<ProjectConfig, "ota">,
  { log, signal }: Pick<JobContext, "log" | "signal">,
): Promise<Result<void, Problem>> {
  const { bundleName, engineApi } = ota ?? {};
  if (bundleName === undefined || engineApi === undefined) return ok(undefined);
  const embedded = await embedManifest({ files, hashing, signal }, {
    dist: folder,
    name: bundleName,
    engineApi,
    target: {
      app: ota?.app ?? DEFAULT_TARGET.app,
      channel: ota?.channel ?? DEFAULT_TARGET.channel,
    },
    sequence: 0,
  });
  if (embedded.ok) {
    const { name, version, files } = embedded.value.manifest;
    log(`${EMBEDDED_MANIFEST_FILE}: ${name} ${version}, ${Object.keys(files).length} files`);
    return ok(undefined);
  }
  const { message, next = "Correct what the web build makes, and build again" } = embedded.error;
  if (ota?.enabled === true) return refuse(422, "not-embedded", message, next);
  log(`warning: no ${EMBEDDED_MANIFEST_FILE}: ${message}`, "stderr");
  return ok(undefined);
}
