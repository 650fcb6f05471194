import { FileError } from "../core/file-error.ts";
import type { ContentRef, Manifest, OtaProgress } from "../ota-format/mod.ts";
import type { DownloadDependencies } from "./download.ts";
import type { ExistingDependencies } from "./existing.ts";
import { StageError, verified } from "./transfer.ts";

/** What staging works with. */
export interface StageDependencies extends DownloadDependencies, ExistingDependencies {
  /** The folder of the bundle in the app binary. */
  readonly embedded?: string;
  readonly onProgress: (progress: OtaProgress) => void;
  /** Makes room, but for the versions that are `spared` and the contents that are `needed` (DEV-19). */
  readonly makeRoom: (request: {
    readonly spared: readonly string[];
    readonly needed: ReadonlySet<string>;
    fits(): Promise<boolean>;
  }) => Promise<void>;
}

/** A version while it is put together. */
export interface Staging {
  readonly dependencies: StageDependencies;
  readonly manifest: Manifest;
  /** Files of the manifest: counted once, for progress is told after every piece. */
  readonly filesTotal: number;
  readonly folder: string;
  /** Where the archive may lie meanwhile. */
  readonly zip: string;
}

export function report(
  { dependencies, manifest, filesTotal }: Staging,
  done: { bytesDone: number; bytesTotal: number; filesDone: number },
): void {
  const { name, version } = manifest;
  dependencies.onProgress({ name, version, ...done, filesTotal });
}

/** A download watches the signal itself; what is copied or inflated has to be asked. */
export function throwIfCancelled(
  { dependencies: { signal }, manifest: { name, version } }: Staging,
): void {
  if (signal?.aborted) throw new StageError("cancelled", `${name} ${version} was cancelled`);
}

export async function writeVerified(
  { dependencies, folder }: Staging,
  path: string,
  { ref, body, onBytes }: {
    ref: ContentRef;
    body: ReadableStream<Uint8Array>;
    onBytes?: (count: number) => void;
  },
): Promise<void> {
  const { files, hashing } = dependencies;
  const hash = hashing.createSha256();
  const checked = verified(body, { ...ref, label: path }, { hash, ...(onBytes && { onBytes }) });
  try {
    await files.write(`${folder}/${path}`, checked, { sync: true, createNew: true });
  } catch (thrown) {
    if (thrown instanceof FileError && thrown.code === "exists") throw sameFile(path);
    throw thrown;
  }
}

/** DEV-28: where a disk takes two names for one, a version would lack a file and seem whole. */
export function sameFile(path: string): StageError {
  const found = `${JSON.stringify(path)} is the same file as another one of the manifest`;
  return new StageError("invalid", `On this disk ${found}`);
}
