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
   * Whether an active version that is not confirmed three launches in a row goes back on trial
   * (DEV-50). Default `false`.
   */
  readonly backOnTrial?: boolean;
  /** The longest that a server may send nothing, in milliseconds. Default 30 s. */
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
  /** Bundles whose launch could not be recorded: nothing confirms it. */
  readonly unrecorded: Set<string>;
  /** Stagings that were asked for and have not ended. */
  stagings: number;
  /** Ends the hashing of what is served, as a staging does. */
  verifying: AbortController | null;
  /** Names what the staging under way puts together; `null` where none is. */
  stagingId: string | null;
  /** Versions that the staging under way needs, as `<name>@<version>`. */
  busy: readonly string[];
  /** The version that was staged last and is not active yet, by bundle. */
  readonly fresh: Map<string, string>;
  /** Whether a launch met another app binary than last time, and nothing was swept since. */
  isNewBinary: boolean;
  /** The identity in the embedded manifest; `null` before it was read. */
  embedded: EmbeddedIdentity | null;
}

/** The part of the embedded manifest that every check reads; it may list twenty thousand files. */
export type EmbeddedIdentity = Pick<
  EmbeddedManifest,
  "name" | "version" | "app" | "channel" | "sequence" | "published" | "released"
>;
