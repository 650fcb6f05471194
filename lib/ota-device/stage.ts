import { ArchiveError, streamOf } from "../archive/mod.ts";
import { encodeUtf8 } from "../core/bytes.ts";
import { FileError } from "../core/file-error.ts";
import { own } from "../core/json.ts";
import { forEachParallel } from "../core/parallel.ts";
import { messageOf } from "../core/result.ts";
import {
  type ContentRef,
  EMBEDDED,
  type Manifest,
  type OtaProgress,
  parseManifest,
  type StageResult,
  type StageUpdateDeltaRequest,
  type StageUpdateRequest,
} from "../ota-format/mod.ts";
import { type DownloadDependencies, openDownload } from "./download.ts";
import { checkExisting, type ExistingDependencies } from "./existing.ts";
import { makeRoot, markPath, marksFolder, stagingFolder, versionFolder } from "./folders.ts";
import { randomId } from "./random.ts";
import { readSources } from "./requests.ts";
import { diskCode, drain, StageError, stageFailure, verified } from "./transfer.ts";
import { bundleFiles } from "./bundle-zip.ts";

/** Downloads and copies at once. */
const CONCURRENCY = 6;

/** What staging works with. */
export interface StageDependencies extends DownloadDependencies, ExistingDependencies {
  /** The folder of the bundle in the app binary. */
  readonly embedded?: string;
  readonly onProgress: (progress: OtaProgress) => void;
  /** Removes what nothing boots, but for the versions that are `spared`, until it `fits`. */
  readonly makeRoom: (spared: readonly string[], fits: () => Promise<boolean>) => Promise<void>;
}

/** Stages a version from its `bundle.zip`. Never throws. */
export function stageZip(
  dependencies: StageDependencies,
  request: StageUpdateRequest,
): Promise<StageResult> {
  return stageVersion(dependencies, request, async (staging) => {
    await requireSpace(staging, { besides: staging.manifest.bundleZip?.size ?? 0 });
    await fillFromZip(staging, request.zipUrl);
  });
}

/** Stages a version from a base on the device and single downloads. Never throws. */
export function stageDelta(
  dependencies: StageDependencies,
  request: StageUpdateDeltaRequest,
): Promise<StageResult> {
  return stageVersion(dependencies, request, async (staging) => {
    // What is copied from another version is fetched when that had to go, where it has an address.
    const spared = request.copy.flatMap(({ base, url }) => base && !url ? [base] : []);
    await requireSpace(staging, { spared: [request.base, ...spared] });
    await fillFromBase(staging, request);
  });
}

/** A version while it is put together. */
interface Staging {
  readonly dependencies: StageDependencies;
  readonly manifest: Manifest;
  /** Files of the manifest: counted once, for progress is told after every piece. */
  readonly filesTotal: number;
  readonly folder: string;
  /** Where the archive may lie meanwhile. */
  readonly zip: string;
}

/**
 * The order of a staging (DEV-6): nothing is visible under the version's name until every file
 * is written, synced and verified and the version is marked complete.
 */
async function stageVersion(
  dependencies: StageDependencies,
  request: { readonly name: string; readonly version: string; readonly manifest: string },
  fill: (staging: Staging) => Promise<void>,
): Promise<StageResult> {
  const { files, root } = dependencies;
  const { name, version, manifest: text } = request;
  const parsed = parseManifest(encodeUtf8(text), { name, version });
  if (!parsed.ok) return { ok: false, code: "invalid", detail: parsed.error.message };
  const manifest = parsed.value;
  const folder = `${stagingFolder(root)}/${name}@${version}.${randomId()}`;
  const filesTotal = Object.keys(manifest.files).length;
  const staging: Staging = { dependencies, manifest, filesTotal, folder, zip: `${folder}.zip` };
  try {
    if (await checkExisting(dependencies, manifest, text)) {
      await syncNames(dependencies, name); // whoever put it there may have been killed before
      report(staging, { bytesDone: 0, bytesTotal: 0, filesDone: filesTotal });
      return { ok: true };
    }
    await makeFolders(staging);
    await fill(staging);
    await requireEachFile(staging);
    await seal(staging, text);
    return { ok: true };
  } catch (thrown) {
    return stageFailure(thrown);
  } finally {
    await files.remove(folder).catch(() => undefined); // what stays is swept at the next launch
    await files.remove(staging.zip).catch(() => undefined);
  }
}

