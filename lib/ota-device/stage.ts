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
import { openPartials, removeStagedPartials } from "./partial.ts";
import type { DeltaStaging, ZipStaging } from "./requests.ts";
import { fillFromBase } from "./stage-delta.ts";
import { fillFromZip, tailRoom } from "./stage-zip.ts";
import { report, sameFile, sparse, type StageDependencies, type Staging } from "./staging.ts";
import { StageError, stageFailure } from "./transfer.ts";

/** Folders that are synced at once: each waits for the disk. */
const SYNCS = 8;

/** Stages a version from its `bundle.zip`. Never throws. */
export function stageZip(
  dependencies: StageDependencies,
  request: ZipStaging,
): Promise<StageResult> {
  return stageWithRoom(dependencies, request, {
    spared: [],
    async fill(staging) {
      const { manifest, partials } = staging;
      const unpacked = Object.entries(manifest.files)
        .flatMap(([path, ref]) => partials.bytesOf(ref) === ref.size ? [{ path }] : []);
      const lying = bytesLying(staging, unpacked);
      await requireSpace(staging, { besides: tailRoom(staging), lying });
      await fillFromZip(staging, request.zipUrl, (room) => requireSpace(staging, room));
    },
  });
}

/** Stages a version from a base on the device and single downloads. Never throws. */
export function stageDelta(
  dependencies: StageDependencies,
  request: DeltaStaging,
): Promise<StageResult> {
  // What is copied from another version is fetched when that had to go, where it has an address.
  const copied = request.copy.flatMap(({ base, url }) => base && !url ? [base] : []);
  const spared = [request.base, ...copied];
  return stageWithRoom(dependencies, request, {
    spared,
    async fill(staging) {
      const lying = bytesLying(staging, request.download);
      await requireSpace(staging, { spared, lying });
      await fillFromBase(staging, request);
    },
  });
}

/** How a version is filled. */
interface Way {
  /** Versions that are copied from, and must stay. */
  readonly spared: readonly string[];
  readonly fill: (staging: Staging) => Promise<void>;
}

/** Stages; once more with all the room that can be made, for a disk may be full before its bytes are (DEV-19). */
async function stageWithRoom(
  dependencies: StageDependencies,
  request: ZipStaging | DeltaStaging,
  { spared, fill }: Way,
): Promise<StageResult> {
  const staged = await stageVersion(dependencies, request, fill);
  if (staged.ok || staged.code !== "disk-full") return staged;
  const { files, root, makeRoom } = dependencies;
  try {
    const free = await files.freeSpace(root);
    const fits = () => Promise.resolve(false);
    await makeRoom({ spared, needed: hashesOf(request.parsed), fits });
    if (await files.freeSpace(root) <= free) return staged;
  } catch {
    return staged;
  }
  return await stageVersion(dependencies, request, fill);
}

/**
 * The order of a staging (DEV-6): nothing is visible under the version's name until every file
 * is written, synced and verified and the version is marked complete.
 */
async function stageVersion(
  given: StageDependencies,
  { name, version, manifest: text, parsed: manifest }: ZipStaging | DeltaStaging,
  fill: (staging: Staging) => Promise<void>,
): Promise<StageResult> {
  const dependencies = { ...given, onProgress: sparse(given) };
  const { files, root } = dependencies;
  const folder = `${stagingFolder(root)}/${name}@${version}.${dependencies.id}`;
  const filesTotal = Object.keys(manifest.files).length;
  const removePartials = () =>
    removeStagedPartials(dependencies, hashesOf(manifest)).catch(() => undefined); // swept
  try {
    const partials = await openPartials(dependencies);
    const staging: Staging = { dependencies, manifest, filesTotal, folder, partials };
    if (await checkExisting(dependencies, manifest, text)) {
      await syncNames(dependencies, name); // whoever put it there may have been killed before
      await removePartials();
      report(staging, { bytesDone: 0, bytesTotal: 0, filesDone: filesTotal });
      return { ok: true };
    }
    try {
      await makeFolders(staging);
      await fill(staging);
      await requireEachFile(staging);
      await seal(staging, text);
    } catch (thrown) {
      // Another process that staged it meanwhile took what both had in .partial: its version is as good.
      if (!await checkExisting(dependencies, manifest, text).catch(() => false)) throw thrown;
    }
    await syncNames(dependencies, name);
    await removePartials();
    return { ok: true };
  } catch (thrown) {
    return stageFailure(thrown);
  } finally {
    await files.remove(folder).catch(() => undefined); // what stays is swept
  }
}

async function requireSpace(
  { dependencies: { files, root, makeRoom }, manifest }: Staging,
  { besides = 0, lying = 0, spared = [] }: {
    besides?: number;
    lying?: number;
    spared?: readonly string[];
  },
): Promise<void> {
  const needed = totalBytes(manifest) + besides - lying;
  const fits = async () => await files.freeSpace(root) >= needed;
  if (!await fits()) await makeRoom({ spared, needed: hashesOf(manifest), fits });
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

/** Bytes of what is to be fetched that lie in `.partial` already, each content once. */
function bytesLying(
  { manifest, partials }: Staging,
  download: readonly { readonly path: string }[],
): number {
  const contents = new Map<string, ContentRef>();
  for (const { path } of download) {
    const ref = own(manifest.files, path);
    if (ref !== undefined) contents.set(ref.hash, ref);
  }
  let bytes = 0;
  for (const ref of contents.values()) bytes += partials.bytesOf(ref);
  return bytes;
}

async function makeFolders({ dependencies, manifest, folder }: Staging): Promise<void> {
  await makeRoot(dependencies.files, dependencies.root);
  await dependencies.files.makeDirectory(partialFolder(dependencies.root));
  await dependencies.files.makeDirectory(folder);
  for (const path of foldersOf(manifest)) {
    await dependencies.files.makeDirectory(`${folder}/${path}`);
  }
}

/** Every folder that the manifest's paths need, parents first. */
function foldersOf(manifest: Manifest): string[] {
  const folders = new Set<string>();
  for (const path of Object.keys(manifest.files)) {
    for (let slash = path.indexOf("/"); slash >= 0; slash = path.indexOf("/", slash + 1)) {
      folders.add(path.slice(0, slash));
    }
  }
  return [...folders].sort((a, b) => a.length - b.length);
}

/** Counts what was written: copies replace what lies under an equal name (DEV-28). */
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
