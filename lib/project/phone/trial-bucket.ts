import type { Problem } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { DEFAULT_TARGET, type KeyPair } from "../../ota-format/mod.ts";
import {
  createFileBucket,
  createKey,
  loadKey,
  publish,
  type PublishReport,
} from "../../ota-publish/mod.ts";
import type { Runtime } from "../../ports/runtime.ts";
import type { OtaConnection } from "../config/ota-config.ts";
import { refuseFor } from "../updates/ota-problems.ts";

// A bucket of the phone's own, signed with a key of its own: no other device ever gets it.

/** Resolves nowhere (RFC 6761 §6.4): the phone's network answers for it from the folder. */
export const TRIAL_BASE_URL = "https://phone.invalid";

/** Dependencies of the bucket. */
export type TrialParts = Pick<Runtime, "files" | "hashing" | "deflating" | "clock" | "host">;

/** Returns the key of the phone's private bucket, and makes one if it is missing. */
export async function trialKey(
  parts: TrialParts,
  folder: string,
): Promise<Result<KeyPair, Problem>> {
  const file = `${folder}/keys/trial.json`;
  const there = await parts.files.stat(file);
  const key = there === null ? await createKey(parts, file) : await loadKey(parts, { file });
  return key.ok ? key : refuseFor(key.error, "See that the folder of your settings can be written");
}

/** Publishes a built folder to the private bucket. */
export async function publishTrial(
  parts: TrialParts,
  { folder, dist, version, connection, key, allow, signal }: {
    /** The phone's folder, which contains the bucket. */
    readonly folder: string;
    readonly dist: string;
    readonly version: string;
    readonly connection: OtaConnection;
    readonly key: KeyPair;
    /** Files that look private but are meant to be published. */
    readonly allow: readonly string[];
    readonly signal?: AbortSignal | undefined;
  },
): Promise<Result<PublishReport, Problem>> {
  const { files } = parts;
  const workFolder = `${folder}/pack`;
  await files.makeDirectory(workFolder);
  try {
    const bucket = createFileBucket({ ...parts, folder: trialFolder(folder) });
    const dependencies = { ...parts, bucket, workFolder, ...(signal && { signal }) };
    const published = await publish(dependencies, {
      dist,
      name: connection.bundleName,
      version,
      engineApi: connection.engineApi,
      target: DEFAULT_TARGET,
      key,
      minSequence: 0,
      allow,
    });
    return published.ok ? ok(published.value) : refuseFor(published.error, "Reset the phone");
  } finally {
    await files.remove(workFolder);
  }
}

/** Returns the folder of the private bucket. */
export function trialFolder(folder: string): string {
  return `${folder}/bucket`;
}
