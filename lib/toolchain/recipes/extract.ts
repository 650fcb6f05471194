import { FileError } from "../../core/file-error.ts";
import { err, ok, type Result } from "../../core/result.ts";
import type { Files } from "../../ports/files.ts";
import type { Platform } from "../work/ports.ts";
import {
  type ArchiveEntry,
  ArchiveError,
  type ArchiveSource,
  createFilling,
  type Filling,
  tarEntries,
  zipEntries,
} from "../../archive/mod.ts";
import { failInstall, type InstallFailure } from "../work/failure.ts";
import type { InstallProgress } from "../work/progress.ts";

/** Bounds of what may come out of an archive; all are inclusive. */
export interface ExtractLimits {
  /** Entries, and folders that they imply; default 100,000. */
  readonly maxFiles?: number;
  /** All files together, in bytes; default 4 GiB. */
  readonly maxBytes?: number;
  /** One file, in bytes; default 2 GiB. */
  readonly maxFileBytes?: number;
}

/** What to unpack, and where. */
export interface ExtractRequest {
  /** Absolute path of the archive, whose hash was checked. */
  readonly archive: string;
  readonly format: "zip" | "tar.gz";
  /** Absolute path of an empty folder. */
  readonly into: string;
  /** The one folder of the archive that is unpacked, without its path; all of it when absent. */
  readonly only?: string | undefined;
  /**
   * Leading segments that every name loses (1 for `node-v22.23.1-linux-x64/bin/node`); what has
   * none left is not written. Default 0.
   */
  readonly strip?: number;
  /** A JDK or an Android SDK stays below the defaults. */
  readonly limits?: ExtractLimits;
  /** Told of the bytes of the archive that were read. */
  readonly progress: InstallProgress;
  /** Ends it: what was begun is finished or taken back before the answer comes. */
  readonly signal?: AbortSignal;
}

/** What extraction uses. */
export interface ExtractDependencies {
  readonly files: Pick<
    Files,
    "stat" | "list" | "readRange" | "write" | "makeDirectory" | "link" | "copy" | "symlink"
  >;
  /** Whose rules names and links follow. */
  readonly platform: Platform;
}

/** What was unpacked. */
export interface Extracted {
  /** Files and links. */
  readonly files: number;
  /** Bytes of the files. */
  readonly bytes: number;
}

const DEFAULT_LIMITS: Required<ExtractLimits> = {
  maxFiles: 100_000,
  maxBytes: 4 * 1024 ** 3,
  maxFileBytes: 2 * 1024 ** 3,
};

/** Progress is told once for so many bytes. */
const STEP_BYTES = 1024 * 1024;

/**
 * Unpacks a tool's archive into an empty folder, and never writes outside of it. Files, folders,
 * links and execute bits are kept; set-user bits, owners and times are not. Links are made last, and
 * only where they lead stays inside. What no tool needs is refused: absolute and climbing names,
 * devices, entries that overwrite each other, what two readers could read differently.
 *
 * Files are not synced one by one: the receipt that is written later lists their sizes, and what a
 * power cut tore does not match it.
 *
 * @returns A failure names the archive and the entry. What was written by then lies inside `into`,
 * whose removal is the caller's.
 */
export async function extract(
  request: ExtractRequest,
  dependencies: ExtractDependencies,
): Promise<Result<Extracted, InstallFailure>> {
  const { archive, signal } = request;
  try {
    return ok(await unpack(request, dependencies));
  } catch (thrown) {
    const what = `Cannot unpack ${JSON.stringify(fileName(archive))}`;
    if (signal?.aborted) {
      return failInstall("cancelled", `${what}: it was cancelled`, "Install the tool again");
    }
    if (thrown instanceof ArchiveError) {
      const entry = thrown.entry === null ? "" : `${JSON.stringify(thrown.entry.slice(0, 200))} `;
      return failInstall(
        "archive",
        `${what}: ${entry}${thrown.message}`,
        "Remove the download and install again; if it fails alike, report this archive's address",
      );
    }
    if (thrown instanceof FileError) return err(diskFailure(what, thrown));
    throw thrown;
  }
}

async function unpack(
  { archive, format, into, only, strip = 0, limits, progress, signal }: ExtractRequest,
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
  const step = progressOf(fileName(archive), stat.size, progress);
  const source: ArchiveSource = {
    files,
    path: archive,
    size: stat.size,
    signal,
    onRead: step.read,
  };
  const filling = createFilling({
    files,
    platform,
    into,
    only,
    strip,
    signal,
    limits: { ...DEFAULT_LIMITS, ...limits },
  });
  const filled = await fill(filling, format === "zip" ? zipEntries(source) : tarEntries(source));
  step.end();
  return filled;
}

/** Every entry in its turn; whatever happens, nothing is being written any more afterwards. */
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

function progressOf(label: string, total: number, progress: InstallProgress): Steps {
  let done = 0;
  let told = 0;
  const tell = () =>
    progress.progress({ phase: "extract", label, done: told = done, total, unit: "bytes" });
  tell();
  return {
    read(bytes) {
      done = Math.min(done + bytes, total);
      if (done - told >= STEP_BYTES && done < total) tell();
    },
    end() {
      done = total;
      tell();
    },
  };
}

function diskFailure(what: string, { code, message }: FileError): InstallFailure {
  switch (code) {
    case "full":
      return {
        code: "disk-full",
        message: `${what}: ${message}`,
        next: "Make room on that disk, then install the tool again",
      };
    case "denied":
      return {
        code: "not-writable",
        message: `${what}: ${message}`,
        next: "Give this user the right to write there, or set SVC_TOOLCHAIN_DIR to another folder",
      };
    default:
      return {
        code: "io",
        message: `${what}: ${message}`,
        next: "Check the disk and install the tool again",
      };
  }
}

function fileName(path: string): string {
  return path.split(/[/\\]/).pop() ?? path;
}
