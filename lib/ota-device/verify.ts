import { FileError, type FileErrorCode } from "../core/file-error.ts";
import { own } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { type ContentRef, EMBEDDED, parseManifest } from "../ota-format/mod.ts";
import type { Files } from "../ports/files.ts";
import type { DeviceContext, DeviceOptions } from "./context.ts";
import { isContent } from "./existing.ts";
import { markPath, marksFolder, versionFolder } from "./folders.ts";
import type { Records, RecordWriter } from "./records.ts";
import { hasMarkedFiles } from "./whole.ts";

// A launch has no time for some checks: they run after it was confirmed, and pause while the device is
// used. Hashing, which takes seconds, finds bytes that changed in a file of the same size (DEV-26);
// sizes are checked if the launch looked at the folders only (DEV-62).

/** Launches of an active version from one hashing of its files to the next. */
const LAUNCHES_BETWEEN = 16;

/** A launch that was confirmed. */
interface ConfirmedLaunch {
  readonly name: string;
  readonly token: string;
}

/**
 * Checks the files of the served version, if that is due. Of a damaged version it removes only the
 * mark, because the web view is being served from its folder: the next launch does not find it, and
 * the next staging assembles it again. Never throws.
 *
 * @param change Changes records, while no other process does.
 */
export async function verifyServed(
  context: DeviceContext,
  launched: ConfirmedLaunch,
  change: Change,
): Promise<void> {
  try {
    await verify(context, launched, change);
  } catch {
    // cancelled, or the disk refused for the moment: it stays due
  }
}

type Change = (work: (writer: RecordWriter) => Promise<void>) => Promise<void>;

async function verify(
  { options, records, session }: DeviceContext,
  launched: ConfirmedLaunch,
  change: Change,
): Promise<void> {
  const { files, root, signal: given } = options;
  const { name, token } = launched;
  const { signal } = session.verifying = new AbortController(); // first: a staging cancels it through this
  if (session.stagings > 0) return;
  const due = await readDue(records, launched);
  if (due === null) return;
  const { version, look } = due;
  const until = given === undefined ? signal : AbortSignal.any([given, signal]);
  const isRight = look === "bytes"
    ? await hasItsBytes({ ...options, signal: until }, name, version)
    : await hasMarkedFiles(options, { name, version }, until);
  await change(async (writer) => {
    const log = await records.readLaunches();
    const record = own(log.launches, name);
    if (record?.token !== token) return; // launched again since: that confirmation looks again
    if (isRight) {
      const { byFolders: _looked, ...rest } = record;
      const found = look === "bytes" ? { ...rest, sinceVerified: 0 } : rest;
      return await writer.writeLaunches({ ...log, launches: { ...log.launches, [name]: found } });
    }
    await files.remove(markPath(root, name, version));
    await files.sync(marksFolder(root));
  });
}

/** A version whose files are to be checked: by hash, or by size. */
interface Due {
  readonly version: string;
  readonly look: "bytes" | "sizes";
}

/** The version that the launch served, when its files are to be looked at; else `null`. */
async function readDue(
  records: Records,
  { name, token }: ConfirmedLaunch,
): Promise<Due | null> {
  const launched = own((await records.readLaunches()).launches, name);
  if (launched === undefined || launched.token !== token) return null;
  const { version, attempt, byFolders, sinceVerified = LAUNCHES_BETWEEN } = launched;
  if (version === EMBEDDED) return null;
  const state = await records.readState();
  const isActive = attempt === 0 && own(state?.active, name) === version; // one on trial was hashed when it was staged
  if (isActive && sinceVerified >= LAUNCHES_BETWEEN) return { version, look: "bytes" };
  return byFolders === true ? { version, look: "sizes" } : null;
}

/**
 * Returns whether each file of a marked version has its hash. True if there is nothing to compare
 * with.
 */
async function hasItsBytes(
  options: DeviceOptions & { readonly signal: AbortSignal },
  name: string,
  version: string,
): Promise<boolean> {
  const { files, root, signal } = options;
  const mark = await files.read(markPath(root, name, version), LIMITS.manifestBytes, signal);
  if (mark === null) return false; // the process that removed it may have been killed before the sync (DEV-9)
  const manifest = parseManifest(mark, { name, version });
  if (!manifest.ok) return true;
  const folder = versionFolder(root, name, version);
  for (const [path, ref] of Object.entries(manifest.value.files)) { // one at a time: a game runs
    const isRight = await hasContent(options, `${folder}/${path}`, ref) ||
      await hasContent(options, `${folder}/${path}`, ref); // a reading may fail, not twice
    if (!isRight) return false;
  }
  return true;
}

/** Permanent failures: the file is damaged. After any other failure its state is unknown. */
const LASTING: readonly FileErrorCode[] = [
  "disk",
  "not-a-file",
  "is-a-directory",
  "not-a-directory",
];

async function hasContent(
  { files, hashing, signal }: DeviceOptions & { readonly signal: AbortSignal },
  path: string,
  ref: ContentRef,
): Promise<boolean> {
  signal.throwIfAborted();
  const cancellable: Pick<Files, "read" | "openRead"> = {
    read: (path, maxBytes) => files.read(path, maxBytes, signal),
    openRead: (path) => files.openRead(path, signal),
  };
  try {
    return await isContent({ files: cancellable, hashing }, path, ref);
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof FileError && LASTING.includes(thrown.code)) return false;
    throw thrown;
  }
}
