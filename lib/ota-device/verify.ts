import { FileError, type FileErrorCode } from "../core/file-error.ts";
import { own } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { type ContentRef, EMBEDDED, parseManifest } from "../ota-format/mod.ts";
import type { Files } from "../ports/files.ts";
import type { DeviceContext, DeviceOptions } from "./context.ts";
import { isContent } from "./existing.ts";
import { markPath, marksFolder, versionFolder } from "./folders.ts";
import type { Records, RecordWriter } from "./records.ts";

// DEV-26: bytes that changed on the disk while their file kept its size. Hashing takes seconds, so it
// is done after a launch was confirmed, and gives way to whatever is asked of the device.

/** Launches of an active version from one hashing of its files to the next. */
const LAUNCHES_BETWEEN = 16;

/** A launch that was confirmed. */
interface ConfirmedLaunch {
  readonly name: string;
  readonly token: string;
}

/**
 * Hashes the files of the active version that a launch serves, when that is due. Of a damaged one the
 * mark alone is removed, for the web view is being served from its folder: the next launch does not
 * find it, and the next staging puts it together again. Never throws.
 *
 * @param change Changes records, while nothing else does.
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
  const { signal } = session.verifying = new AbortController(); // first: a staging ends it by that
  if (session.stagings > 0) return;
  const version = await readDue(records, launched);
  if (version === null) return;
  const until = given === undefined ? signal : AbortSignal.any([given, signal]);
  const isRight = await hasItsBytes({ ...options, signal: until }, name, version);
  await change(async (writer) => {
    const log = await records.readLaunches();
    const record = own(log.launches, name);
    if (record?.token !== token) return; // launched again since: that confirmation looks again
    if (isRight) {
      const launches = { ...log.launches, [name]: { ...record, sinceVerified: 0 } };
      return await writer.writeLaunches({ ...log, launches });
    }
    await files.remove(markPath(root, name, version));
    await files.sync(marksFolder(root));
  });
}

/** The version that the launch served as the active one, when its files are to be hashed; else `null`. */
async function readDue(
  records: Records,
  { name, token }: ConfirmedLaunch,
): Promise<string | null> {
  const launched = own((await records.readLaunches()).launches, name);
  if (launched === undefined || launched.token !== token) return null;
  const { version, attempt, sinceVerified = LAUNCHES_BETWEEN } = launched;
  if (version === EMBEDDED || attempt > 0) return null; // one on trial was hashed when it was staged
  const state = await records.readState();
  const isActive = own(state?.active, name) === version;
  return isActive && sinceVerified >= LAUNCHES_BETWEEN ? version : null;
}

/** Whether each file of a marked version has its hash. True where there is nothing to compare with. */
async function hasItsBytes(
  options: DeviceOptions & { readonly signal: AbortSignal },
  name: string,
  version: string,
): Promise<boolean> {
  const { files, root, signal } = options;
  const mark = await files.read(markPath(root, name, version), LIMITS.manifestBytes, signal);
  if (mark === null) return false; // who removed it may have been killed before it was synced (DEV-9)
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

/** Failures that stay; of what any other one hides nothing is known. */
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
