import { FileError } from "../core/file-error.ts";
import type { ContentRef, Manifest, OtaProgress } from "../ota-format/mod.ts";
import type { DownloadDependencies } from "./download.ts";
import type { ExistingDependencies } from "./existing.ts";
import type { Partials } from "./partial.ts";
import type { ProcessOptions } from "./processes.ts";
import type { TailBounds } from "./zip-tail.ts";
import { openBody, StageError, verified, verifiedBytes } from "./transfer.ts";

/** Dependencies of staging. */
export interface StageDependencies
  extends DownloadDependencies, ExistingDependencies, ProcessOptions {
  /** The folder of the bundle in the app binary. */
  readonly embedded?: string;
  readonly onProgress: (progress: OtaProgress) => void;
  /**
   * The part of an archive that is kept for the next process; default 4 MiB, in pieces of 256 KiB.
   */
  readonly tail?: TailBounds;
  /** The id of the assembled version, which names its process. */
  readonly id: string;
  /** Makes room, except for the `spared` versions and the `kept` files of `.partial` (DEV-19). */
  readonly makeRoom: (request: {
    readonly spared: readonly string[];
    readonly kept: ReadonlySet<string>;
    fits(): Promise<boolean>;
  }) => Promise<void>;
}

/** A version while it is put together. */
export interface Staging {
  readonly dependencies: StageDependencies;
  readonly manifest: Manifest;
  /** Files of the manifest: counted once, because progress is reported after every piece. */
  readonly filesTotal: number;
  readonly folder: string;
  /** Partial contents of earlier stagings. */
  readonly partials: Partials;
}

/** Shortest interval of progress reports, in milliseconds: each event crosses a bridge. */
const PROGRESS_MS = 200;

/** Reports progress at most once in 200 ms, and when every file is in place (DEV-16). */
export function sparse(
  { onProgress, clock }: Pick<StageDependencies, "onProgress" | "clock">,
): StageDependencies["onProgress"] {
  let toldAt = -Infinity;
  return (progress) => {
    const now = clock.monotonic();
    if (progress.filesDone < progress.filesTotal && now - toldAt < PROGRESS_MS) return;
    toldAt = now;
    onProgress(progress);
  };
}

export function report(
  { dependencies, manifest, filesTotal }: Staging,
  done: { bytesDone: number; bytesTotal: number; filesDone: number },
): void {
  const { name, version } = manifest;
  dependencies.onProgress({ name, version, ...done, filesTotal });
}

/** A download watches the signal itself; copying and inflating must check it. */
export function throwIfCancelled(
  { dependencies: { signal }, manifest: { name, version } }: Staging,
): void {
  if (signal?.aborted) throw new StageError("cancelled", `${name} ${version} was cancelled`);
}

/** Writes a file of the version, hashed on the way (DEV-11). */
async function writeVerified(
  { dependencies, folder }: Staging,
  path: string,
  { ref, body }: {
    readonly ref: ContentRef;
    readonly body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
  },
): Promise<void> {
  const { files, hashing } = dependencies;
  const expected = { ...ref, label: path };
  const hash = hashing.createSha256();
  const checked = body instanceof Uint8Array
    ? verifiedBytes(body, expected, hash)
    : verified(body, expected, { hash });
  try {
    await files.write(`${folder}/${path}`, checked, { sync: true, createNew: true });
  } catch (thrown) {
    if (thrown instanceof FileError && thrown.code === "exists") throw sameFile(path);
    throw thrown;
  }
}

/** A content, and a file of the device that is to hold it. */
export interface Source {
  readonly ref: ContentRef;
  readonly from: string;
}

/** Copies a file of the device to a path of the version: each is opened once. */
export async function copyFrom(
  staging: Staging,
  path: string,
  { ref, from }: Source,
): Promise<void> {
  const { files } = staging.dependencies;
  const body = await openBody(files, from, ref);
  if (body === null) throw new StageError("base-missing", `${from} is gone`);
  await writeVerified(staging, path, { ref, body });
}

/**
 * DEV-28: on a disk that treats two names as one, a version would miss a file and seem complete.
 */
export function sameFile(path: string): StageError {
  const found = `${JSON.stringify(path)} is the same file as another one of the manifest`;
  return new StageError("invalid", `On this disk ${found}`);
}
