import { ArchiveError } from "../archive/mod.ts";
import { forEachParallel } from "../core/parallel.ts";
import type { ContentRef } from "../ota-format/mod.ts";
import { bundleFiles, incomingBundleFiles } from "./bundle-zip.ts";
import { openDownload } from "./download.ts";
import { fetchContent } from "./fetch-content.ts";
import { openPartials } from "./partial.ts";
import { placeFrom } from "./sharing.ts";
import { report, type Staging, throwIfCancelled } from "./staging.ts";
import { requireEqual, StageError, tooMany } from "./transfer.ts";
import { Unpacking } from "./unpack.ts";
import { openTail, TAIL_BOUNDS, type ZipTail } from "./zip-tail.ts";

/** Renames in parallel. */
const CONCURRENCY = 8;

/** Room that is needed or saved, in addition to the files' own. */
export interface Room {
  readonly besides: number;
  readonly lying: number;
  /** Files of `.partial` that must stay. */
  readonly kept: ReadonlySet<string>;
}

/**
 * Returns the room of an archive that is unpacked while it arrives: its tail, plus an entry longer
 * than that.
 */
export function tailRoom({ manifest: { files, bundleZip } }: Staging): number {
  let largest = 0;
  for (const { size } of Object.values(files)) largest = Math.max(largest, size);
  return Math.min(bundleZip?.size ?? 0, TAIL_BOUNDS.tailBytes + largest);
}

/**
 * Fills a version from its `bundle.zip`, which is unpacked while it arrives (DEV-30). An archive
 * that cannot be read that way, or not correctly, is downloaded and read by its directory, whose
 * verdict counts.
 */
export async function fillFromZip(
  staging: Staging,
  zipUrl: string,
  requireRoom: (room: Room) => Promise<void>,
): Promise<void> {
  const { dependencies, manifest, folder } = staging;
  const { files } = dependencies;
  const { bundleZip } = manifest;
  if (bundleZip === undefined) throw new StageError("invalid", "The manifest has no bundleZip");
  const zip = { ...bundleZip, label: zipUrl };
  let bytesDone = 0;
  let bytesTotal = 0;
  const tell = () => report(staging, { bytesDone, bytesTotal, filesDone: unpacking.count });
  const unpacking = new Unpacking(staging, tell);
  const onBytes = (count: number) => {
    bytesDone += count;
    tell();
  };
  /** The counts only grow (DEV-16), even if bytes are fetched again. */
  const onRestart = () => void (bytesTotal = bytesDone + zip.size);
  const isLying = await unpacking.takeLying();
  if (!isLying) bytesTotal = zip.size;
  try {
    try {
      if (!isLying) await unpackIncoming({ staging, unpacking, zip, onBytes, onRestart });
    } catch (thrown) {
      if (!isRefusal(thrown)) throw thrown;
      const partials = await openPartials(dependencies);
      const lying = partials.bytesOf(zip);
      const kept = new Set(unpacking.files.values());
      const archive = partials.pathOf(zip);
      if (archive !== null) kept.add(archive);
      await requireRoom({ besides: zip.size, lying: lying + unpacking.bytes, kept });
      bytesDone -= lying; // they are counted again
      onRestart();
      const content = { path: zipUrl, ref: bundleZip, url: zipUrl };
      const path = await fetchContent({ dependencies, partials }, content, { onBytes, onRestart });
      unpacking.archive = path;
      await unpacking.takeAll(bundleFiles({ files, path, size: zip.size }));
    }
  } catch (thrown) {
    if (isRefusal(thrown)) await unpacking.remove(); // else the next staging finds it (DEV-21)
    throw thrown;
  }
  for (const { path, ref, from } of unpacking.copies) {
    await placeFrom(staging, path, { ref, from });
  }
  await forEachParallel([...unpacking.files], CONCURRENCY, async ([path, from]) => {
    throwIfCancelled(staging);
    await files.rename(from, `${folder}/${path}`);
  });
}

/** Whether the archive itself is refused, not a failing disk or network. */
function isRefusal(thrown: unknown): boolean {
  return thrown instanceof ArchiveError || isMismatch(thrown);
}

/** Returns whether bytes of the archive are wrong. */
function isMismatch(thrown: unknown): boolean {
  return thrown instanceof StageError && /^(size|hash)-mismatch$/.test(thrown.code);
}

interface Incoming {
  readonly staging: Staging;
  readonly unpacking: Unpacking;
  readonly zip: ContentRef & { readonly label: string };
  /** Given the bytes that are used. */
  readonly onBytes: (count: number) => void;
  /** Called before all bytes are fetched again. */
  readonly onRestart: () => void;
}

/**
 * Unpacks the archive while it arrives, from where an earlier process stopped (DEV-31). If it is
 * refused, it is read again from the end of its verified files (DEV-73), and then without what the
 * earlier process left, which may be wrong.
 */
async function unpackIncoming(incoming: Incoming): Promise<void> {
  const { staging: { dependencies }, unpacking, zip, onRestart } = incoming;
  let tail = await openTail(dependencies, zip, dependencies.tail);
  let [mayRewind, mayRestart] = [true, tail.from > 0];
  for (;;) {
    try {
      return await unpackAfter(incoming, tail);
    } catch (thrown) {
      const isRefused = isRefusal(thrown);
      if (isRefused && mayRewind && await tail.rewind((path) => unpacking.has(path))) {
        mayRewind = false;
      } else if (isRefused && mayRestart) {
        mayRestart = false;
        await tail.remove();
      } else {
        const ended = isMismatch(thrown) ? tail.remove() : isRefused ? tail.refuse() : tail.flush();
        await ended.catch(() => undefined); // the first error is thrown
        throw thrown;
      }
      onRestart();
      tail = await openTail(dependencies, zip, dependencies.tail);
    }
  }
}

/** Unpacks the archive as far as a tail does not have it. */
async function unpackAfter(incoming: Incoming, tail: ZipTail): Promise<void> {
  const { unpacking, zip, onBytes } = incoming;
  if (tail.from > 0) onBytes(tail.from);
  const entries = incomingBundleFiles({
    bytes: bytesOf(incoming, tail),
    size: zip.size,
    from: tail.from,
    async onRead(bytes, at) {
      await tail.add(bytes);
      if (at >= tail.from) onBytes(bytes.length);
    },
  });
  await unpacking.takeAll(entries, (entry, settle) => tail.endEntry(entry, settle));
}

/** Yields the bytes on disk, then the rest. Only a complete archive can be hashed; its files always are. */
async function* bytesOf(
  { staging: { dependencies }, zip }: Incoming,
  tail: ZipTail,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const hash = dependencies.hashing.createSha256();
  for await (const chunk of tail.read()) {
    hash.update(chunk);
    yield chunk;
  }
  let at = tail.end;
  if (at < zip.size || at === 0) {
    for await (const chunk of openDownload(dependencies, zip.label, zip, at)) {
      at += chunk.length;
      if (at > zip.size) throw tooMany(zip);
      hash.update(chunk);
      yield chunk;
    }
  }
  if (tail.from === 0) requireEqual(zip, at, hash);
}
