import type { Clock } from "../../ports/clock.ts";
import type { Fetch } from "../../ports/fetch.ts";
import type { Hashing } from "../../ports/hashing.ts";
import type { Artifact } from "../pins/pins.ts";
import type { DownloadFiles } from "./partial.ts";
import type { InstallProgress } from "../work/progress.ts";

/** The part of a pin that a download reads. */
export type DownloadArtifact = Pick<
  Artifact,
  "name" | "url" | "sha256" | "sha1" | "bytes" | "roughBytes" | "headers"
>;

/** One file to download. */
export interface DownloadRequest {
  /** The file, and its expected size and hash. */
  readonly artifact: DownloadArtifact;
  /** Absolute path. During the download, `<to>.part` and `<to>.part.json` exist, too; one caller at a time. */
  readonly to: string;
  /** URL prefix to replacement prefix; the longest that fits wins. */
  readonly mirrors?: Readonly<Record<string, string>>;
  /** The variable or setting that names the mirrors, for people. Default `the mirror settings`. */
  readonly mirrorsSetBy?: string;
  /** Receives the progress. */
  readonly progress: InstallProgress;
  /** Cancels the download; its bytes are kept, and the next call continues after them. */
  readonly signal?: AbortSignal;
}

/** Dependencies of downloads. */
export interface ToolDownloadDependencies {
  readonly fetch: Fetch;
  readonly files: DownloadFiles;
  readonly hashing: Hashing;
  readonly clock: Clock;
  /** The longest that a server may send nothing, in milliseconds. Default 30 s. */
  readonly stallMs?: number;
  /** Spreads the waits between tries: 0 ≤ x < 1. Default `Math.random`. */
  readonly random?: () => number;
}

/** A complete and verified file. */
export interface Downloaded {
  readonly path: string;
  readonly bytes: number;
  /** Bytes that came over the network this time. */
  readonly fetched: number;
}
