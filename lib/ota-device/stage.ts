import { encodeUtf8 } from "../core/bytes.ts";
import { own } from "../core/json.ts";
import { forEachParallel } from "../core/parallel.ts";
import type { ContentRef, Manifest, StageResult } from "../ota-format/mod.ts";
import { checkExisting } from "./existing.ts";
import {
  makeRoot,
  markPath,
  marksFolder,
  partialFolder,
  stagingFolder,
  versionFolder,
} from "./folders.ts";
import { takeBack } from "./leftovers.ts";
import { openPartials, type Partials, removeStagedPartials } from "./partial.ts";
import type { DeltaStaging, ZipStaging } from "./requests.ts";
import { fillFromBase } from "./stage-delta.ts";
import { fillFromZip, type Room, tailRoom } from "./stage-zip.ts";
import { sharedBytes } from "./sharing.ts";
import { report, sameFile, sparse, type StageDependencies, type Staging } from "./staging.ts";
import { StageError, stageFailure } from "./transfer.ts";
import { foldersOf, noteFolders } from "./whole.ts";
import { findTail } from "./zip-tail.ts";

/** Folders that are synced in parallel: each waits for the disk. */
const SYNCS = 8;

/** Stages a version from its `bundle.zip`. Never throws. */
export function stageZip(
  dependencies: StageDependencies,
  request: ZipStaging,
): Promise<StageResult> {
  return stageWithRoom(dependencies, request, {
    spared: [],
    fetched: Object.keys(request.parsed.files),
    async findResumable(partials) { // only with complete files
      const { files, bundleZip } = request.parsed;
      const unpacked = Object.values(files).filter((ref) => partials.bytesOf(ref) === ref.size);
      const lying = lyingOf(partials, unpacked);
      const tail = bundleZip && await findTail(dependencies, bundleZip);
      return tail ? [...lying, tail] : lying;
    },
    async fill(staging, room) {
      await requireSpace(staging, { ...room, besides: tailRoom(staging) });
      await fillFromZip(staging, request.zipUrl, (more) => requireSpace(staging, more));
    },
  });
}

/** Stages a version from a base on the device and single downloads. Never throws. */
export function stageDelta(
  dependencies: StageDependencies,
  request: DeltaStaging,
): Promise<StageResult> {
  // A file to copy from another version is fetched if that version was removed, and it has a URL.
  const copied = request.copy.flatMap(({ base, url }) => base && !url ? [base] : []);
  const spared = [request.base, ...copied];
  return stageWithRoom(dependencies, request, {
    spared,
    fetched: request.download.map(({ path }) => path),
    findResumable(partials) {
      const { files } = request.parsed;
      const requestedRefs = request.download.flatMap(({ path }) => own(files, path) ?? []);
      return Promise.resolve(lyingOf(partials, requestedRefs));
    },
    async fill(staging, room) {
      const shared = await sharedBytes(staging, request);
      await requireSpace(staging, { ...room, lying: room.lying + shared }, spared);
      await fillFromBase(staging, request, shared > 0);
    },
  });
}

/** A way to fill a version. */
interface Way {
  /** Versions that are copied from, and must stay. */
  readonly spared: readonly string[];
  /** Paths whose contents come from the network. */
  readonly fetched: readonly string[];
  /** Partial files in `.partial` that it resumes, each content once. */
  readonly findResumable: (partials: Partials) => Promise<readonly PartialFile[]>;
  readonly fill: (staging: Staging, room: Room) => Promise<void>;
}

/** A file of `.partial`. */
interface PartialFile {
  readonly path: string;
  readonly size: number;
}

/** The files of contents that lie in `.partial`, each content once. */
function lyingOf(partials: Partials, contents: readonly ContentRef[]): PartialFile[] {
  const byPath = new Map<string, PartialFile>();
  for (const content of contents) {
    const path = partials.pathOf(content);
    if (path !== null) byPath.set(path, { path, size: partials.bytesOf(content) });
  }
  return [...byPath.values()];
}

/** Returns the room of a way that needs only its files. */
async function roomOf({ findResumable }: Way, partials: Partials): Promise<Room> {
  const lying = await findResumable(partials);
  return {
    besides: 0,
    lying: lying.reduce((sum, { size }) => sum + size, 0),
    kept: new Set(lying.map(({ path }) => path)),
  };
}

/**
 * Stages a version. If the disk is full, makes all the room that it can and tries once more: a disk may
 * report that it is full while bytes are free (DEV-19).
 */
async function stageWithRoom(
  dependencies: StageDependencies,
  request: ZipStaging | DeltaStaging,
  way: Way,
): Promise<StageResult> {
  const staged = await stageVersion(dependencies, request, way);
  if (staged.ok || staged.code !== "disk-full") return staged;
  const { files, root, makeRoom } = dependencies;
  try {
    const free = await files.freeSpace(root);
    const fits = () => Promise.resolve(false);
    const { kept } = await roomOf(way, await openPartials(dependencies));
    await makeRoom({ spared: way.spared, kept, fits });
    if (await files.freeSpace(root) <= free) return staged;
  } catch {
    return staged;
  }
  return await stageVersion(dependencies, request, way);
}

