import { forEachParallel } from "../core/parallel.ts";
import {
  cheaperWay,
  type ContentRef,
  EMBEDDED,
  type StageUpdateDeltaRequest,
} from "../ota-format/mod.ts";
import { fetchContent } from "./fetch-content.ts";
import { markPath, versionFolder } from "./folders.ts";
import { unlessUnreadable } from "./partial.ts";
import type { DeltaStaging } from "./requests.ts";
import { placeFrom } from "./sharing.ts";
import {
  copyFrom,
  report,
  type StageDependencies,
  type Staging,
  throwIfCancelled,
} from "./staging.ts";
import { StageError, stageFailure } from "./transfer.ts";
import { partialBytes } from "./zip-tail.ts";

/** Downloads in parallel, beside files that share their bytes with a base. */
const CONCURRENCY = 6;

/** A file of the version, and its address. */
interface File {
  readonly path: string;
  readonly ref: ContentRef;
  readonly url: string;
}

/** A file that the device has. */
interface Held extends Omit<File, "url"> {
  readonly from: string;
  readonly base: string;
  readonly url: string | undefined;
}

/** A content to fetch: once, however many paths have it. */
interface Wanted extends File {
  readonly others: string[];
}

/**
 * Fills a version from bases on the device and single downloads.
 *
 * @param shares Whether the disk lets versions share bytes; else they are copied one at a time (DEV-60).
 */
export async function fillFromBase(
  staging: Staging,
  request: DeltaStaging,
  shares: boolean,
): Promise<void> {
  const { dependencies, folder } = staging;
  const { copies, downloads } = readFiles(staging, request);
  const bases = await findBases(dependencies, request);
  const failed = new AbortController();
  const { signal = failed.signal } = dependencies;
  const network = {
    ...dependencies,
    signal: AbortSignal.any([signal, failed.signal]),
    ...mostAgain(staging),
  };
  let bytesDone = 0;
  let bytesTotal = 0;
  let filesDone = 0;
  const tell = () => report(staging, { bytesDone, bytesTotal, filesDone });
  const placed = (count = 1) => {
    filesDone += count;
    tell();
  };

  /** The first failure cancels the others, and is thrown (DEV-70). */
  const unlessFailed = async (work: () => Promise<void> | void) => {
    if (failed.signal.aborted) return;
    try {
      throwIfCancelled(staging);
      await work();
    } catch (thrown) {
      if (failed.signal.aborted) return;
      failed.abort();
      throw thrown;
    }
  };
  const inLanes = <T>(
    items: readonly T[],
    work: (item: T) => Promise<void>,
    lanes: number = CONCURRENCY,
  ) => forEachParallel(items, lanes, (item) => unlessFailed(() => work(item)));

  const fetched = new Map<Wanted, string>();
  const fetchAll = async (contents: readonly Wanted[]) => {
    for (const { ref } of contents) bytesTotal += ref.size;
    await inLanes(contents, async (content) => {
      const file = await fetchContent({ ...staging, dependencies: network }, content, {
        onBytes(count) {
          bytesDone += count;
          tell();
        },
        onRestart: (lost) => void (bytesTotal += lost),
      });
      fetched.set(content, file);
    });
  };
  const neededFiles = byContent(downloads);
  let lost: readonly Wanted[] = [];
  const copyAll = async () => {
    const again: File[] = [];
    await inLanes(copies, async (copy) => {
      const missing = await copyHeld(staging, copy, bases.get(copy.base));
      if (missing === null) placed();
      else again.push(missing);
    }, shares ? CONCURRENCY : 1);
    lost = byContent(again);
    const rest = [...neededFiles.filter((content) => !fetched.has(content)), ...lost];
    await unlessFailed(() => requireCheaper(staging, { lost, rest }));
  };

  await forEachParallel([copyAll, () => fetchAll(neededFiles)], 2, (fill) => fill());
  await fetchAll(lost);
  // Last: a killed process leaves its files in `.partial`, where the next staging finds them
  // (DEV-21).
  await inLanes([...fetched], async ([{ path, ref, others }, from]) => {
    for (const other of others) await placeFrom(staging, other, { ref, from });
    await dependencies.files.rename(from, `${folder}/${path}`);
    placed(1 + others.length);
  });
}

