import { own } from "../core/json.ts";
import { isVersion, versionNumber } from "../core/paths.ts";
import { EMBEDDED } from "./manifest.ts";
import { isPositiveInteger, type Release, type ReleaseFailureCode } from "./release.ts";

// The decision of one device about a release: the order of CHECK-1 from the bundle's entry to the manifest.

/** The app that a release is looked at for. */
export interface ReleasedApp {
  /** The bundle that it runs. */
  readonly name: string;
  /** Its engine API level. */
  readonly engineApi: number;
}

/** Facts about the bundle in an app's binary. */
export interface BinaryBundle {
  /** `v<N>`, or `embedded` if it has no number. */
  readonly embedded?: string | undefined;
  /** Released version when the binary was built (MAN-7): a bundle without a number is newer. */
  readonly released?: string | undefined;
}

/** Facts about a device's bundle that decide. */
export interface HeldBundle extends BinaryBundle {
  /** The version that is trusted. */
  readonly active?: string | undefined;
  /** The version on trial. */
  readonly pending?: string | undefined;
  /** Versions that are quarantined. */
  readonly rejected: readonly unknown[];
}

/** Decision about a release. */
export type Decision =
  /** An update is possible: the check continues with the manifest. */
  | { readonly result: "stage"; readonly version: string }
  | { readonly result: "up-to-date"; readonly version: string }
  | {
    readonly result: "up-to-date";
    /** Running version. */
    readonly version: string;
    readonly code: "older-than-binary";
    readonly detail: string;
  }
  | {
    readonly result: "version-rejected";
    readonly version: string;
    readonly code: "quarantined";
    readonly detail: string;
  }
  | EngineTooOld
  | {
    readonly result: "no-release-for-bundle";
    readonly code: "no-entry";
    readonly detail: string;
  };

/** The answer to a release or manifest that needs another engine API level. */
export interface EngineTooOld {
  /** §7.1. */
  readonly result: "engine-api-too-old";
  /** The version that needs it. */
  readonly version: string;
  /** Why, for programs. */
  readonly code: "engine-api";
  /** The code, then which level is needed and which is there. */
  readonly detail: string;
}

/** Failures of a signed release that cannot be used and does not say whom it is for. */
const NO_RELEASE: readonly ReleaseFailureCode[] = ["unknown-schema", "unsupported", "malformed"];

/** Returns the result of a check whose release is signed but cannot be used. */
export function resultOfUnusable(
  code: ReleaseFailureCode,
): "no-release-for-bundle" | "signature-invalid" {
  return NO_RELEASE.includes(code) ? "no-release-for-bundle" : "signature-invalid";
}

/** Decides whether a verified release updates a device. Changes nothing. */
export function decide(
  release: Release,
  { name, engineApi }: ReleasedApp,
  held: HeldBundle,
): Decision {
  const version = own(release.bundles, name);
  if (version === undefined) {
    const detail = `no-entry: no bundle ${JSON.stringify(name)}`;
    return { result: "no-release-for-bundle", code: "no-entry", detail };
  }
  // Without an active version the app runs the binary's bundle, which may be this very version.
  const running = held.active ?? held.embedded ?? EMBEDDED;
  if (version === held.pending || version === running) return { result: "up-to-date", version };
  if (held.rejected.includes(version)) {
    const detail = `quarantined: ${version} failed to boot; publish another one`;
    return { result: "version-rejected", version, code: "quarantined", detail };
  }
  // A text would compare like a number, and is refused.
  if (!isPositiveInteger(engineApi) || release.minEngineApi > engineApi) {
    return tooOld(version, `the release needs engine API ${release.minEngineApi}`, engineApi);
  }
  if (isOlderThanBinary(release, name, held)) {
    const detail = `older-than-binary: ${version} is older than what this app came with`;
    return { result: "up-to-date", version: running, code: "older-than-binary", detail };
  }
  return { result: "stage", version };
}

/** Answers a release or manifest that needs another engine API level. */
export function tooOld(version: string, needs: string, has: number): EngineTooOld {
  const detail = `engine-api: ${needs}, this app has ${has}`;
  return { result: "engine-api-too-old", version, code: "engine-api", detail };
}

/**
 * Returns whether a release names an older version of a bundle than the app's binary holds, without
 * stating that going back is intended (CHECK-14).
 */
export function isOlderThanBinary(
  { bundles, backTo }: Pick<Release, "bundles" | "backTo">,
  name: string,
  { embedded = "", released = "" }: BinaryBundle,
): boolean {
  const named = own(bundles, name);
  const hasNumber = isVersion(embedded);
  const bound = hasNumber ? embedded : released;
  if (named === undefined || own(backTo, name) === named || !isVersion(bound)) return false;
  return versionNumber(named) - versionNumber(bound) < (hasNumber ? 0n : 1n);
}
