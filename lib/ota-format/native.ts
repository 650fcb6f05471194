import type { Copy, Download } from "./diff.ts";

// The native plugin's operations. The JavaScript that calls them came over the air and may be older
// than the plugin, so a later field is always optional (DEV-17). A request that breaks the rules of
// names, paths or numbers is answered `invalid`; where there is no answer the promise is rejected with
// an error of that `code` (NAT-5). Nothing was changed then.

/** The six fields of `state.json` (BOOT-15); vectors/DEVICE.md says who sets them. */
export interface BootState {
  /** Bundle name to the version that is trusted. */
  readonly active?: Readonly<Record<string, string>>;
  /** Bundle name to the version on trial. */
  readonly pending?: Readonly<Record<string, string>>;
  /** Launches that the pending version has had. */
  readonly bootAttempts?: Readonly<Record<string, number>>;
  /** Launches of it that were confirmed. */
  readonly confirmedBoots?: Readonly<Record<string, number>>;
  /** Quarantined versions, oldest first, at most ten a bundle. */
  readonly rejected?: Readonly<Record<string, readonly string[]>>;
  /** The app binary's own version at the last launch. */
  readonly lastSeenBinaryVersion?: string;
}

/** Why the device could not stage a version. */
export type StageFailureCode =
  | "download"
  | "missing" // the server does not have it: 4xx (CHECK-7)
  | "hash-mismatch"
  | "size-mismatch"
  | "archive"
  | "base-missing"
  | "quarantined"
  | "disk-full"
  | "disk-read-only"
  | "disk-failed"
  | "damaged"
  | "invalid"
  | "untrusted" // by the public key in the app (NAT-6)
  | "cancelled"
  | "io";

/** How a staging ended. Never thrown. */
export type StageResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: StageFailureCode; readonly detail: string };

/**
 * A launch: the version that it served, and the token that confirms it. The served document has it as
 * `globalThis.slipwayLaunch`, frozen, before its own scripts run (NAT-7).
 */
export interface Launch {
  /** The bundle's name. */
  readonly name: string;
  /** `v<N>` or `embedded`. */
  readonly version: string;
  /** Given back by the confirmation. */
  readonly token: string;
}

/** A version on trial, which boots at the next launch or runs already. */
export interface Pending {
  /** The bundle's name. */
  readonly name: string;
  /** The version. */
  readonly version: string;
  /**
   * Whether the game waits for it: the release that it came from was mandatory (NAT-8), and this launch
   * could be recorded (NAT-9).
   */
  readonly mandatory: boolean;
}

/** The state of the device, as `getState` reports it. */
export interface DeviceState {
  /** `null` when there is no usable `state.json`. */
  readonly state: BootState | null;
  /** The highest accepted sequence by `<app>/<channel>`. */
  readonly sequence: Readonly<Record<string, number>>;
  /**
   * The newest launch; absent when the boot hook did not run. Without its token once the process has
   * served a second version: then only the documents know whose token is whose (NAT-7).
   */
  readonly launch?: { readonly name: string; readonly version: string; readonly token?: string };
  /** Pending version of the launched bundle. Older plugins do not report it; then the release decides. */
  readonly pending?: Pending;
  /** Quarantined versions that survive a damaged `state.json`, by bundle. */
  readonly rejected?: Readonly<Record<string, readonly string[]>>;
  /**
   * Completely staged versions, by bundle name. A plugin that reports them accepts copies with their
   * own `base` or `url` (DEV-18).
   */
  readonly staged?: Readonly<Record<string, readonly string[]>>;
  /**
   * Bytes that lie here of contents and whole bundles on their way, by their hash: that many fewer are
   * fetched (DIFF-5). Absent where none do.
   */
  readonly partial?: Readonly<Record<string, number>>;
  /** The version of the bundle in the app binary, by bundle: `v<N>` or `embedded`. */
  readonly embedded?: Readonly<Record<string, string>>;
  /**
   * The public key in the app's binary, base64url. A plugin that reports one accepts a version or a
   * sequence only together with the `release` that names it (NAT-6).
   */
  readonly publicKey?: string;
  /**
   * The hash of the released manifest with the files of the embedded bundle, by bundle (MAN-6). A
   * plugin that reports it accepts `toEmbedded`.
   */
  readonly published?: Readonly<Record<string, string>>;
  /** The version that was released when the app binary was built, by bundle (MAN-7). */
  readonly released?: Readonly<Record<string, string>>;
  /** Abilities of the plugin: `trial`, an active version can go back on trial (DEV-50). */
  readonly knows?: readonly string[];
}

