import { readAtMost } from "../core/bytes.ts";
import { own } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { publicUrl, RELEASE_PATH } from "../ota-format/layout.ts";
import {
  isSigned,
  parseRelease,
  readRecord,
  type Release,
  type ReleaseAudience,
} from "../ota-format/release.ts";
import type { Bucket } from "../ota-publish/bucket.ts";
import type { Runtime } from "../ports/runtime.ts";
import { inTime } from "./patience.ts";

/** `release.json` as somebody finds it. */
export type ReleaseStanding =
  | { readonly state: "verified" } & ReleaseFacts
  /** Nothing was ever published. */
  | { readonly state: "none" }
  /** It is there, and no app would take it. */
  | { readonly state: "invalid"; readonly reason: string }
  /** It could not be looked at. */
  | { readonly state: "unreachable"; readonly reason: string };

/** What a verified release says. */
export interface ReleaseFacts {
  /** Grows with every publish. */
  readonly sequence: number;
  /** The released version of this project's bundle; absent when there is none. */
  readonly version?: string;
  /** Whether players must restart into it. */
  readonly mandatory: boolean;
  /** The lowest engine API level of an app that may take any bundle. */
  readonly minEngineApi: number;
}

/** Whether the public address serves what the bucket holds. */
export type PublicStanding =
  /** `served`: the bucket could not be looked at, so nothing is known but what is served. */
  | { readonly state: "same" | "served"; readonly sequence: number }
  /** A cache still has an older release, or another one is served. */
  | { readonly state: "stale" | "differs"; readonly sequence: number }
  | { readonly state: "none" | "invalid" | "unreachable"; readonly reason: string };

/** What a release is judged by: the project's own settings. */
export interface ReleaseJudge {
  readonly publicKey: string | undefined;
  readonly bundleName: string | undefined;
  readonly audience: ReleaseAudience;
}

/** The release as the bucket holds it. */
export async function releaseIn(bucket: Bucket, judge: ReleaseJudge): Promise<ReleaseStanding> {
  const object = await bucket.read(RELEASE_PATH, LIMITS.releaseBytes);
  if (!object.ok) return { state: "unreachable", reason: object.error.message };
  return object.value === null ? { state: "none" } : await standingOf(object.value.bytes, judge);
}

/** The release as players get it. */
export async function releaseAt(
  { fetch, clock }: Pick<Runtime, "fetch" | "clock">,
  baseUrl: string,
  judge: ReleaseJudge,
): Promise<ReleaseStanding> {
  const url = publicUrl(baseUrl, RELEASE_PATH);
  const patience = new AbortController();
  const { signal } = patience;
  const unreachable = (reason: string): ReleaseStanding => ({ state: "unreachable", reason });
  const found = await inTime(clock, patience, async (): Promise<ReleaseStanding> => {
    const response = await fetch(url, { cache: "no-store", credentials: "omit", signal });
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      if (response.status === 404) return { state: "none" };
      return unreachable(`${url} answered ${response.status}, expected 200`);
    }
    const bytes = await readAtMost(response.body, LIMITS.releaseBytes, signal);
    return bytes === null
      ? { state: "invalid", reason: `${url} has more than ${LIMITS.releaseBytes} bytes` }
      : await standingOf(bytes, judge);
  });
  return typeof found === "string" ? unreachable(`${url}: ${found}`) : found;
}

async function standingOf(
  bytes: Uint8Array,
  { publicKey, bundleName, audience }: ReleaseJudge,
): Promise<ReleaseStanding> {
  const record = readRecord(bytes);
  if (!record.ok) return { state: "invalid", reason: record.error.message };
  if (publicKey === undefined) {
    return { state: "invalid", reason: "ota.publicKey is not set, so it cannot be verified" };
  }
  if (!await isSigned(record.value, publicKey)) {
    return { state: "invalid", reason: "it is not signed by the key of ota.publicKey" };
  }
  const release = parseRelease(record.value, audience);
  return release.ok
    ? { state: "verified", ...factsOf(release.value, bundleName) }
    : { state: "invalid", reason: release.error.message };
}

function factsOf(release: Release, bundleName: string | undefined): ReleaseFacts {
  const version = bundleName === undefined ? undefined : own(release.bundles, bundleName);
  const { sequence, mandatory, minEngineApi } = release;
  return { sequence, ...(version !== undefined && { version }), mandatory, minEngineApi };
}

/** What players get, against what the bucket holds. */
export function compareStandings(
  bucket: ReleaseStanding | undefined,
  served: ReleaseStanding,
): PublicStanding {
  if (served.state === "none") {
    return { state: "none", reason: "there is no release.json at ota.baseUrl" };
  }
  if (served.state !== "verified") return served;
  const { sequence, version } = served;
  if (bucket === undefined || bucket.state === "unreachable") return { state: "served", sequence };
  if (bucket.state !== "verified") return { state: "differs", sequence };
  if (sequence < bucket.sequence) return { state: "stale", sequence };
  const isSame = sequence === bucket.sequence && version === bucket.version;
  return { state: isSame ? "same" : "differs", sequence };
}
