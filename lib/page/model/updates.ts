import { type Signal, signal } from "@preact/signals";
import { isRecord } from "../../core/json.ts";
import type { Problem } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { listOf, numberOf, textOrEmpty } from "../wire/read.ts";
import { callService } from "../wire/service.ts";

// State of the project's updates: its settings, its key, the release that players receive.

/** The release that players receive from the public address. */
export interface ServedRelease {
  readonly state: string;
  readonly version: string;
  readonly sequence: number;
  readonly mandatory: boolean;
  /** Why it is unknown or unusable. */
  readonly reason: string;
}

/** State of updates. Unset texts are empty. */
export interface UpdateStatus {
  readonly enabled: boolean;
  readonly bundleName: string;
  readonly baseUrl: string;
  readonly engineApi: number;
  /** The bucket as people read it. */
  readonly bucket: string;
  /** `ota.publicKey`. */
  readonly publicKey: string;
  readonly key: {
    readonly name: string;
    readonly exists: boolean;
    readonly publicKey: string;
    readonly matches: boolean;
    readonly reason: string;
  };
  readonly release: ServedRelease | null;
  /** Empty if unknown. */
  readonly nextVersion: string;
  /** The settings that are not set and have to be, by name. */
  readonly missing: readonly string[];
  readonly problems: readonly string[];
}

/** A release of the history. */
export interface PastRelease {
  readonly sequence: number;
  readonly state: string;
  readonly writtenAt: string;
  readonly bundles: Readonly<Record<string, string>>;
  readonly mandatory: boolean;
  readonly problem: string;
}

/** Result of a publish. */
export interface PageReleaseHistory {
  readonly bucket: string;
  readonly bundleName: string;
  readonly releases: readonly PastRelease[];
  readonly older: number;
}

/** `publish.bucket`, as the settings spell it. */
export const bucketUrl: Signal<string> = signal("");
/** The state last loaded; `null` before. */
export const updates: Signal<UpdateStatus | null> = signal(null);
/** Why it could not be loaded. */
export const updatesProblem: Signal<Problem | null> = signal(null);
/** `null` until it is requested. */
export const releaseHistory: Signal<PageReleaseHistory | null> = signal(null);
/** Why the history could not be read. */
export const historyProblem: Signal<Problem | null> = signal(null);

let asked = 0;

/** Loads the state of updates. */
export async function loadUpdates(): Promise<void> {
  const number = ++asked;
  const [status, project] = await Promise.all([
    callService("svc_ota_status"),
    callService("get_project"),
  ]);
  if (number !== asked) return; // a newer one is under way
  updatesProblem.value = status.ok ? null : status.error;
  if (status.ok) updates.value = statusOf(status.value);
  const { publish } = project.ok ? project.value : {};
  if (project.ok) bucketUrl.value = isRecord(publish) ? textOrEmpty(publish["bucket"]) : "";
}

/** Loads the published releases; this accesses the bucket. */
export async function loadHistory(): Promise<void> {
  const answer = await callService("svc_ota_history", { limit: 100 });
  historyProblem.value = answer.ok ? null : answer.error;
  if (!answer.ok) return;
  const { bucket, bundleName, releases, older } = answer.value;
  releaseHistory.value = {
    bucket: textOrEmpty(bucket),
    bundleName: textOrEmpty(bundleName),
    releases: listOf(releases, pastOf),
    older: numberOf(older),
  };
}

/** Changes settings of updates. @returns Why not. */
export async function changeUpdates(
  values: Readonly<Record<string, unknown>>,
): Promise<Problem | null> {
  const answer = await callService("set_project_settings", { values });
  await loadUpdates();
  return answer.ok ? null : answer.error;
}

/** Makes a signing key. @returns The file that holds it. */
export async function makeKey(): Promise<Result<string, Problem>> {
  const answer = await callService("svc_ota_keygen");
  await loadUpdates();
  return answer.ok ? ok(textOrEmpty(answer.value["path"])) : answer;
}

/** The address of the signed record below a public address. */
export function releaseUrl(baseUrl: string): string {
  return `${baseUrl.replace(/\/+$/, "")}/release.json`;
}

function statusOf(value: Readonly<Record<string, unknown>>): UpdateStatus {
  const { enabled, bundleName, baseUrl, engineApi, bucket, publicKey, release } = value;
  const key = isRecord(value["key"]) ? value["key"] : {};
  return {
    enabled: enabled === true,
    bundleName: textOrEmpty(bundleName),
    baseUrl: textOrEmpty(baseUrl),
    engineApi: numberOf(engineApi),
    bucket: textOrEmpty(bucket),
    publicKey: textOrEmpty(publicKey),
    key: {
      name: textOrEmpty(key["name"]),
      exists: key["exists"] === true,
      publicKey: textOrEmpty(key["publicKey"]),
      matches: key["matchesProject"] === true,
      reason: textOrEmpty(key["reason"]),
    },
    release: isRecord(release)
      ? {
        state: textOrEmpty(release["state"]),
        version: textOrEmpty(release["version"]),
        sequence: numberOf(release["sequence"]),
        mandatory: release["mandatory"] === true,
        reason: textOrEmpty(release["reason"]),
      }
      : null,
    nextVersion: textOrEmpty(value["nextVersion"]),
    missing: listOf(value["missing"], textOrEmpty),
    problems: listOf(value["problems"], textOrEmpty),
  };
}

function pastOf(value: unknown): PastRelease | null {
  if (!isRecord(value)) return null;
  const { sequence, state, writtenAt, bundles, mandatory, problem } = value;
  const named = Object.entries(isRecord(bundles) ? bundles : {});
  return {
    sequence: numberOf(sequence),
    state: textOrEmpty(state),
    writtenAt: textOrEmpty(writtenAt),
    bundles: Object.fromEntries(named.map(([name, version]) => [name, textOrEmpty(version)])),
    mandatory: mandatory === true,
    problem: textOrEmpty(problem),
  };
}
