import { encodeUtf8 } from "../../core/bytes.ts";
import { err, ok, type Result } from "../../core/result.ts";
import type { PlatformKey } from "../pins/pins.ts";
import type { InstallFailure } from "../work/failure.ts";
import { packTarGz } from "./archive.ts";
import { downloadOf, fetchPinned, type PinnedFile, verifyPinned } from "./contents.ts";
import { alone, type BundleContext, type BundleReport, LIST, stopped } from "./import.ts";

/**
 * Gets every known file and puts it into a folder, or into an archive where the name says so
 * (`.tar.gz`, `.tgz`). What cannot be downloaded is named, and the rest is in the bundle all the same.
 * Files that were downloaded for it alone are removed from `downloads`, unless an archive is incomplete:
 * the next export continues with them.
 *
 * @param platform For which the bundle is, as its list says.
 * @returns The first failure where nothing at all could be had.
 */
export async function exportBundle(
  to: string,
  platform: PlatformKey,
  context: BundleContext,
): Promise<Result<BundleReport, InstallFailure>> {
  return await alone(context, (run) => writeBundle({ to, platform }, { ...context, ...run }));
}

async function writeBundle(
  { to, platform }: { readonly to: string; readonly platform: PlatformKey },
  context: BundleContext,
): Promise<Result<BundleReport, InstallFailure>> {
  const { known, files, folder, progress, signal } = context;
  const { paths } = folder;
  try {
    const isArchive = /\.(?:tar\.gz|tgz)$/i.test(to);
    const targetOf = ({ file }: PinnedFile) => paths.join(to, file);
    const kept = new Set<string>();
    const there = new Set<string>();
    for (const pinned of known) {
      if (await files.stat(downloadOf(pinned, folder)) !== null) kept.add(pinned.file);
      const isPacked = !isArchive && await files.stat(targetOf(pinned)) !== null &&
        (await verifyPinned(targetOf(pinned), pinned, context)).ok;
      if (isPacked) there.add(pinned.file);
    }
    const missingFiles = known.filter(({ file }) => !there.has(file));
    const fetched = await fetchPinned(missingFiles, context);
    if (!fetched.ok) return fetched;
    const missing = fetched.value;
    const had = known.filter(({ file }) => !missing.some((each) => each.file === file));
    const [first] = missing;
    if (had.length === 0 && first !== undefined) return err(first.failure);
    const list = listOf(had, platform);
    const entries = [];
    for (const pinned of had) {
      const path = there.has(pinned.file) ? targetOf(pinned) : downloadOf(pinned, folder);
      entries.push({ name: pinned.file, path, size: (await files.stat(path))?.size ?? 0 });
    }
    const bytes = entries.reduce((sum, { size }) => sum + size, 0);
    if (isArchive) {
      await files.makeDirectory(paths.parent(to));
      await packTarGz(to, { list: { name: LIST, bytes: list }, entries }, context);
    } else {
      await files.makeDirectory(to);
      for (const pinned of had) {
        signal.throwIfAborted();
        if (there.has(pinned.file)) continue;
        await files.makeDirectory(paths.parent(targetOf(pinned)));
        await files.copy(downloadOf(pinned, folder), targetOf(pinned));
      }
      await files.writeAtomic(paths.join(to, LIST), list);
    }
    // An archive is written again from `downloads`; a folder has all that came.
    for (const pinned of isArchive && missing.length > 0 ? [] : had) {
      const isSpent = !kept.has(pinned.file) && !there.has(pinned.file);
      if (isSpent) await files.remove(downloadOf(pinned, folder));
    }
    progress.log(`${to} has ${had.length} of ${known.length} files for ${platform}`);
    return ok({
      files: had.map(({ file }) => file),
      bytes,
      refused: [],
      missing: missing.map(({ file, failure }) => ({
        file,
        reason: failure.message,
        next: failure.next,
      })),
    });
  } catch (thrown) {
    return stopped(thrown, `export to ${to}`, signal);
  }
}

function listOf(known: readonly PinnedFile[], platform: PlatformKey): Uint8Array<ArrayBuffer> {
  const files = known.map(({ file, name, from }) => {
    if (from.kind === "npm") return { file, name, integrity: from.tarball.integrity };
    const { url, sha256, sha1 } = from.artifact;
    return { file, name, url, sha256, sha1 };
  });
  return encodeUtf8(`${JSON.stringify({ schema: 1, platform, files }, null, 2)}\n`);
}
