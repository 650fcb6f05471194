import { encodeUtf8 } from "../../core/bytes.ts";
import { FileError } from "../../core/file-error.ts";
import { parseJson } from "../../core/json-text.ts";
import { isRecord } from "../../core/json.ts";
import { ok, type Result } from "../../core/result.ts";
import type { PackageId } from "../tools/ids.ts";
import { failInstall, fileFailure, type InstallFailure } from "../work/failure.ts";
import type { ToolchainFolder } from "../work/folder.ts";
import type { ToolchainDeps } from "../work/ports.ts";
import {
  type FileRecord,
  filesFile,
  isPlace,
  leadsOut,
  readReceipt,
  type Receipt,
  receiptFile,
  writeReceipt,
} from "./receipt.ts";

// A finished package is put in place by renames alone. The old files are moved to `trash/<package>-<run>`, in
// which a journal records the planned renames before the first one. The receipt with the token of the run is
// the commit: without it the next run undoes the swap (INST-11).

/** Attempts of a rename while another program holds the folder open. */
const RENAME_TRIES = 12;
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 2_000;
const MAX_JOURNAL_BYTES = 64 * 1024;

/** Dependencies of a swap. */
export interface SwapContext extends Pick<ToolchainDeps, "clock"> {
  readonly folder: ToolchainFolder;
}

interface Journal {
  readonly kind: "install" | "uninstall";
  readonly places: readonly { readonly path: string; readonly had: boolean }[];
}

/** Puts the contents of `staging` in place, with the receipt; undoes everything on failure. */
export async function swapIn(
  staging: ToolchainFolder,
  { receipt, records }: { readonly receipt: Receipt; readonly records: readonly FileRecord[] },
  context: SwapContext,
): Promise<Result<void, InstallFailure>> {
  const { folder } = context;
  const { files, paths } = folder;
  const trash = trashFolder(receipt.package, receipt.run, folder);
  try {
    const journal = await journalOf("install", receipt.places, folder);
    await writeJournal(trash, journal, folder);
    for (const [i, { path, had }] of journal.places.entries()) {
      const place = folder.at(path);
      await files.makeDirectory(paths.parent(place));
      if (had) {
        await renameRetried(place, paths.join(trash, `old-${i}`), context);
      }
      await renameRetried(staging.at(path), place, context);
    }
    await files.sync(folder.root); // the receipt must not outlive the renames
    await writeReceipt(receipt, records, folder);
  } catch (thrown) {
    await sweepTrash(receipt.package, receipt.run, context);
    if (thrown instanceof FileError && (thrown.code === "busy" || isHeld(thrown, context))) {
      return failInstall(
        "rename",
        `Cannot put ${receipt.package} in its place: ${thrown.message}`,
        "Close the programs that use it, or exempt the toolchain folder from the virus scanner, " +
          "and install again",
      );
    }
    return fileFailure(thrown, `put ${receipt.package} in its place`);
  }
  // The swap is complete. Files that are still held open are removed by the next run, without a failure.
  await sweepTrash(receipt.package, receipt.run, context).catch(() => undefined);
  return ok(undefined);
}

/** Removes a package. @returns Whether there was anything to remove. */
export async function swapOut(
  id: PackageId,
  { places, run }: { readonly places: readonly string[]; readonly run: string },
  context: SwapContext,
): Promise<Result<boolean, InstallFailure>> {
  try {
    const journal = await journalOf("uninstall", places, context.folder);
    await writeJournal(trashFolder(id, run, context.folder), journal, context.folder);
    await sweepTrash(id, run, context);
    return ok(journal.places.some(({ had }) => had));
  } catch (thrown) {
    return fileFailure(thrown, `remove ${id}`);
  }
}

/** Whether a run was interrupted while it put the package in its place. @throws {FileError} */
export async function isBrokenOff(id: PackageId, folder: ToolchainFolder): Promise<boolean> {
  for (const run of await runsIn("trash", id, folder)) {
    if ((await readJournal(trashFolder(id, run, folder), folder)) !== null) return true;
  }
  return false;
}

/** Undoes or completes what a killed run left behind, and removes its leftovers. @throws {FileError} */
export async function sweep(id: PackageId, context: SwapContext): Promise<void> {
  for (const run of await runsIn("trash", id, context.folder)) await sweepTrash(id, run, context);
  for (const run of await runsIn("staging", id, context.folder)) {
    await removeIfFree(context.folder.at(`staging/${id}-${run}`), context.folder);
  }
}

/** The runs of a package that have left something in a folder. */
async function runsIn(place: string, id: PackageId, folder: ToolchainFolder): Promise<string[]> {
  const entries = (await folder.files.list(folder.at(place))) ?? [];
  return entries
    .filter(({ name }) => name.startsWith(`${id}-`))
    .map(({ name }) => name.slice(id.length + 1))
    .filter((run) => /^[0-9a-f-]{36}$/.test(run));
}

