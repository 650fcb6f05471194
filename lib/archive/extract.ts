import { FileError } from "../core/file-error.ts";
import { err, type Failure, ok, type Result } from "../core/result.ts";
import type { Files } from "../ports/files.ts";
import type { Platform } from "../ports/host.ts";
import { type ArchiveEntry, ArchiveError, type ArchiveSource } from "./entry.ts";
import { Filling } from "./filling.ts";
import { tarEntries } from "./tar-entries.ts";
import { zipEntries } from "./zip-entries.ts";
import type { ZipRules } from "./zip-rules.ts";

/** Bounds of an archive's unpacked contents; all are inclusive. */
export interface ExtractLimits {
  /** Entries, and folders that they imply; default 100,000. */
  readonly maxFiles?: number;
  /** All files together, in bytes; default 4 GiB. */
  readonly maxBytes?: number;
  /** One file, in bytes; default 2 GiB. */
  readonly maxFileBytes?: number;
}

/** An archive to unpack, and the target folder. */
export interface ExtractRequest {
  /** Absolute path of the archive, whose hash the caller has checked. */
  readonly archive: string;
  readonly format: "zip" | "tar.gz";
  /** Absolute path of an empty folder. */
  readonly into: string;
  /** The one folder of the archive that is unpacked, without its path; all of it when absent. */
  readonly only?: string | undefined;
  /**
   * Leading segments that are removed from every name (1 for `node-v22.23.1-linux-x64/bin/node`);
   * an entry without segments left is not written. Default 0.
   */
  readonly strip?: number | undefined;
  /** A JDK or an Android SDK stays below the defaults. */
  readonly limits?: ExtractLimits;
  /** Called with the bytes of the archive that were read, at the beginning, at the end and between. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Cancels the unpacking: started writes are finished or undone before the answer. */
  readonly signal?: AbortSignal | undefined;
}

/** The parts that extraction uses. */
export interface ExtractDependencies {
  readonly files: Pick<
    Files,
    "stat" | "list" | "readRange" | "write" | "makeDirectory" | "link" | "copy" | "symlink"
  >;
  /** The platform whose rules names and links follow. */
  readonly platform: Platform;
}

/** A finished extraction. */
export interface Extracted {
  /** Files and links. */
  readonly files: number;
  /** Bytes of the files. */
  readonly bytes: number;
}

/** Why an archive could not be unpacked. */
export type ExtractFailureCode =
  /** The archive is damaged, or holds a refused entry. */
  | "archive"
  /** The disk that is filled is full. */
  | "disk-full"
  /** This user may not write there, or read the archive. */
  | "not-writable"
  /** The disk fails in another way. */
  | "io"
  /** The caller ended it. */
  | "cancelled";

/** An archive that was not unpacked: what was found and expected, and what to do about it. */
export interface ExtractFailure extends Failure<ExtractFailureCode> {
  readonly next: string;
}

const DEFAULT_LIMITS: Required<ExtractLimits> = {
  maxFiles: 100_000,
  maxBytes: 4 * 1024 ** 3,
  maxFileBytes: 2 * 1024 ** 3,
};

/** Archives that were packed on any system are read; their hashes were checked before. */
const RULES: ZipRules = {
  kinds: ["file", "directory", "symlink"],
  maxEntries: 1_000_000,
  unflaggedNames: "read",
  brokenEnd: "refused",
};

/** Bytes between two reports of progress. */
const STEP_BYTES = 1024 * 1024;

/**
 * Unpacks an archive into an empty folder, and never writes outside it. Keeps files, folders, links
 * and execute bits, but not set-user bits, owners and times. Makes links last, and only if their
 * targets stay inside. Refuses what no tool needs: absolute and climbing names, devices, entries
 * that overwrite each other, and anything that two readers could read differently.
 *
 * Does not sync the files one by one: the receipt that is written later lists their sizes, and
 * files torn by a power cut do not match it.
 *
 * @returns A failure names the archive and the entry. Files written before it stay inside `into`,
 * which the caller removes.
 */
export async function extract(
  request: ExtractRequest,
  dependencies: ExtractDependencies,
): Promise<Result<Extracted, ExtractFailure>> {
  const { archive, into, signal } = request;
  try {
    return ok(await unpack(request, dependencies));
  } catch (thrown) {
    const what = `Cannot unpack ${JSON.stringify(fileName(archive))}`;
    if (signal?.aborted) return failure("cancelled", `${what}: it was cancelled`, into);
    if (thrown instanceof ArchiveError) {
      return failure("archive", `${what}: ${thrown.message}`, into);
    }
    if (thrown instanceof FileError) {
      return failure(DISK_CODES[thrown.code] ?? "io", `${what}: ${thrown.message}`, into);
    }
    throw thrown;
  }
}

async function unpack(
  { archive, format, into, only, strip = 0, limits, onProgress, signal }: ExtractRequest,
  { files, platform }: ExtractDependencies,
): Promise<Extracted> {
  signal?.throwIfAborted();
  const there = await files.list(into);
  if (there === null || there.length > 0) {
    const found = there === null ? "nothing is there" : "it is not empty";
    throw new FileError("other", into, `Cannot fill ${into}: ${found}, expected an empty folder`);
  }
  const stat = await files.stat(archive);
  if (stat === null) {
    throw new FileError("missing", archive, `Cannot read ${archive}: nothing is there`);
  }
  const step = stepsOf(stat.size, onProgress);
  const source: ArchiveSource = {
    files,
    path: archive,
    size: stat.size,
    signal,
    onRead: step.read,
  };
  const filling = new Filling({
    files,
    platform,
    into,
    only,
    strip,
    signal,
    limits: { ...DEFAULT_LIMITS, ...limits },
  });
  const entries = format === "zip" ? zipEntries(source, RULES) : tarEntries(source);
  const filled = await fill(filling, entries);
  step.end();
  return filled;
}

/** Takes every entry in order; when it returns or throws, all writes have ended. */
async function fill(filling: Filling, entries: AsyncIterable<ArchiveEntry>): Promise<Extracted> {
  try {
    for await (const entry of entries) await filling.take(entry);
    return await filling.finish();
  } finally {
    await filling.stop();
  }
}

interface Steps {
  readonly read: (bytes: number) => void;
  readonly end: () => void;
}

function stepsOf(total: number, onProgress: ExtractRequest["onProgress"]): Steps {
  let done = 0;
  let reported = 0;
  const report = () => onProgress?.(reported = done, total);
  report();
  return {
    read(bytes) {
      done = Math.min(done + bytes, total);
      if (done - reported >= STEP_BYTES && done < total) report();
    },
    end() {
      done = total;
      report();
    },
  };
}

const DISK_CODES: Readonly<Partial<Record<FileError["code"], ExtractFailureCode>>> = {
  full: "disk-full",
  denied: "not-writable",
};

function failure(
  code: ExtractFailureCode,
  message: string,
  into: string,
): Result<never, ExtractFailure> {
  return err({ code, message, next: nextOf(code, into) });
}

function nextOf(code: ExtractFailureCode, into: string): string {
  switch (code) {
    case "archive":
      return "Get the archive again; if it is refused again, tell who made it what is said here";
    case "disk-full":
      return `Free space on the disk of ${into}, then unpack it again`;
    case "not-writable":
      return `Make ${into} writable for this user, then unpack it again`;
    case "io":
      return "Check the disk, then unpack it again";
    case "cancelled":
      return "Unpack it again";
  }
}

function fileName(path: string): string {
  return path.split(/[/\\]/).pop() ?? path;
}
