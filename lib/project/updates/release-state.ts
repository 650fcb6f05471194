import { readAtMost } from "../../core/bytes.ts";
import { own } from "../../core/json.ts";
import { LIMITS } from "../../core/limits.ts";
import {
  isSigned,
  parseRelease,
  publicUrl,
  readRecord,
  type Release,
  RELEASE_PATH,
  type ReleaseTarget,
} from "../../ota-format/mod.ts";
import type { Runtime } from "../../ports/runtime.ts";
import { asAppsPage } from "../served/mod.ts";
import { inTime } from "./status-timeout.ts";

/** `release.json` as somebody finds it. */
export type ReleaseState =
  | { readonly state: "verified" } & ReleaseFacts
  /** Nothing was ever published. */
  | { readonly state: "none" }
  /** It is there, and no app would take it. */
  | { readonly state: "invalid"; readonly reason: string }
  /** It could not be looked at. */
  | { readonly state: "unreachable"; readonly reason: string };

/** The facts of a verified release. */
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

/** The project's settings that a release is judged by. */
export interface ReleaseJudge {
  readonly publicKey: string | undefined;
  readonly bundleName: string | undefined;
  readonly target: ReleaseTarget;
}

/** The release as players get it. */
export async function releaseAt(
  { fetch, clock }: Pick<Runtime, "fetch" | "clock">,
  baseUrl: string,
  judge: ReleaseJudge,
): Promise<ReleaseState> {
  const url = publicUrl(baseUrl, RELEASE_PATH);
  const unreachable = (reason: string): ReleaseState => ({ state: "unreachable", reason });
  const found = await inTime(clock, async (signal): Promise<ReleaseState> => {
    const response = await asAppsPage(fetch)(url, {
      cache: "no-store",
      credentials: "omit",
      signal,
    });
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      if (response.status === 404) return { state: "none" };
      return unreachable(`${url} answered ${response.status}, expected 200`);
    }
    const bytes = await readAtMost(response.body, LIMITS.releaseBytes, signal);
    return bytes === null
      ? { state: "invalid", reason: `${url} has more than ${LIMITS.releaseBytes} bytes` }
      : await stateOf(bytes, judge);
  });
  return typeof found === "string" ? unreachable(`${url}: ${found}`) : found;
}

async function stateOf(
  bytes: Uint8Array,
  { publicKey, bundleName, target }: ReleaseJudge,
): Promise<ReleaseState> {
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
    ? { state: "verified", ...factsOf(release.value, bundleName) }
    : { state: "invalid", reason: release.error.message };
}

function factsOf(release: Release, bundleName: string | undefined): ReleaseFacts {
  const version = bundleName === undefined ? undefined : own(release.bundles, bundleName);
  const { sequence, mandatory, minEngineApi } = release;
  return { sequence, ...(version !== undefined && { version }), mandatory, minEngineApi };
}