async function sweepTrash(id: PackageId, run: string, context: SwapContext): Promise<void> {
  const { folder } = context;
  const trash = trashFolder(id, run, folder);
  const journal = await readJournal(trash, folder);
  if (journal?.kind === "uninstall") await rollForward(id, { trash, journal }, context);
  else if (journal !== null && (await readReceipt(id, folder))?.run !== run) {
    await rollBack(trash, journal, context);
  }
  // The journal goes first: what is put here later is never put back over a later version.
  await folder.files.remove(folder.paths.join(trash, JOURNAL));
  await removeIfFree(trash, folder);
}

/** Removes what no run needs; what a program still holds or fills stays for the next sweep. */
async function removeIfFree(path: string, { files }: ToolchainFolder): Promise<void> {
  await files.remove(path).catch((thrown: unknown) => {
    if (!(thrown instanceof FileError)) throw thrown;
  });
}

async function rollBack(trash: string, journal: Journal, context: SwapContext): Promise<void> {
  const { folder } = context;
  const { files, paths } = folder;
  for (const [i, { path, had }] of [...journal.places.entries()].reverse()) {
    const place = folder.at(path);
    const old = paths.join(trash, `old-${i}`);
    const oldIsOut = (await files.stat(old)) !== null;
    if (had && !oldIsOut) continue; // it was not touched
    if ((await files.stat(place)) !== null) {
      await renameRetried(place, paths.join(trash, `new-${i}`), context);
    }
    if (oldIsOut) await renameRetried(old, place, context);
  }
}

async function rollForward(
  id: PackageId,
  { trash, journal }: { readonly trash: string; readonly journal: Journal },
  context: SwapContext,
): Promise<void> {
  const { folder } = context;
  const { files, paths } = folder;
  for (const [i, { path }] of journal.places.entries()) {
    const place = folder.at(path);
    const old = paths.join(trash, `old-${i}`);
    if ((await files.stat(old)) === null && (await files.stat(place)) !== null) {
      await renameRetried(place, old, context);
    }
  }
  await files.remove(receiptFile(id, folder));
  await files.remove(filesFile(id, folder));
}

const JOURNAL = "swap.json";

function trashFolder(id: PackageId, run: string, folder: ToolchainFolder): string {
  return folder.at(`trash/${id}-${run}`);
}

async function journalOf(
  kind: Journal["kind"],
  places: readonly string[],
  folder: ToolchainFolder,
): Promise<Journal> {
  const known = [];
  for (const path of places) {
    known.push({ path, had: (await folder.files.stat(folder.at(path))) !== null });
  }
  return { kind, places: known };
}

async function writeJournal(
  trash: string,
  journal: Journal,
  { files, paths }: ToolchainFolder,
): Promise<void> {
  await files.makeDirectory(trash);
  const bytes = encodeUtf8(JSON.stringify(journal));
  await files.writeAtomic(paths.join(trash, JOURNAL), bytes);
}

async function readJournal(trash: string, folder: ToolchainFolder): Promise<Journal | null> {
  const bytes = await folder.files.read(folder.paths.join(trash, JOURNAL), MAX_JOURNAL_BYTES);
  const value = parseJson(bytes);
  if (!isRecord(value) || !Array.isArray(value["places"])) return null;
  const kind = value["kind"] === "uninstall" ? "uninstall" : "install";
  const places = value["places"].flatMap((place: unknown) =>
    isRecord(place) && isPlace(place["path"])
      ? [{ path: place["path"], had: place["had"] === true }]
      : []
  );
  for (const { path } of places) if (await leadsOut(path, folder)) return null;
  return { kind, places };
}

/** Renames, waiting for whatever holds the folder open. @throws {FileError} when it does not release it. */
async function renameRetried(from: string, to: string, context: SwapContext): Promise<void> {
  for (let attempt = 1;; attempt++) {
    try {
      return await context.folder.files.rename(from, to);
    } catch (thrown) {
      if (attempt >= RENAME_TRIES || !isHeld(thrown, context)) throw thrown;
      const wait = FIRST_WAIT_MS * 2 ** (attempt - 1);
      await context.clock.sleep(Math.min(wait, LONGEST_WAIT_MS));
    }
  }
}

/** Windows says "access denied" of a folder in which any program has a file open. */
function isHeld(thrown: unknown, { folder }: SwapContext): boolean {
  if (!(thrown instanceof FileError)) return false;
  return thrown.code === "busy" || folder.paths.platform === "win32" && thrown.code === "denied";
}