/** Lists each file of the manifest, with its place or its address. */
function readFiles(
  { manifest }: Staging,
  { base, sources }: DeltaStaging,
): { readonly copies: readonly Held[]; readonly downloads: readonly File[] } {
  const copies: Held[] = [];
  const downloads: File[] = [];
  for (const [path, ref] of Object.entries(manifest.files)) {
    const source = sources.get(path);
    if (source === undefined) continue; // NAT-4: each file has one
    if (!("from" in source)) downloads.push({ path, ref, url: source.url });
    else copies.push({ path, ref, base, url: undefined, ...source });
  }
  return { copies, downloads };
}

function byContent(files: readonly File[]): Wanted[] {
  const contents = new Map<string, Wanted>();
  for (const file of files) {
    const known = contents.get(file.ref.hash);
    if (known === undefined) contents.set(file.ref.hash, { ...file, others: [] });
    else known.others.push(file.path);
  }
  return [...contents.values()];
}

/** The folders of the bundles that are copied from; only the request's own base must be there. */
async function findBases(
  { files, root, embedded }: StageDependencies,
  { name, base: first, copy }: StageUpdateDeltaRequest,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  if (embedded !== undefined) found.set(EMBEDDED, embedded);
  for (const base of new Set([first, ...copy.map(({ base = first }) => base)])) {
    const mark = markPath(root, name, base);
    const staged = base !== EMBEDDED && await unlessUnreadable(() => files.stat(mark)) !== null;
    if (staged) found.set(base, versionFolder(root, name, base));
  }
  if (!found.has(first)) {
    throw new StageError("base-missing", `The device has no complete ${name} ${first}`);
  }
  return found;
}

/** @returns `null` when the copy is in place, else the file, which is to be fetched alone (DEV-18). */
async function copyHeld(
  staging: Staging,
  { from, url, ...file }: Held,
  baseFolder: string | undefined,
): Promise<File | null> {
  try {
    if (baseFolder === undefined) {
      throw new StageError("base-missing", `The base of ${from} is gone`);
    }
    const place = file.base === EMBEDDED ? copyFrom : placeFrom;
    await place(staging, file.path, { ref: file.ref, from: `${baseFolder}/${from}` });
    return null;
  } catch (thrown) {
    const { code, detail } = stageFailure(thrown);
    if (code === "disk-full" || code === "disk-read-only" || code === "invalid") throw thrown;
    // Perhaps only the base is unreadable, which the bundle archive does not need.
    if (url === undefined) throw new StageError("base-missing", `${from} of the base: ${detail}`);
    return { ...file, url };
  }
}

/**
 * Returns the bytes that a delta may waste if a bundle archive exists: a twentieth of it, and 1 MiB
 * (DEV-37).
 */
function mostAgain({ manifest: { bundleZip } }: Staging): { readonly mostAgain?: number } {
  if (bundleZip === undefined) return {};
  return { mostAgain: (bundleZip.served ?? bundleZip.size) / 20 + 1024 * 1024 };
}

/**
 * Refuses a base of which too much is lost: the client then asks for the bundle archive (DEV-27). What
 * is in `.partial` already, of contents or of the archive, is not fetched again either way.
 */
async function requireCheaper(
  { dependencies, manifest }: Staging,
  { lost, rest }: { readonly lost: readonly Wanted[]; readonly rest: readonly Wanted[] },
): Promise<void> {
  if (lost.length === 0) return;
  const download = rest.map(({ path, ref }) => ({ path, ...ref }));
  const partial = await partialBytes(dependencies);
  if (cheaperWay({ download }, manifest, partial) === "delta") return;
  const found = `${lost.length} contents of the bases are not what they should be`;
  throw new StageError("base-missing", `${found}: the whole bundle costs less`);
}
