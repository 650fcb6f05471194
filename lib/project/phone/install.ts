import { attempt } from "../../core/attempt.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { describeBucket, embedManifest } from "../../ota-publish/mod.ts";
import type { KeyPair } from "../../ota-format/mod.ts";
import type { Host } from "../../ports/host.ts";
import type { ProjectConfig } from "../config/config.ts";
import { readProjectConfig } from "../config/read-config.ts";
import { toReleaseTarget } from "../updates/place.ts";
import { buildForPhone, type BundleParts } from "./app-bundle.ts";
import { checkBucketPlace } from "./bucket-place.ts";
import { type InstalledApp, recordPath, writeInstalled } from "./installed.ts";
import { binaryFolder, deviceFolder } from "./phone-app.ts";
import type { PhoneSource } from "./state.ts";
import { phoneUnwritable } from "./tell.ts";
import {
  publishTrial,
  TRIAL_BASE_URL,
  trialFolder,
  trialKey,
  type TrialParts,
} from "./trial-bucket.ts";

// Installs the app onto the phone, as from a store, and publishes versions into its private bucket.

/** Versions of a private bucket; each is a complete game. */
const MAX_TRIAL_VERSIONS = 30;
const FIRST = "v1";

/** Dependencies of an installation. */
export type InstallParts = BundleParts & TrialParts;

/** The folder in which a game is built for the phone. */
const nextFolder = (folder: string): string => `${folder}/next`;

