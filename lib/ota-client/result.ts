import type { Failure } from "../core/result.ts";
import type {
  ManifestFailureCode,
  ReleaseFailureCode,
  StageFailureCode,
} from "../ota-format/mod.ts";
import type { FetchFailureCode } from "./fetch-bytes.ts";

/** The reason of a check's result: for dashboards and tests, the same in every version. */
export type CheckCode =
  /** The release or the manifest could not be fetched. */
  | FetchFailureCode
  /** The release is malformed, or for another app or channel. */
  | ReleaseFailureCode
  /** The release is JSON, and no object. */
  | "not-object"
  /** Not signed by this app's key. */
  | "bad-signature"
  /** Older than a release that this device has accepted: an edge is behind, or someone put it back. */
  | "replayed"
  /** Too far ahead: accepting it would shut out all later ones. */
  | "sequence-jump"
  /** The release names no version of this bundle. */
  | "no-entry"
  /** The version failed to boot here, or the device refuses it for that. */
  | "quarantined"
  /** This app's engine API level is lower than the release needs. */
  | "engine-api"
  /** The version is older than the bundle in the app's binary (CHECK-14). */
  | "older-than-binary"
  /** The manifest is malformed, or breaks a rule. */
  | ManifestFailureCode
  /** The release has no hash of the manifest. */
  | "no-hash"
  /** Neither a base to build on nor a bundle archive. */
  | "no-base"
  /** The device's answer to staging or activating. */
  | StageFailureCode
  /** The plugin could not be loaded, or its answer is unknown. */
  | "plugin"
  /** Something that should not happen. */
  | "fault";

/** The outcome of a check. `detail` is the code, followed by an explanation. */
export type CheckResult =
  | {
    readonly result: "up-to-date";
    /** The version that runs, or will at the next launch. */
    readonly version: string;
    /** The version that the next launch serves; absent if that is the running one. */
    readonly pending?: { readonly version: string; readonly mandatory: boolean };
    /** The release names an older version than the binary holds; absent if it names `version`. */
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

/** Creates a result with a code. @param version The checked version, if it is known. */
export function because<const R extends string, const C extends CheckCode>(
  result: R,
  { code, message }: Failure<C>,
  version?: string,
): { readonly result: R; readonly version?: string; readonly code: C; readonly detail: string } {
  return { result, ...(version && { version }), code, detail: `${code}: ${message}` };
}