/**
 * Stages a version in the order of DEV-6: nothing is visible under the version's name until every
 * file is written, synced and verified and the version is marked complete.
 */
async function stageVersion(
  given: StageDependencies,
  { name, version, manifest: text, parsed: manifest }: ZipStaging | DeltaStaging,
  way: Way,
): Promise<StageResult> {
  const dependencies = { ...given, onProgress: sparse(given) };
  const { files, root } = dependencies;
  const folder = `${stagingFolder(root)}/${name}@${version}.${dependencies.id}`;
  const filesTotal = Object.keys(manifest.files).length;
  const removePartials = () =>
    removeStagedPartials(dependencies, hashesOf(manifest)).catch(() => undefined); // swept
  try {
    await takeBack(dependencies, manifest, way.fetched);
    const partials = await openPartials(dependencies);
    const staging: Staging = { dependencies, manifest, filesTotal, folder, partials };
    if (await checkExisting(dependencies, manifest, text)) {
      await syncNames(dependencies, name); // the process that put it there may have been killed before the sync
      await removePartials();
      report(staging, { bytesDone: 0, bytesTotal: 0, filesDone: filesTotal });
      return { ok: true };
    }
    try {
      await makeFolders(staging);
      await way.fill(staging, await roomOf(way, partials));
      await requireEachFile(staging);
      await seal(staging, text);
    } catch (thrown) {
      // Another process staged the version in the meantime and took the shared files from .partial:
      // its version is as good.
      if (!await checkExisting(dependencies, manifest, text).catch(() => false)) throw thrown;
    }
    await syncNames(dependencies, name);
    await noteFolders(dependencies, { manifest, text });
    await removePartials();
    return { ok: true };
  } catch (thrown) {
    return stageFailure(thrown);
  } finally {
    await files.remove(folder).catch(() => undefined); // a sweep removes the rest
  }
}

async function requireSpace(
  { dependencies: { files, root, makeRoom }, manifest }: Staging,
  { besides, lying, kept }: Room,
  spared: readonly string[] = [],
): Promise<void> {
  const needed = totalBytes(manifest) + besides - lying;
  const fits = async () => await files.freeSpace(root) >= needed;
  if (!await fits()) await makeRoom({ spared, kept, fits });
  const free = await files.freeSpace(root);
  if (free < needed) {
    throw new StageError(
      "disk-full",
      `${manifest.version} needs ${needed} bytes, ${free} are free`,
    );
  }
}

function hashesOf({ files, bundleZip }: Manifest): ReadonlySet<string> {
  const hashes = new Set(Object.values(files).map(({ hash }) => hash));
  return bundleZip === undefined ? hashes : hashes.add(bundleZip.hash);
}

async function makeFolders({ dependencies, manifest, folder }: Staging): Promise<void> {
  await makeRoot(dependencies.files, dependencies.root);
  await dependencies.files.makeDirectory(partialFolder(dependencies.root));
  await dependencies.files.makeDirectory(folder);
  for (const path of foldersOf(manifest)) {
    await dependencies.files.makeDirectory(`${folder}/${path}`);
  }
}

/** Counts the written files: copies replace files under an equal name (DEV-28). */
async function requireEachFile(
  { dependencies: { files }, manifest, folder }: Staging,
): Promise<void> {
  const expected = new Map<string, string[]>();
  for (const path of Object.keys(manifest.files)) {
    const slash = path.lastIndexOf("/");
    const parent = path.slice(0, Math.max(slash, 0));
    const names = expected.get(parent) ?? [];
    names.push(path.slice(slash + 1));
    expected.set(parent, names);
  }
  for (const [parent, names] of expected) {
    const found = new Set((await files.list(`${folder}/${parent}`) ?? []).map(({ name }) => name));
    const lost = names.find((name) => !found.has(name));
    if (lost !== undefined) throw sameFile(parent === "" ? lost : `${parent}/${lost}`);
  }
}

/** Makes the version visible: folders synced, mark written, renamed. */
async function seal({ dependencies, manifest, folder }: Staging, text: string): Promise<void> {
  const { files, root } = dependencies;
  const { name, version } = manifest;
  await forEachParallel(foldersOf(manifest), SYNCS, (path) => files.sync(`${folder}/${path}`));
  await files.sync(folder);
  await files.makeDirectory(marksFolder(root));
  await files.makeDirectory(`${root}/${name}`);
  await dependencies.alone(async () => {
    await files.writeAtomic(markPath(root, name, version), encodeUtf8(text));
    await files.rename(folder, versionFolder(root, name, version));
  });
}

/** Makes the names of a bundle's versions last. */
async function syncNames({ files, root }: StageDependencies, name: string): Promise<void> {
  await files.sync(`${root}/${name}`);
  await files.sync(root);
}

function totalBytes(manifest: Manifest): number {
  let total = 0;
  for (const { size } of Object.values(manifest.files)) total += size;
  return total;
}