async function requireSpace(
  { dependencies: { files, root, makeRoom }, manifest }: Staging,
  { besides = 0, spared = [] }: { besides?: number; spared?: readonly string[] },
): Promise<void> {
  const needed = totalBytes(manifest) + besides;
  const fits = async () => await files.freeSpace(root) >= needed;
  if (!await fits()) await makeRoom(spared, fits);
  const free = await files.freeSpace(root);
  if (free < needed) {
    throw new StageError(
      "disk-full",
      `${manifest.version} needs ${needed} bytes, ${free} are free`,
    );
  }
}

async function makeFolders({ dependencies, manifest, folder }: Staging): Promise<void> {
  await makeRoot(dependencies.files, dependencies.root);
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

async function fillFromZip(staging: Staging, zipUrl: string): Promise<void> {
  const { dependencies, manifest, zip } = staging;
  const { files, hashing } = dependencies;
  const expected = manifest.bundleZip;
  if (expected === undefined) throw new StageError("invalid", "The manifest has no bundleZip");
  const bytesTotal = expected.size;
  let bytesDone = 0;
  let filesDone = 0;
  const tell = () => report(staging, { bytesDone, bytesTotal, filesDone });
  const body = verified(openDownload(dependencies, zipUrl, expected.size), {
    ...expected,
    label: zipUrl,
  }, {
    hash: hashing.createSha256(),
    onBytes(count) {
      bytesDone += count;
      tell();
    },
  });
  await files.write(zip, body);
  const missing = new Set(Object.keys(manifest.files));
  for await (const entry of bundleFiles({ files, path: zip, size: expected.size })) {
    throwIfCancelled(staging);
    const path = entry.name;
    const ref = own(manifest.files, path);
    if (ref === undefined || !missing.delete(path)) {
      const found = "which its manifest does not name, or twice";
      throw new ArchiveError(path, `is in it, ${found}, expected each file of the manifest once`);
    }
    if (entry.size !== ref.size) { // before a byte is inflated
      const found = `${JSON.stringify(path)} has ${entry.size} bytes, expected ${ref.size}`;
      throw new StageError("size-mismatch", `In bundle.zip ${found}`);
    }
    await writeVerified(staging, path, { ref, body: streamOf(entry.open()) });
    filesDone++;
    tell();
  }
  if (missing.size > 0) {
    const lacks = JSON.stringify([...missing][0]);
    throw new ArchiveError(null, `it lacks ${lacks}, expected each file of the manifest once`);
  }
}

async function fillFromBase(staging: Staging, request: StageUpdateDeltaRequest): Promise<void> {
  const { dependencies, manifest } = staging;
  const sources = readSources(request, manifest);
  if (!sources.ok) throw new StageError("invalid", sources.error.message);
  const paths = Object.keys(manifest.files);
  const bases = await findBases(dependencies, request);
  let bytesTotal = 0;
  for (const { path } of request.download) bytesTotal += own(manifest.files, path)?.size ?? 0;
  let bytesDone = 0;
  let filesDone = 0;
  const tell = () => report(staging, { bytesDone, bytesTotal, filesDone });
  const failed = new AbortController();
  const { signal = failed.signal } = dependencies;
  const shared = { ...dependencies, signal: AbortSignal.any([signal, failed.signal]) };
  const fillOne = async (path: string) => {
    throwIfCancelled(staging);
    const ref = own(manifest.files, path);
    const source = sources.value.get(path);
    if (ref === undefined || source === undefined) {
      throw new StageError("invalid", `The request does not name ${JSON.stringify(path)}`);
    }
    const { url } = source;
    if ("from" in source) {
      const { from, base = request.base } = source;
      try {
        return await copyVerified(staging, path, {
          ref,
          from,
          baseFolder: bases.get(base) ?? null,
        });
      } catch (thrown) {
        const isLost = thrown instanceof StageError && thrown.code === "base-missing"; // DEV-18
        if (!isLost || url === undefined) throw thrown;
        bytesTotal += ref.size;
        await dependencies.files.remove(`${staging.folder}/${path}`); // what was copied of it
      }
    }
    await writeVerified(staging, path, {
      ref,
      body: openDownload(shared, url ?? "", ref.size),
      onBytes(count) {
        bytesDone += count;
        tell();
      },
    });
  };
  await forEachParallel(paths, CONCURRENCY, async (path) => {
    try {
      await fillOne(path);
    } catch (thrown) {
      failed.abort(); // the others need not end what is lost
      throw thrown;
    }
    filesDone++;
    tell();
  });
}

/** A download watches the signal itself; what is copied or inflated has to be asked. */
function throwIfCancelled(
  { dependencies: { signal }, manifest: { name, version } }: Staging,
): void {
  if (signal?.aborted) throw new StageError("cancelled", `${name} ${version} was cancelled`);
}

/** The folders of the bundles that are copied from; only the request's own base must be there. */
async function findBases(
  { files, root, embedded }: StageDependencies,
  { name, base: first, copy }: StageUpdateDeltaRequest,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  if (embedded !== undefined) found.set(EMBEDDED, embedded);
  for (const base of new Set([first, ...copy.map(({ base = first }) => base)])) {
    const staged = base !== EMBEDDED && await files.stat(markPath(root, name, base)) !== null;
    if (staged) found.set(base, versionFolder(root, name, base));
  }
  if (!found.has(first)) {
    throw new StageError("base-missing", `The device has no complete ${name} ${first}`);
  }
  return found;
}

async function copyVerified(
  { dependencies, folder }: Staging,
  path: string,
  { ref, from, baseFolder }: { ref: ContentRef; from: string; baseFolder: string | null },
): Promise<void> {
  const { files, hashing } = dependencies;
  const target = `${folder}/${path}`;
  if (baseFolder === null) throw new StageError("base-missing", `The base of ${from} is gone`);
  try {
    await files.copy(`${baseFolder}/${from}`, target);
    await files.sync(target);
    const copied = await files.openRead(target);
    if (copied === null) throw new StageError("io", `${target} is gone`);
    const expected = { ...ref, label: `${from} of the base` };
    await drain(verified(copied, expected, { hash: hashing.createSha256() }));
  } catch (thrown) {
    const disk = diskCode(thrown);
    // What fails to be read may be the base alone: the whole bundle needs no base.
    if (disk === "disk-full" || disk === "disk-read-only") throw thrown;
    throw new StageError("base-missing", messageOf(thrown));
  }
}

async function writeVerified(
  { dependencies, folder }: Staging,
  path: string,
  { ref, body, onBytes }: {
    ref: ContentRef;
    body: ReadableStream<Uint8Array>;
    onBytes?: (count: number) => void;
  },
): Promise<void> {
  const { files, hashing } = dependencies;
  const hash = hashing.createSha256();
  const checked = verified(body, { ...ref, label: path }, { hash, ...(onBytes && { onBytes }) });
  try {
    await files.write(`${folder}/${path}`, checked, { sync: true, createNew: true });
  } catch (thrown) {
    if (thrown instanceof FileError && thrown.code === "exists") throw sameFile(path);
    throw thrown;
  }
}

/** DEV-28: where a disk takes two names for one, a version would lack a file and seem whole. */
function sameFile(path: string): StageError {
  const found = `${JSON.stringify(path)} is the same file as another one of the manifest`;
  return new StageError("invalid", `On this disk ${found}`);
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

/** Makes the version visible: folders synced, mark written, renamed, the parents synced. */
async function seal({ dependencies, manifest, folder }: Staging, text: string): Promise<void> {
  const { files, root } = dependencies;
  const { name, version } = manifest;
  for (const path of foldersOf(manifest).reverse()) await files.sync(`${folder}/${path}`);
  await files.sync(folder);
  await files.makeDirectory(marksFolder(root));
  await files.writeAtomic(markPath(root, name, version), encodeUtf8(text));
  await files.makeDirectory(`${root}/${name}`);
  await files.rename(folder, versionFolder(root, name, version)).catch(async (thrown) => {
    // Another process staged the same version meanwhile: what it put there is as good, or it fails.
    if (!await checkExisting(dependencies, manifest, text)) throw thrown;
  });
  await syncNames(dependencies, name);
}

/** Makes the names of a bundle's versions last. */
async function syncNames({ files, root }: StageDependencies, name: string): Promise<void> {
  await files.sync(`${root}/${name}`);
  await files.sync(root);
}

function report(
  { dependencies, manifest, filesTotal }: Staging,
  done: { bytesDone: number; bytesTotal: number; filesDone: number },
): void {
  const { name, version } = manifest;
  dependencies.onProgress({ name, version, ...done, filesTotal });
}

function totalBytes(manifest: Manifest): number {
  let total = 0;
  for (const { size } of Object.values(manifest.files)) total += size;
  return total;
}
