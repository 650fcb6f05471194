import type { JobSnapshot } from "../core/jobs.ts";
import { DEFAULT_AUDIENCE } from "../ota-format/release.ts";
import type { Bucket } from "../ota-publish/bucket.ts";
import { openBucket } from "../ota-publish/open-bucket.ts";
import { freeVersion, listVersions } from "../ota-publish/plan.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { ProjectConfig } from "./config.ts";
import { readProjectConfig } from "./open.ts";
import { inTime, orReason } from "./patience.ts";
import {
  compareStandings,
  type PublicStanding,
  releaseAt,
  releaseIn,
  type ReleaseJudge,
  type ReleaseStanding,
} from "./release-standing.ts";
import { findSigningKey } from "./signing-key.ts";

/** Versions that a status names. */
const NEWEST = 20;

/** The signing key as this machine has it. */
export interface KeyStanding {
  /** `publish.keyName`, or `default`. */
  readonly name: string;
  /** Whether there is one, usable or not. */
  readonly exists: boolean;
  /** Its public half. */
  readonly publicKey?: string;
  /** Whether that is `ota.publicKey`: only then can anything be published. */
  readonly matchesProject?: boolean;
  /** Why it cannot be used. */
  readonly reason?: string;
}

/** Published versions of a bundle, as the bucket lists them. */
export interface PublishedVersions {
  /** How many there are. */
  readonly total: number;
  /** The 20 newest, newest first. */
  readonly newest: readonly string[];
  /** Whether there are more. */
  readonly truncated: boolean;
}

/** What `svc_ota_status` answers. What is not set in the project is absent. */
export interface OtaStatus {
  /** Whether apps of this project look for updates. */
  readonly enabled: boolean;
  /** `ota.bundleName`. */
  readonly bundleName?: string;
  /** `ota.baseUrl`. */
  readonly baseUrl?: string;
  /** `ota.engineApi`. */
  readonly engineApi?: number;
  /** `ota.app`, or what stands for it. */
  readonly app: string;
  /** `ota.channel`, or what stands for it. */
  readonly channel: string;
  /** `ota.publicKey`. */
  readonly publicKey?: string;
  /** The bucket in words, without secrets. */
  readonly bucket?: string;
  /** The signing key of this machine. */
  readonly key: KeyStanding;
  /** In the bucket. */
  readonly release?: ReleaseStanding;
  /** Published versions of the bundle, newest first. */
  readonly versions?: PublishedVersions;
  /** The version to publish next. */
  readonly nextVersion?: string;
  /** At `ota.baseUrl`. */
  readonly public?: PublicStanding;
  /** The publish that runs now. */
  readonly job?: Pick<JobSnapshot, "id" | "key" | "state">;
  /** What keeps this from being whole, and what to do. */
  readonly problems: readonly string[];
}

/** Tells how the updates of a project stand. Never throws; what is not reachable is said. */
export async function otaStatus(
  runtime: Runtime,
  root: string,
  running: JobSnapshot | undefined,
): Promise<OtaStatus> {
  const problems: string[] = [];
  const read = await readProjectConfig(runtime.files, root);
  if (!read.ok) problems.push(`${read.error.detail}. ${read.error.hint}`);
  const config = read.ok ? read.value : undefined;
  const ota = config?.ota;
  const audience = {
    app: ota?.app ?? DEFAULT_AUDIENCE.app,
    channel: ota?.channel ?? DEFAULT_AUDIENCE.channel,
  };
  if (ota?.enabled !== true) problems.push("ota.enabled is not true: no app looks for updates");
  const judge = { publicKey: ota?.publicKey, bundleName: ota?.bundleName, audience };
  const [key, store, served] = await Promise.all([
    keyStanding(runtime, root, config),
    storeStanding(runtime, { config, judge, problems }),
    ota?.baseUrl === undefined ? undefined : releaseAt(runtime, ota.baseUrl, judge),
  ]);
  if (key.reason !== undefined) problems.push(key.reason);
  else if (key.matchesProject === false) {
    problems.push("The signing key is not the one of ota.publicKey: nothing can be published");
  }
  return {
    enabled: ota?.enabled === true,
    ...(ota?.bundleName !== undefined && { bundleName: ota.bundleName }),
    ...(ota?.baseUrl !== undefined && { baseUrl: ota.baseUrl }),
    ...(ota?.engineApi !== undefined && { engineApi: ota.engineApi }),
    ...audience,
    ...(ota?.publicKey !== undefined && { publicKey: ota.publicKey }),
    key,
    ...store,
    ...(served && { public: compareStandings(store.release, served) }),
    ...(running && { job: { id: running.id, key: running.key, state: running.state } }),
    problems,
  };
}

async function keyStanding(
  runtime: Runtime,
  root: string,
  config: ProjectConfig | undefined,
): Promise<KeyStanding> {
  const keyName = config?.publish?.keyName;
  const name = keyName ?? "default";
  const found = await orReason(() => findSigningKey(runtime, root, keyName));
  if (typeof found === "string") return { name, exists: false, reason: found };
  if (!found.ok) {
    const { code, detail, hint } = found.error;
    return { name, exists: code !== "missing-key", reason: `${detail}. ${hint}` };
  }
  const { publicKey } = found.value;
  const project = config?.ota?.publicKey;
  return {
    name,
    exists: true,
    publicKey,
    ...(project !== undefined && { matchesProject: publicKey === project }),
  };
}

async function storeStanding(
  runtime: Runtime,
  { config, judge, problems }: {
    readonly config: ProjectConfig | undefined;
    readonly judge: ReleaseJudge;
    readonly problems: string[];
  },
): Promise<Pick<OtaStatus, "bucket" | "release" | "versions" | "nextVersion">> {
  const url = config?.publish?.bucket;
  if (url === undefined) {
    problems.push("publish.bucket is not set: give bucket when publishing");
    return {};
  }
  const patience = new AbortController();
  // Opening asks nothing of the store, but a server of credentials may be silent.
  const opened = await inTime(
    runtime.clock,
    patience,
    () => openBucket({ ...runtime, signal: patience.signal }, url),
  );
  if (typeof opened === "string" || !opened.ok) {
    problems.push(
      typeof opened === "string"
        ? `publish.bucket cannot be opened: ${opened}`
        : opened.error.message,
    );
    return {};
  }
  const bucket = opened.value;
  const found = await inTime(runtime.clock, patience, async () => {
    const [release, versions] = await Promise.all([
      releaseIn(bucket, judge),
      versionsIn(bucket, judge.bundleName),
    ]);
    return { release, ...versions };
  });
  return typeof found === "string"
    ? { bucket: bucket.label, release: { state: "unreachable", reason: found } }
    : { bucket: bucket.label, ...found };
}

async function versionsIn(
  bucket: Bucket,
  name: string | undefined,
): Promise<Pick<OtaStatus, "versions" | "nextVersion">> {
  if (name === undefined) return {};
  const versions = await listVersions(bucket, name);
  if (!versions.ok) return {};
  const total = versions.value.length;
  const free = await freeVersion(bucket, { name });
  return {
    versions: { total, newest: versions.value.slice(0, NEWEST), truncated: total > NEWEST },
    ...(free.ok && { nextVersion: free.value }),
  };
}
