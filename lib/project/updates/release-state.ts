import { own } from "../../core/json.ts";
import type { Release } from "../../ota-format/mod.ts";
import {
  findRelease,
  type ReleasedDependencies,
  type ReleaseJudge as PublicJudge,
} from "../served/mod.ts";

/** The state of `release.json`, in the form of a status. */
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
  /** The released version of this project's bundle; absent if there is none. */
  readonly version?: string;
  /** Whether players must restart into it. */
  readonly mandatory: boolean;
  /** The lowest engine API level of an app that may take any bundle. */
  readonly minEngineApi: number;
}

/** The project's settings that a release is judged by. */
export interface ProjectJudge extends PublicJudge {
  /** Bundle whose version is reported. */
  readonly bundleName: string | undefined;
}

/** The release as players get it. */
export async function releaseAt(
  dependencies: ReleasedDependencies,
  baseUrl: string,
  judge: ProjectJudge,
): Promise<ReleaseState> {
  const found = await findRelease(dependencies, baseUrl, judge);
  return found.state === "verified"
    ? { state: "verified", ...factsOf(found.release, judge.bundleName) }
    : found;
}

function factsOf(release: Release, bundleName: string | undefined): ReleaseFacts {
  const version = bundleName === undefined ? undefined : own(release.bundles, bundleName);
  const { sequence, mandatory, minEngineApi } = release;
  return { sequence, ...(version !== undefined && { version }), mandatory, minEngineApi };
}