/** Payload of the `otaProgress` event; all counts only grow (DEV-16). */
export interface OtaProgress {
  /** The bundle's name. */
  readonly name: string;
  /** The version that is staged. */
  readonly version: string;
  /** Bytes that were downloaded. */
  readonly bytesDone: number;
  /** Bytes to download; 0 when unknown or none. */
  readonly bytesTotal: number;
  /** Files that are in place. */
  readonly filesDone: number;
  /** Files of the version. */
  readonly filesTotal: number;
}

/** The part of a request that names a version which may boot. */
export interface ReleasedRequest {
  /** The text of `release.json` as it was fetched: required by a plugin that reports a `publicKey`. */
  readonly release?: string;
}

/** Puts a whole bundle in place. */
export interface StageUpdateRequest extends ReleasedRequest {
  /** The bundle's name. */
  readonly name: string;
  /** The version to stage. */
  readonly version: string;
  /** The verified text of the manifest. */
  readonly manifest: string;
  /** Address of its `bundle.zip`. */
  readonly zipUrl: string;
}

/** Puts a version together from a base on the device and single downloads. */
export interface StageUpdateDeltaRequest extends ReleasedRequest {
  /** The bundle's name. */
  readonly name: string;
  /** The version to stage. */
  readonly version: string;
  /** The verified text of the manifest. */
  readonly manifest: string;
  /** A staged version, or `embedded`. */
  readonly base: string;
  /**
   * Files that lie on the device: under which path, and where they go; of which bundle, where that is
   * not `base`; and where to fetch one that is not what it should be (DEV-18).
   */
  readonly copy: readonly (Copy & { readonly url?: string })[];
  /** Files to fetch, and where they go. */
  readonly download: readonly (Pick<Download, "path"> & { readonly url: string })[];
}

/** Makes a staged version pending. */
export interface ActivateRequest extends ReleasedRequest {
  /** The bundle's name. */
  readonly name: string;
  /** A staged version. */
  readonly version: string;
  /** Whether the game may not continue without it. Default `false`. */
  readonly mandatory?: boolean;
}

/** The plugin as JavaScript sees it. */
export interface NativeUpdater {
  /** Stages a version from its whole bundle. */
  stageUpdate(request: StageUpdateRequest): Promise<StageResult>;
  /** Stages a version from a base on the device and single files. */
  stageUpdateDelta(request: StageUpdateDeltaRequest): Promise<StageResult>;
  /** Makes a staged version pending; it boots at the next launch. */
  activate(request: ActivateRequest): Promise<StageResult>;
  /**
   * Serves what is pending in the page's place, as a launch of its own. The page that asked is gone
   * then. Older plugins lack it: the player closes the app and opens it again.
   */
  restart?(request: Record<string, never>): Promise<void>;
  /** Confirms the launch that handed out `token`, once. */
  confirmBoot(request: { readonly name: string; readonly token: string }): Promise<void>;
  /**
   * Drops the pending version; with `quarantine` it is not staged again (BOOT-19), with `toEmbedded`
   * the active one is forgotten as well (BOOT-20).
   */
  revert(
    request: {
      readonly name: string;
      readonly quarantine?: boolean;
      readonly toEmbedded?: boolean;
    },
  ): Promise<void>;
  /** Returns the device's state. */
  getState(request: Record<string, never>): Promise<DeviceState>;
  /** Remembers a sequence; a lower one than is known changes nothing. */
  acceptSequence(
    request:
      & { readonly app: string; readonly channel: string; readonly sequence: number }
      & ReleasedRequest,
  ): Promise<void>;
  /**
   * The text of the manifest of a staged version or of `embedded`, `null` when the device has none.
   * Plugins that lack it leave the client on the whole-bundle path.
   */
  readManifest?(
    request: { readonly name: string; readonly version: string },
  ): Promise<{ readonly manifest: string | null }>;
  /** Calls `listener` with every progress of a staging. */
  addListener(
    event: "otaProgress",
    listener: (progress: OtaProgress) => void,
  ): Promise<{ remove(): Promise<void> }>;
}
