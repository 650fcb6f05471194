import { encodeUtf8 } from "../core/bytes.ts";
import { isBundleName, isVersion } from "../core/paths.ts";
import { fail, type Failure, messageOf, ok, type Result } from "../core/result.ts";
import {
  checkManifest,
  EMBEDDED,
  EMBEDDED_MANIFEST_FILE,
  type EmbeddedManifest,
  isPositiveInteger,
  type ReleaseTarget,
  SCHEMA,
  serializeManifest,
} from "../ota-format/mod.ts";
import type { Files } from "../ports/files.ts";
import { type ScanDependencies, type ScanFailureCode, scanFolder } from "./scan.ts";

/** Why no embedded manifest was written. */
export type EmbedFailureCode = ScanFailureCode | "bad-request" | "write";

/** What the app binary will hold. */
export interface EmbedRequest {
  /** The built folder, absolute. */
  readonly dist: string;
  /** The bundle's name. */
  readonly name: string;
  /** The engine API level that it needs. */
  readonly engineApi: number;
  /** `v<N>`, or `embedded` when it was never published. */
  readonly version?: string;
  /** Which app and channel the binary takes releases of. */
  readonly target: ReleaseTarget;
  /** The sequence of the latest release when the binary was built; older ones are refused by it. */
  readonly sequence: number;
  /** Where to write; default: beside the files. */
  readonly out?: string;
}

/**
 * Writes the manifest of the app binary's bundle (PUB-19), so that a fresh install can use a delta.
 *
 * @returns `bad-request`, `write`, or why the folder cannot be published: `missing-folder`,
 * `not-a-file`, `path`, `unreadable`, `over-limit`, `empty`.
 */
export async function embedManifest(
  dependencies: ScanDependencies & { readonly files: Files },
  request: EmbedRequest,
): Promise<
  Result<{ readonly path: string; readonly manifest: EmbeddedManifest }, Failure<EmbedFailureCode>>
> {
  const { dist, name, engineApi, version = EMBEDDED, target, sequence } = request;
  if (!isBundleName(name)) {
    const found = `Cannot embed: the bundle name is ${JSON.stringify(name)}`;
    return fail("bad-request", `${found}, expected [a-z0-9][a-z0-9._-]*`, "Choose another name");
  }
  if (version !== EMBEDDED && !isVersion(version)) {
    return fail(
      "bad-request",
      `Cannot embed: version is ${JSON.stringify(version)}, expected v<N> or "${EMBEDDED}"`,
    );
  }
  if (!isPositiveInteger(engineApi)) {
    return fail(
      "bad-request",
      `Cannot embed: engine API is ${engineApi}, expected a whole number >= 1`,
    );
  }
  const scanned = await scanFolder(dependencies, dist);
  if (!scanned.ok) {
    return fail(scanned.error.code, asEmbedding(scanned.error.message), scanned.error.next);
  }
  const files = scanned.value;
  const manifest = {
    schema: SCHEMA,
    name,
    version,
    engineApi,
    files,
    ...target,
    sequence,
  } as const;
  const checked = checkManifest(manifest);
  if (!checked.ok) return fail("over-limit", checked.error.message, checked.error.next);
  const path = request.out ?? `${dist}/${EMBEDDED_MANIFEST_FILE}`;
  try {
    await dependencies.files.writeAtomic(path, encodeUtf8(serializeManifest(manifest)));
    return ok({ path, manifest });
  } catch (thrown) {
    const message = `Cannot write ${path}: ${messageOf(thrown)}`;
    return fail("write", message, "Make the folder writable, or name another file with out");
  }
}

/** The scan speaks for publishing, which most folders are walked for. */
function asEmbedding(message: string): string {
  return message.replace(/^Cannot publish /, "Cannot embed ");
}
