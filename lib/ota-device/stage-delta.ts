import { own } from "../core/json.ts";
import { forEachParallel } from "../core/parallel.ts";
import { messageOf } from "../core/result.ts";
import { type ContentRef, EMBEDDED, type StageUpdateDeltaRequest } from "../ota-format/mod.ts";
import { openDownload } from "./download.ts";
import { markPath, versionFolder } from "./folders.ts";
import { readSources } from "./requests.ts";
import {
  report,
  type StageDependencies,
  type Staging,
  throwIfCancelled,
  writeVerified,
} from "./staging.ts";
import { diskCode, drain, StageError, verified } from "./transfer.ts";

/** Downloads and copies at once. */
const CONCURRENCY = 6;

/** Fills a version from bases on the device and single downloads. */
export async function fillFromBase(
  staging: Staging,
  request: StageUpdateDeltaRequest,
): Promise<void> {
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
