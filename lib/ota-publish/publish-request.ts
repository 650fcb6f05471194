import type { Failure } from "../core/result.ts";
import type { KeyPair, Manifest, Release, ReleaseTarget } from "../ota-format/mod.ts";
import type { Clock } from "../ports/clock.ts";
import type { Deflating } from "../ports/deflate.ts";
import type { Files } from "../ports/files.ts";
import type { Hashing } from "../ports/hashing.ts";
import type { SeenSequence } from "./seen.ts";
import type { Bucket } from "./store/bucket.ts";
import type { PublishWarning } from "./warnings.ts";

/** Dependencies of publishing. */
export interface PublishDependencies {
  /** The file system of the built folder. */
  readonly files: Files;
  /** Hashes every file. */
  readonly hashing: Hashing;
  /** Packs the zip. */
  readonly deflating: Deflating;
  /** Waits between tries. */
  readonly clock: Clock;
  /** The bucket to publish to. */
  readonly bucket: Bucket;
  /** A folder for the zip while it is packed; removed by the caller. */
  readonly workFolder: string;
  /**
   * The user's folder of the last zip of each bundle (PUB-26); absent: everything is deflated
   * again.
   */
  readonly packedFolder?: string;
  /**
   * The user's folder of scan results (PUB-33) and of facts of objects (PUB-38); absent: every file is
   * read again.
   */
  readonly scannedFolder?: string;
  /**
   * Checks through the public address what players will get; `null` if it is right.
   *
   * @param contents Hashes of contents, the copied ones first (PUB-27); none after a rollback.
   */
  readonly readBack?: (
    release: Release,
    manifest: Manifest,
    contents?: readonly string[],
  ) => Promise<Failure | null>;
  /** Remembers every verified sequence (PUB-5); absent: none is remembered. */
  readonly memory?: SeenSequence;
  /** Called with each problem that does not stop the publish. */
  readonly onWarning?: (warning: PublishWarning) => void;
  /** Called with each step as it starts. */
  readonly onStep?: (step: string) => void;
  /** Called with the progress of the running step, in bytes. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Cancels the publish; calling it again resumes. */
  readonly signal?: AbortSignal;
}

/** A request to publish. */
export interface PublishRequest {
  /** The built folder, absolute. */
  readonly dist: string;
  /** The bundle's name. */
  readonly name: string;
  /** `v<N>`, never used before, or started with exactly this content. */
  readonly version: string;
  /** The engine API level that the bundle needs. */
  readonly engineApi: number;
  /**
   * The lowest level of an app that may take any bundle; absent: the value of the current release.
   */
  readonly minEngineApi?: number;
  /** Absent: the value of the current release. */
  readonly mandatory?: boolean;
  /** The app and channel that the release is for. */
  readonly target: ReleaseTarget;
  /** Key to sign with. */
  readonly key: KeyPair;
  /** The highest sequence known to be published, in addition to the remembered one; 0 for none. */
  readonly minSequence: number;
  /**
   * The bucket lost its releases, or has older ones back: the publish does not refuse that, and the
   * release goes above the highest known sequence (PUB-23).
   */
  readonly first?: boolean;
  /** Allows taking players back to a lower version; the release says so to newer apps (PUB-32). */
  readonly allowOlder?: boolean;
  /**
   * The bundle's version in the release on which the publish was decided, `null` for none; absent:
   * in the current release when the publish begins (PUB-32).
   */
  readonly from?: string | null;
  /** Files and folders, as paths below `dist`, that look private but are meant for everybody. */
  readonly allow?: readonly string[];
}
