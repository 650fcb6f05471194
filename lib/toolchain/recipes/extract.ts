import { extract as extractArchive, type Extracted } from "../../archive/mod.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Files } from "../../ports/files.ts";
import type { Host } from "../../ports/host.ts";
import { failInstall, type InstallFailure, type InstallFailureCode } from "../work/failure.ts";
import type { InstallProgress } from "../work/progress.ts";

/** Next steps for an archive that was not unpacked. */
const NEXT: Readonly<Partial<Record<InstallFailureCode, string>>> = {
  archive:
    "Remove the download and install again; if it fails alike, report this archive's address",
  "disk-full": "Make room on that disk, then install the tool again",
  "not-writable":
    "Give this user the right to write there, or set SVC_TOOLCHAIN_DIR to another folder",
  io: "Check the disk and install the tool again",
  cancelled: "Install the tool again",
};

/** An archive to unpack, and its listener. */
export interface ArchiveExtraction {
  readonly files: Files;
  readonly host: Pick<Host, "platform">;
  readonly progress: InstallProgress;
  readonly signal: AbortSignal;
}

/**
 * Unpacks a download into an empty folder. What does not end with `.zip` or `.jar` is a `.tar.gz`.
 *
 * @param only The one folder of the archive that is unpacked; all of it when absent.
 * @param strip Leading segments that every name loses.
 */
export async function unpackArchive(
  archive: string,
  { into, only, strip }: {
    readonly into: string;
    readonly only?: string | undefined;
    readonly strip?: number | undefined;
  },
  { files, host, progress, signal }: ArchiveExtraction,
): Promise<Result<Extracted, InstallFailure>> {
  const format = /\.(?:zip|jar)$/i.test(archive) ? "zip" : "tar.gz";
  const label = archive.split(/[/\\]/).at(-1) ?? archive;
  const unpacked = await extractArchive({
    archive,
    format,
    into,
    only,
    strip,
    signal,
    onProgress: (done, total) =>
      progress.progress({ phase: "extract", label, done, total, unit: "bytes" }),
  }, { files, platform: host.platform });
  if (unpacked.ok) return ok(unpacked.value);
  const { code, message, next } = unpacked.error;
  return failInstall(code, message, NEXT[code] ?? next);
}
