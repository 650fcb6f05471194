import { isBundleName, isVersion, wantedBundleName } from "../core/paths.ts";
import { fail, type Failure, ok, type Result } from "../core/result.ts";
import { checkManifest, isPositiveInteger, type Manifest, SCHEMA } from "../ota-format/mod.ts";
import type { ScannedVersion } from "./move-contents.ts";
import { createContentSearch, refusePrivateFiles } from "./private-files.ts";
import type { PublishFailureCode, PublishResult } from "./publish-failure.ts";
import type { PublishDependencies, PublishRequest } from "./publish-request.ts";
import { findFolder, scanFolder } from "./scan.ts";
import { openScanMemory, type ScanMemory } from "./scan-memory.ts";

/** A version as scanned from its folder, with the result to keep. */
export interface FoundVersion extends ScannedVersion {
  /** `undefined` if nothing is kept. */
  readonly known: ScanMemory | undefined;
}

/** The version that a built folder is, hashed; refused before anything is written. */
export async function scanVersion(
  dependencies: PublishDependencies,
  request: PublishRequest,
): PublishResult<FoundVersion> {
  const { name, version, engineApi, minEngineApi = 1, dist } = request;
  if (!isBundleName(name)) {
    return badRequest(`bundle name ${JSON.stringify(name)}`, wantedBundleName(name));
  }
  if (!isVersion(version)) return badRequest(`version ${JSON.stringify(version)}`, "v1, v2, v3, …");
  for (const level of [engineApi, minEngineApi]) {
    if (!isPositiveInteger(level)) return badRequest(`engine API ${level}`, "a whole number >= 1");
  }
  const folder = await findFolder(dependencies.files, dist);
  if (!folder.ok) return folder;
  const crc32s = new Map<string, number>();
  const contents = createContentSearch(request.key.privateKey);
  const { scannedFolder } = dependencies;
  const known = scannedFolder === undefined ? undefined : await openScanMemory(
    { ...dependencies, scannedFolder },
    { folder: folder.value, key: request.key },
  );
  const scanned = await scanFolder({
    ...dependencies,
    look: contents.look,
    known,
    crc32s: { of: dependencies.deflating.crc32, found: crc32s },
    onProgress: (done, total) => dependencies.onProgress?.(done, total),
  }, folder.value);
  if (!scanned.ok) return scanned;
  const manifest: Manifest = { schema: SCHEMA, name, version, engineApi, files: scanned.value };
  const checked = checkManifest(manifest);
  if (!checked.ok) return fail("over-limit", checked.error.message, checked.error.next);
  const open = refusePrivateFiles(manifest, { allow: request.allow ?? [], contents });
  if (!open.ok) return open;
  return ok({ manifest, folder: folder.value, crc32s, known });
}

function badRequest(what: string, expected: string): Result<never, Failure<PublishFailureCode>> {
  return fail("bad-request", `Cannot publish: ${what} was given, expected ${expected}`);
}
