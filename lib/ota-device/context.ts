import type { EmbeddedManifest, Launch } from "../ota-format/mod.ts";
import type { Clock } from "../ports/clock.ts";
import type { Fetch } from "../ports/fetch.ts";
import type { Files } from "../ports/files.ts";
import type { Hashing } from "../ports/hashing.ts";
import type { ProcessOptions } from "./processes.ts";
import type { Records } from "./records.ts";
import type { TrustedReleases } from "./trusted.ts";

/** The parts that the reference device is built from. */
export interface DeviceOptions extends ProcessOptions {
  /** The file system that the device lives on. */
  readonly files: Files;
  /** The network. */
  readonly fetch: Fetch;
  /** Hashes every file. */
  readonly hashing: Hashing;
  /** Measures stalls. */
  readonly clock: Clock;
  /** The app-private folder; created when it is not there. */
  readonly root: string;
  /** The bundle inside the app binary, with its `ota-embedded-manifest.json`. */
  readonly embedded?: string;
  /** Releases that are accepted, if the app's binary restricts them (NAT-6). Default: the client decides. */
  readonly trusted?: TrustedReleases;
  /**
   * Whether an active version goes back on trial after three unconfirmed launches in a row
   * (DEV-50). Default `false`.
   */
  readonly backOnTrial?: boolean;
  /** The longest silence of a server, in milliseconds. Default 30 s. */
  readonly stallMs?: number;
  /** Gives a running staging up. */
  readonly signal?: AbortSignal;
}

/** The state that the operations of one device share. */
export interface DeviceContext {
  readonly options: DeviceOptions;
  readonly records: Records;
  readonly session: Session;
}

/** The state of the process that a device runs in. */
export interface Session {
  /** The launch that the boot hook decided last. */
  launch: Launch | null;
  /** Every version that was served, as `<name>@<version>`. */
  readonly served: Set<string>;
  /** Bundles whose launch could not be recorded, so that it cannot be confirmed. */
  readonly unrecorded: Set<string>;
  /** Bundles whose game does not wait for the pending version, because no launch can be recorded (NAT-9). */
  readonly waived: Set<string>;
  /** Stagings that were requested and have not ended. */
  stagings: number;
  /** Cancels the hashing of the served version, as a staging does. */
  verifying: AbortController | null;
  /** The id of the current staging; `null` without one. */
  stagingId: string | null;
  /** Versions that the staging under way needs, as `<name>@<version>`. */
  busy: readonly string[];
  /** The version that was staged last and is not active yet, by bundle. */
  readonly fresh: Map<string, string>;
  /** Whether a launch met another app binary than last time, and no sweep has run since. */
  isNewBinary: boolean;
  /** The identity in the embedded manifest; `null` before it was read. */
  embedded: EmbeddedIdentity | null;
}

/** The part of the embedded manifest that every check reads; it may list twenty thousand files. */
export type EmbeddedIdentity = Pick<
  EmbeddedManifest,
  "name" | "version" | "app" | "channel" | "sequence" | "published" | "released"
>;
