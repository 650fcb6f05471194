import { readAtMost } from "../../core/bytes.ts";
import { own } from "../../core/json.ts";
import { LIMITS } from "../../core/limits.ts";
import { sha256Hex } from "../../core/sha256.ts";
import {
  isSigned,
  manifestPath,
  parseManifest,
  parseRelease,
  publicUrl,
  readRecord,
  type Release,
  RELEASE_PATH,
  type ReleaseTarget,
} from "../../ota-format/mod.ts";
import type { ReleasedManifest } from "../../ota-publish/mod.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Fetch } from "../../ports/fetch.ts";
import { inTime } from "./in-time.ts";
import { asAppsPage } from "./public-fetch.ts";

/** The state of `release.json`. */
type FoundRelease =
  | { readonly state: "verified"; readonly release: Release }
  /** Nothing was ever published. */
  | { readonly state: "none" }
  /** It is there, and no app would take it. */
  | { readonly state: "invalid"; readonly reason: string }
  /** It could not be looked at. */
  | { readonly state: "unreachable"; readonly reason: string };

/** Facts by which a release is judged. */
export interface ReleaseJudge {
  /** Key of its signature; if absent, the release cannot be verified. */
  readonly publicKey: string | undefined;
  /** The app and channel that it must be for. */
  readonly target: ReleaseTarget;
}

/** How a public address is requested. */
export interface ReleasedDependencies {
  /** Asks the address. */
  readonly fetch: Fetch;
  /** Ends the request at the deadline. */
  readonly clock: Pick<Clock, "sleep">;
  /** Cancels it before the deadline: the release then counts as unread. */
  readonly signal?: AbortSignal;
}

/** The release as players get it. Never throws. */
export async function findRelease(
  dependencies: ReleasedDependencies,
  baseUrl: string,
  judge: ReleaseJudge,
): Promise<FoundRelease> {
  const url = publicUrl(baseUrl, RELEASE_PATH);
  const found = await fetchSmall(dependencies, url, LIMITS.releaseBytes);
  return found.state === "bytes" ? await judged(found.bytes, judge) : found;
}

/**
 * Reads the manifest that a release names for a bundle, as players get it; `null` if it names none,
 * or the manifest cannot be read.
 */
export async function findReleasedManifest(
  dependencies: ReleasedDependencies,
  baseUrl: string,
  { release, name }: { readonly release: Release; readonly name: string },
): Promise<ReleasedManifest | null> {
  const version = own(release.bundles, name);
  const ref = own(release.manifests, name);
  if (version === undefined || ref === undefined) return null;
  const url = publicUrl(baseUrl, manifestPath(name, version));
  const found = await fetchSmall(dependencies, url, LIMITS.manifestBytes);
  if (found.state !== "bytes" || await sha256Hex(found.bytes) !== ref.hash) return null;
  const manifest = parseManifest(found.bytes, { name, version });
  return manifest.ok ? { manifest: manifest.value, hash: ref.hash } : null;
}

type Fetched =
  | { readonly state: "bytes"; readonly bytes: Uint8Array<ArrayBuffer> }
  | Exclude<FoundRelease, { readonly state: "verified" }>;

async function fetchSmall(
  { fetch, clock, signal: given }: ReleasedDependencies,
  url: string,
  maxBytes: number,
): Promise<Fetched> {
  const found = await inTime(clock, async (signal): Promise<Fetched> => {
    const response = await asAppsPage(fetch)(url, {
      cache: "no-store",
      credentials: "omit",
      signal,
    });
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      if (response.status === 404) return { state: "none" };
      return { state: "unreachable", reason: `${url} answered ${response.status}, expected 200` };
    }
    const bytes = await readAtMost(response.body, maxBytes, signal);
    return bytes === null
      ? { state: "invalid", reason: `${url} has more than ${maxBytes} bytes` }
      : { state: "bytes", bytes };
  }, given);
  return typeof found === "string" ? { state: "unreachable", reason: `${url}: ${found}` } : found;
}

async function judged(
  bytes: Uint8Array,
  { publicKey, target }: ReleaseJudge,
): Promise<FoundRelease> {
  const record = readRecord(bytes);
  if (!record.ok) return { state: "invalid", reason: record.error.message };
  if (publicKey === undefined) {
    return { state: "invalid", reason: "ota.publicKey is not set, so it cannot be verified" };
  }
  if (!await isSigned(record.value, publicKey)) {
    return { state: "invalid", reason: "it is not signed by the key of ota.publicKey" };
  }
  const release = parseRelease(record.value, target);
  return release.ok
    ? { state: "verified", release: release.value }
    : { state: "invalid", reason: release.error.message };
}
