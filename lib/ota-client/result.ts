import type { Failure } from "../core/result.ts";
import type {
  ManifestFailureCode,
  ReleaseFailureCode,
  StageFailureCode,
} from "../ota-format/mod.ts";
import type { FetchFailureCode } from "./fetch-bytes.ts";

/** Why a check came to its result: for dashboards and tests, the same in every version. */
export type CheckCode =
  /** The release or the manifest could not be fetched. */
  | FetchFailureCode
  /** The release is none, or is for another app or channel. */
  | ReleaseFailureCode
  /** The release is JSON, and no object. */
  | "not-object"
  /** Not signed by this app's key. */
  | "bad-signature"
  /** Older than a release that this device has accepted: an edge is behind, or someone put it back. */
  | "replayed"
  /** So far ahead that accepting it would shut out all later ones. */
  | "sequence-jump"
  /** The release names no version of this bundle. */
  | "no-entry"
  /** The version failed to boot here, or the device refuses it for that. */
  | "quarantined"
  /** This app's engine API level is not the one that is needed. */
  | "engine-api"
  /** The version is older than the bundle in the app's binary (CHECK-14). */
  | "older-than-binary"
  /** The manifest is none, or breaks a rule. */
  | ManifestFailureCode
  /** The release says no hash of the manifest. */
  | "no-hash"
  /** Neither a base to build on nor a whole bundle. */
  | "no-base"
  /** The device's answer to staging or activating. */
  | StageFailureCode
  /** The plugin could not be loaded, or answered what nobody here knows. */
  | "plugin"
  /** Something that should not happen. */
  | "fault";

/** The outcome of a check. `detail` is the code, followed by an explanation. */
export type CheckResult =
  | {
    readonly result: "up-to-date";
    /** The version that runs, or will at the next launch. */
    readonly version: string;
    /** The version that the next launch serves; absent if that is the one that runs. */
    readonly pending?: { readonly version: string; readonly mandatory: boolean };
    /** The release names an older version than the binary holds; absent where it names `version`. */
    readonly code?: "older-than-binary";
    readonly detail?: string;
  }
  | { readonly result: "staged"; readonly version: string; readonly mandatory: boolean }
  | {
    readonly result:
      | "no-release-for-bundle"
      | "signature-invalid"
      | "engine-api-too-old"
      | "manifest-invalid"
      | "no-bundle-zip-in-manifest"
      | "version-rejected"
      | "stage-failed";
    readonly version?: string;
    readonly code: CheckCode;
    readonly detail: string;
  };

/** A result that has a code. @param version The one that was looked at, where it is known. */
export function because<const R extends string, const C extends CheckCode>(
  result: R,
  { code, message }: Failure<C>,
  version?: string,
): { readonly result: R; readonly version?: string; readonly code: C; readonly detail: string } {
  return { result, ...(version && { version }), code, detail: `${code}: ${message}` };
}
