import type { JobSnapshot } from "../../core/jobs.ts";
import { versionNumber } from "../../core/paths.ts";
import { describeBucket } from "../../ota-publish/mod.ts";
import type { Runtime } from "../../ports/runtime.ts";
import type { ProjectConfig } from "../config/config.ts";
import { readProjectConfig } from "../config/read-config.ts";
import { missingOta } from "../config/ota-config.ts";
import { toReleaseTarget } from "./place.ts";
import { orReason } from "../served/mod.ts";
import { releaseAt, type ReleaseState } from "./release-state.ts";
import { findSigningKey } from "./signing-key.ts";

// Opening a project already asks for its status, and a project may come from anywhere. So a status
// opens no store, searches no credentials and signs nothing: it fetches what players get as players
// do; only a publish reads the bucket.

/** The signing key as this machine has it. */
export interface KeyState {
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

/** The answer of `svc_ota_status`. Values that the project does not set are absent. */
export interface OtaStatus {
  /** Whether apps of this project look for updates. */
  readonly enabled: boolean;
  /** `ota.bundleName`. */
  readonly bundleName?: string;
  /** `ota.baseUrl`. */
  readonly baseUrl?: string;
  /** `ota.engineApi`. */
  readonly engineApi?: number;
  /** `ota.app`, or its default. */
  readonly app: string;
  /** `ota.channel`, or its default. */
  readonly channel: string;
  /** `ota.publicKey`. */
  readonly publicKey?: string;
  /** The bucket in words, without secrets. */
  readonly bucket?: string;
  /** The signing key of this machine. */
  readonly key: KeyState;
  /** The release that players get, at `ota.baseUrl`. */
  readonly release?: ReleaseState;
  /** One more than players get. If it is taken, the refusal of a publish names a free one. */
  readonly nextVersion?: string;
  /** The publish that runs now. */
  readonly job?: Pick<JobSnapshot, "id" | "key" | "state">;
  /** The names of unset settings that a publish needs; absent if none is missing. */
  readonly missing?: readonly string[];
  /** The problems of these settings, each with its next step. */
  readonly problems: readonly string[];
}

/** Reports the state of a project's updates. Never throws; unreachable places are named. */
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
  const target = toReleaseTarget(ota ?? {});
  if (ota?.enabled !== true) problems.push("ota.enabled is not true: no app looks for updates");
  const missing = read.ok ? missingOta(ota) : [];
  if (missing.length > 0) problems.push(`Not set: ${missing.map(({ text }) => text).join(", ")}`);
  const judge = { publicKey: ota?.publicKey, bundleName: ota?.bundleName, target };
  const [key, release] = await Promise.all([
    keyState(runtime, root, config),
    ota?.baseUrl === undefined ? undefined : releaseAt(runtime, ota.baseUrl, judge),
  ]);
  const bucket = bucketLabel(runtime, config, problems);
  const nextVersion = release && versionAfter(release);
  if (key.reason !== undefined) problems.push(key.reason);
  else if (key.matchesProject === false) {
    problems.push("The signing key is not the one of ota.publicKey: nothing can be published");
  }
  const unset = [
    ...(ota?.enabled === true ? [] : ["ota.enabled"]),
    ...missing.map(({ name }) => name),
    ...(config?.publish?.bucket === undefined ? ["publish.bucket"] : []),
  ];
  return {
    enabled: ota?.enabled === true,
    ...(ota?.bundleName !== undefined && { bundleName: ota.bundleName }),
    ...(ota?.baseUrl !== undefined && { baseUrl: ota.baseUrl }),
    ...(ota?.engineApi !== undefined && { engineApi: ota.engineApi }),
    ...target,
    ...(ota?.publicKey !== undefined && { publicKey: ota.publicKey }),
    ...(bucket !== undefined && { bucket }),
    key,
    ...(release && { release }),
    ...(nextVersion !== undefined && { nextVersion }),
    ...(running && { job: { id: running.id, key: running.key, state: running.state } }),
    ...(read.ok && unset.length > 0 && { missing: unset }),
    problems,
  };
}

async function keyState(
  runtime: Runtime,
  root: string,
  config: ProjectConfig | undefined,
): Promise<KeyState> {
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

function bucketLabel(
  { host }: Pick<Runtime, "host">,
  config: ProjectConfig | undefined,
  problems: string[],
): string | undefined {
  const url = config?.publish?.bucket;
  if (url === undefined) {
    problems.push("publish.bucket is not set: give bucket when publishing");
    return undefined;
  }
  const described = describeBucket(url, host.platform);
  if (described.ok) return described.value;
  problems.push(described.error.message);
  return undefined;
}

function versionAfter(release: ReleaseState): string | undefined {
  if (release.state === "none") return "v1";
  if (release.state !== "verified") return undefined;
  return release.version === undefined ? "v1" : `v${versionNumber(release.version) + 1n}`;
}
