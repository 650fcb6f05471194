import { encodeUtf8 } from "../core/bytes.ts";
import { atResolved } from "../core/inside.ts";
import { isBundleName, isVersion, wantedBundleName } from "../core/paths.ts";
import { fail, type Failure, messageOf, ok, type Result } from "../core/result.ts";
import {
  checkManifest,
  diffManifests,
  EMBEDDED,
  EMBEDDED_MANIFEST_FILE,
  type EmbeddedManifest,
  isPositiveInteger,
  type Manifest,
  type ReleaseTarget,
  SCHEMA,
  serializeManifest,
} from "../ota-format/mod.ts";
import type { Files } from "../ports/files.ts";
import {
  findFolder,
  type ScanDependencies,
  type ScanFailureCode,
  scanFolder,
  type ScannedFiles,
} from "./scan.ts";

/** Why no embedded manifest was written. */
export type EmbedFailureCode = ScanFailureCode | "bad-request" | "write";

/** The manifest of a released version. */
export interface ReleasedManifest {
  /** The parsed manifest. */
  readonly manifest: Manifest;
  /** SHA-256 of its text, in hexadecimal digits. */
  readonly hash: string;
}

/** A request to describe the bundle of an app binary. */
export interface EmbedRequest {
  /** The built folder, absolute. */
  readonly dist: string;
  /** The bundle's name. */
  readonly name: string;
  /** The engine API level that it needs. */
  readonly engineApi: number;
  /** `v<N>`, or `embedded` when it was never published; default: of `released`, when it is that. */
  readonly version?: string;
  /** The released manifest: a folder with the very same files is that version (MAN-6). */
  readonly released?: ReleasedManifest | undefined;
  /** The version of this bundle in the latest release, if its manifest could not be read. */
  readonly releasedVersion?: string | undefined;
  /** The app and channel whose releases the binary takes. */
  readonly target: ReleaseTarget;
  /**
   * The sequence of the latest release when the binary was built; the app refuses older releases.
   */
  readonly sequence: number;
  /** The output folder; default: beside the files. */
  readonly out?: string;
}

/**
 * Writes the manifest of the app binary's bundle (PUB-19), so that a fresh install can use a delta.
 *
 * @returns `bad-request`, `write`, `cancelled`, or why the folder cannot be published:
 * `missing-folder`, `not-a-file`, `path`, `unreadable`, `over-limit`, `empty`.
 */
export async function embedManifest(
  dependencies: ScanDependencies & { readonly files: Files },
  request: EmbedRequest,
): Promise<
  Result<{ readonly path: string; readonly manifest: EmbeddedManifest }, Failure<EmbedFailureCode>>
> {
  const { dist, name, engineApi, version: named, target, sequence, released } = request;
  const latest = request.releasedVersion ?? released?.manifest.version;
  if (!isBundleName(name)) {
    const found = `Cannot embed: the bundle name is ${JSON.stringify(name)}`;
    return fail(
      "bad-request",
      `${found}, expected ${wantedBundleName(name)}`,
      "Choose another name",
    );
  }
  if (named !== undefined && named !== EMBEDDED && !isVersion(named)) {
    return fail(
      "bad-request",
      `Cannot embed: version is ${JSON.stringify(named)}, expected v<N> or "${EMBEDDED}"`,
    );
  }
  if (!isPositiveInteger(engineApi)) {
    return fail(
      "bad-request",
      `Cannot embed: engine API is ${engineApi}, expected a whole number >= 1`,
    );
  }
  const scanned = await scanResolved(dependencies, dist);
  if (!scanned.ok) {
    return fail(scanned.error.code, asEmbedding(scanned.error.message), scanned.error.next);
  }
  const { folder, files } = scanned.value;
  const sameVersion = released && isSame({ name, engineApi, files }, released.manifest)
    ? released.manifest.version
    : undefined;
  const version = named ?? sameVersion ?? EMBEDDED;
  const manifest = {
    schema: SCHEMA,
    name,
    version,
    engineApi,
    files,
    ...target,
    sequence,
    ...(released && version === sameVersion && { published: released.hash }),
    ...(latest !== undefined && { released: latest }), // MAN-7
  } as const;
  const checked = checkManifest(manifest);
  if (!checked.ok) return fail("over-limit", checked.error.message, checked.error.next);
  const path = request.out ?? `${dist}/${EMBEDDED_MANIFEST_FILE}`;
  const bytes = encodeUtf8(serializeManifest(manifest));
  try {
    if (request.out !== undefined) await dependencies.files.writeAtomic(path, bytes);
    else {
      const resolved = atResolved(dependencies.files);
      await resolved.writeAtomic(`${folder}/${EMBEDDED_MANIFEST_FILE}`, bytes);
    }
    return ok({ path, manifest });
  } catch (thrown) {
    const message = `Cannot write ${path}: ${messageOf(thrown)}`;
    return fail("write", message, "Make the folder writable, or name another file with out");
  }
}

/** Scans the resolved folder, so that a link that changes later cannot redirect the writes. */
async function scanResolved(
  dependencies: ScanDependencies,
  path: string,
): Promise<
  Result<{ readonly folder: string; readonly files: ScannedFiles }, Failure<ScanFailureCode>>
> {
  const found = await findFolder(dependencies.files, path);
  if (!found.ok) return found;
  const scanned = await scanFolder(dependencies, found.value);
  return scanned.ok ? ok({ folder: found.value, files: scanned.value }) : scanned;
}

type Bundle = Pick<Manifest, "name" | "engineApi" | "files">;

/** Whether two bundles differ in their version at most. */
function isSame(bundle: Bundle, other: Bundle): boolean {
  const { download, remove } = diffManifests(bundle, other);
  return download.length + remove.length === 0 && bundle.name === other.name &&
    bundle.engineApi === other.engineApi;
}

/** The scan speaks for publishing, which most folders are walked for. */
function asEmbedding(message: string): string {
  return message.replace(/^Cannot publish /, "Cannot embed ");
}