interface Installing {
  /** The phone's folder. */
  readonly folder: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Installs the game of the project on the phone, and removes everything of the app before, which
 * stays until the new one is built.
 *
 * @param replacing Called before anything is removed.
 * @returns 422 `ota-disabled` for a project without updates, and why it cannot be built.
 */
export async function installApp(
  parts: InstallParts,
  { folder, source, signal, replacing }: Installing & {
    readonly source: PhoneSource;
    readonly replacing: () => void;
  },
): Promise<Result<InstalledApp, Problem>> {
  const { files, root } = parts;
  const config = await readProjectConfig(files, root);
  if (!config.ok) return config;
  const key = source === "trial" ? await trialKey(parts, folder) : ok(null);
  if (!key.ok) return key;
  const app = key.value === null
    ? await ownApp(parts, config.value)
    : ok(trialApp(folder, config.value, key.value));
  if (!app.ok) return app;
  const { connection } = app.value;
  const built = await buildForPhone(parts, {
    config: config.value,
    connection,
    folder: nextFolder(folder),
    ...(source === "trial" && { label: FIRST }),
    signal,
  });
  if (!built.ok) return built;
  replacing();
  const dist = binaryFolder(folder);
  const replaced = await attempt(async () => {
    for (const path of [recordPath(folder), deviceFolder(folder), trialFolder(folder), dist]) {
      await files.remove(path);
    }
    await files.rename(nextFolder(folder), dist);
  });
  if (!replaced.ok) return phoneUnwritable(folder, replaced.error.message);
  let sequence = 0;
  if (key.value !== null) {
    const published = await publishTrial(parts, {
      folder,
      dist,
      version: FIRST,
      connection,
      key: key.value,
      allow: config.value.publish?.allow ?? [],
      signal,
    });
    if (!published.ok) return published;
    ({ sequence } = published.value.release);
  }
  const { bundleName, engineApi, ...line } = connection;
  const embedded = await embedManifest({ ...parts, ...(signal && { signal }) }, {
    dist,
    name: bundleName,
    engineApi,
    ...(source === "trial" && { version: FIRST }),
    target: toReleaseTarget(line),
    sequence,
  });
  if (!embedded.ok) {
    const { code, message, next = "Correct what it names, and try again" } = embedded.error;
    return code === "cancelled"
      ? refuse(409, code, message, next)
      : refuse(422, "not-embedded", message, next);
  }
  const kept = await attempt(() => writeInstalled(files, folder, app.value));
  return kept.ok ? app : phoneUnwritable(folder, kept.error.message);
}

/**
 * An app that takes the updates of the project.
 *
 * @returns 422 `ota-disabled`, 403 `outside-project` for a bucket that the phone may not serve.
 */
async function ownApp(
  parts: InstallParts,
  { ota, publish }: ProjectConfig,
): Promise<Result<InstalledApp, Problem>> {
  if (ota?.enabled !== true) {
    return refuse(
      422,
      "ota-disabled",
      "Cannot put an app with the project's own updates on the phone: ota.enabled is not true in " +
        "project.config.json",
      "Set up updates first, or start the phone with source=trial for a private bucket",
    );
  }
  const { enabled: _on, ...connection } = ota;
  const folder = folderOf(publish?.bucket, parts.host);
  const bucket = folder === null ? ok(null) : await checkBucketPlace(parts, folder);
  if (!bucket.ok) return bucket;
  return ok({ source: "project", connection, bucket: bucket.value, published: [] });
}

/**
 * Returns the folder of a bucket; `null` for one on a server, which is read at its public address.
 */
function folderOf(bucket: string | undefined, { platform }: Pick<Host, "platform">): string | null {
  const described = bucket === undefined ? null : describeBucket(bucket, platform);
  return described?.ok === true && described.value.startsWith("file://")
    ? described.value.slice("file://".length)
    : null;
}

/** An app that takes the updates of a bucket of the phone's own. */
function trialApp(
  folder: string,
  { ota }: ProjectConfig,
  { publicKey }: Pick<KeyPair, "publicKey">,
): InstalledApp {
  return {
    source: "trial",
    connection: {
      baseUrl: TRIAL_BASE_URL,
      publicKey,
      bundleName: ota?.bundleName ?? "game",
      engineApi: ota?.engineApi ?? 1,
    },
    bucket: trialFolder(folder),
    published: [{ version: FIRST, isBroken: false }],
  };
}

/** A version in the phone's private bucket. */
export interface TrialVersion {
  /** The app, with it. */
  readonly app: InstalledApp;
  readonly version: string;
  /** Files that were sent, of all its files. */
  readonly sent: number;
  readonly files: number;
}

/**
 * Publishes the current game as the next version of the phone's private bucket.
 *
 * @returns 409 `phone-of-project` for an app that takes the project's own updates: the phone never
 * publishes to players.
 */
export async function publishNext(
  parts: InstallParts,
  { folder, app, isBroken, signal }: Installing & {
    readonly app: InstalledApp;
    readonly isBroken: boolean;
  },
): Promise<Result<TrialVersion, Problem>> {
  if (app.source !== "trial") {
    return refuse(
      409,
      "phone-of-project",
      "Cannot publish from the phone: its app takes the project's own updates",
      "Publish by svc_ota_publish, or start the phone with source=trial for a private bucket",
    );
  }
  if (app.published.length >= MAX_TRIAL_VERSIONS) {
    const detail = `Found ${MAX_TRIAL_VERSIONS} versions in the phone's bucket, its limit`;
    return refuse(409, "phone-bucket-full", detail, "Reset the phone");
  }
  const { files, root } = parts;
  const config = await readProjectConfig(files, root);
  if (!config.ok) return config;
  const key = await trialKey(parts, folder);
  if (!key.ok) return key;
  const version = `v${app.published.length + 1}`;
  const dist = nextFolder(folder);
  const { connection } = app;
  try {
    const build = { config: config.value, connection, folder: dist, label: version, isBroken };
    const built = await buildForPhone(parts, { ...build, signal });
    if (!built.ok) return built;
    const published = await publishTrial(parts, {
      folder,
      dist,
      version,
      connection,
      key: key.value,
      allow: config.value.publish?.allow ?? [],
      signal,
    });
    if (!published.ok) return published;
    const { uploaded, copied } = published.value.files;
    const now = { ...app, published: [...app.published, { version, isBroken }] };
    const kept = await attempt(() => writeInstalled(files, folder, now));
    if (!kept.ok) return phoneUnwritable(folder, kept.error.message);
    return ok({ app: now, version, sent: uploaded, files: uploaded + copied });
  } finally {
    await attempt(() => files.remove(dist));
  }
}
