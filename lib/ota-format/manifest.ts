import { encodeUtf8 } from "../core/bytes.ts";
import { compareCodeUnits, isRecord, type JsonObject } from "../core/json.ts";
import { LIMITS, withinLimit } from "../core/limits.ts";
import { checkPathSet, isBundleName, isVersion } from "../core/paths.ts";
import { fail, type Failure, ok, type Result } from "../core/result.ts";
import { isSha256Hex } from "../core/sha256.ts";
import { canonicalJson, parseStrictJson, parseStrictJsonBytes } from "./canonical-json.ts";
import { checkCritical } from "./critical.ts";
import {
  contentRecord,
  type ContentRef,
  isPositiveInteger,
  readContentRef,
  SCHEMA,
} from "./release.ts";

/** The name of the bundle inside the app binary, used in place of a version. */
export const EMBEDDED = "embedded";

/** `manifest.json`: the parts of one version of a bundle (MAN-1). */
export interface Manifest {
  /** The kind of record. */
  readonly schema: 1;
  /** The bundle's name. */
  readonly name: string;
  /** `v<N>`; in an embedded manifest also `embedded`. */
  readonly version: string;
  /** The engine API level that it needs. */
  readonly engineApi: number;
  /** Path to content. */
  readonly files: Readonly<Record<string, ContentRef>>;
  /** The bundle as one archive, for devices with nothing to build on. */
  readonly bundleZip?: ContentRef;
}

/** `ota-embedded-manifest.json`: the manifest of the bundle in the app binary, and its place in time. */
export interface EmbeddedManifest extends Manifest {
  /** The game. */
  readonly app: string;
  /** The line of releases. */
  readonly channel: string;
  /** The lowest sequence that this binary accepts; 0 when it was built before any release. */
  readonly sequence: number;
  /** The hash of this version's released manifest, which names the very same files (MAN-6). */
  readonly published?: string;
  /** The version of this bundle that was released when the binary was built (MAN-7). */
  readonly released?: string;
}

/** Why a manifest is refused. */
export type ManifestFailureCode =
  | "not-json"
  | "unsupported" // REL-7
  | "malformed" // MAN-1
  | "wrong-bundle" // MAN-2
  | "path" // MAN-3
  | "over-limit" // MAN-4
  | "no-files"; // MAN-5

/** The members of a manifest, embedded or not, that this version knows (REL-7). */
const MEMBERS = [
  "schema",
  "name",
  "version",
  "engineApi",
  "files",
  "bundleZip",
  "app",
  "channel",
  "sequence",
  "published",
  "released",
  "critical",
];

/** The bundle and version that the reader asked for. */
export interface ManifestIdentity {
  /** The bundle's name. */
  readonly name: string;
  /** The bundle's version. */
  readonly version: string;
}

/**
 * Reads a manifest, as bytes or text, that was requested by name and version.
 *
 * @returns `not-json`, `unsupported` (REL-7), `malformed` (MAN-1), `wrong-bundle` (MAN-2), `path`
 * (MAN-3), `over-limit` (MAN-4) or `no-files` (MAN-5).
 */
export function parseManifest(
  content: Uint8Array | string,
  expected: ManifestIdentity,
): Result<Manifest, Failure<ManifestFailureCode>> {
  const record = readObject(content);
  if (!record.ok) return record;
  const { name, version } = record.value;
  if (name !== expected.name || version !== expected.version) {
    return refuse(
      "wrong-bundle",
      `it is for ${JSON.stringify(name)} ${JSON.stringify(version)}, expected ` +
        `${JSON.stringify(expected.name)} ${JSON.stringify(expected.version)}`,
    );
  }
  return readManifest(record.value, expected);
}

/**
 * Reads an embedded manifest; `app`, `channel` and `sequence` default to the first release of all.
 *
 * @returns As {@linkcode parseManifest}, without `wrong-bundle`.
 */
export function parseEmbeddedManifest(
  content: Uint8Array | string,
): Result<EmbeddedManifest, Failure<ManifestFailureCode>> {
  const record = readObject(content);
  if (!record.ok) return record;
  const { name, version, app = "default", channel = "production", sequence = 0 } = record.value;
  if (typeof name !== "string" || !isBundleName(name)) {
    return refuse("malformed", "name is not a bundle name");
  }
  if (typeof version !== "string" || !(isVersion(version) || version === EMBEDDED)) {
    return refuse(
      "malformed",
      `version is ${JSON.stringify(version)}, expected v<N> or "${EMBEDDED}"`,
    );
  }
  if (typeof app !== "string" || !isBundleName(app)) {
    return refuse("malformed", "app is not a name");
  }
  if (typeof channel !== "string" || !isBundleName(channel)) {
    return refuse("malformed", "channel is not a name");
  }
  if (sequence !== 0 && !isPositiveInteger(sequence)) {
    return refuse("malformed", "sequence is not a whole number >= 0");
  }
  const { published, released } = record.value;
  if (published !== undefined && !(typeof published === "string" && isSha256Hex(published))) {
    return refuse("malformed", "published is not a hash"); // MAN-6
  }
  if (released !== undefined && !(typeof released === "string" && isVersion(released))) {
    return refuse("malformed", "released is not a version"); // MAN-7
  }
  const manifest = readManifest(record.value, { name, version });
  if (!manifest.ok) return manifest;
  const times = { ...(published && { published }), ...(released && { released }) };
  return ok({ ...manifest.value, app, channel, sequence, ...times });
}

/**
 * Checks a manifest that is about to be published by the rules that every device applies.
 *
 * @returns `no-files` (MAN-5), `path` (MAN-3) or `over-limit` (MAN-4).
 */
export function checkManifest(manifest: Manifest): Result<null, Failure<ManifestFailureCode>> {
  const names = Object.keys(manifest.files);
  if (names.length === 0) return refuse("no-files", "files is empty, expected at least one");
  const paths = checkPathSet(names);
  if (!paths.ok) return refuse("path", paths.error.message);
  return checkSizes(manifest);
}

/** Writes a manifest: always the same text for the same content. */
export function serializeManifest(manifest: Manifest | EmbeddedManifest): string {
  const files: Record<string, JsonObject> = {};
  for (const path of Object.keys(manifest.files).sort(compareCodeUnits)) {
    const ref = manifest.files[path];
    if (ref !== undefined) files[path] = contentRecord(ref);
  }
  const { bundleZip } = manifest;
  return canonicalJson({
    ...manifest,
    files,
    bundleZip: bundleZip && contentRecord(bundleZip),
  });
}

function readObject(
  content: Uint8Array | string,
): Result<Record<string, unknown>, Failure<ManifestFailureCode>> {
  const isText = typeof content === "string";
  // A unit of UTF-16 takes at most three bytes, so most texts need no exact count.
  const mayBeLong = isText && !withinLimit("manifestBytes", 3 * content.length);
  const size = mayBeLong ? encodeUtf8(content).length : content.length;
  if (!withinLimit("manifestBytes", size)) {
    return refuse("over-limit", `it has ${size} bytes, expected at most ${LIMITS.manifestBytes}`);
  }
  const parsed = isText ? parseStrictJson(content) : parseStrictJsonBytes(content);
  if (!parsed.ok) return refuse("not-json", parsed.error.message);
  return isRecord(parsed.value) ? ok(parsed.value) : refuse("malformed", "it is not an object");
}

function readManifest(
  record: Record<string, unknown>,
  identity: ManifestIdentity,
): Result<Manifest, Failure<ManifestFailureCode>> {
  const { schema, engineApi, files, bundleZip } = record;
  if (schema !== SCHEMA) {
    return refuse("malformed", `schema is ${JSON.stringify(schema)}, expected ${SCHEMA}`);
  }
  const critical = checkCritical(record["critical"], MEMBERS);
  if (!critical.ok) return critical;
  if (!isPositiveInteger(engineApi)) {
    return refuse("malformed", "engineApi is not a whole number >= 1");
  }
  if (!isRecord(files)) return refuse("malformed", "files is not an object");
  const refs: Record<string, ContentRef> = {};
  for (const [path, value] of Object.entries(files)) {
    const ref = readContentRef(value);
    if (ref === null) {
      return refuse("malformed", `files[${JSON.stringify(path.slice(0, 80))}] is not {hash, size}`);
    }
    refs[path] = ref;
  }
  const zip = bundleZip === undefined ? undefined : readContentRef(bundleZip);
  if (zip === null) return refuse("malformed", "bundleZip is not {hash, size}");
  const manifest: Manifest = {
    schema: SCHEMA,
    name: identity.name,
    version: identity.version,
    engineApi,
    files: refs,
    ...(zip && { bundleZip: zip }),
  };
  const checked = checkManifest(manifest);
  return checked.ok ? ok(manifest) : checked;
}

function checkSizes(manifest: Manifest): Result<null, Failure<ManifestFailureCode>> {
  const refs = Object.entries(manifest.files);
  if (!withinLimit("bundleFiles", refs.length)) {
    return refuse(
      "over-limit",
      `it has ${refs.length} files, expected at most ${LIMITS.bundleFiles}`,
    );
  }
  let total = 0;
  for (const [path, { size }] of refs) {
    if (!withinLimit("fileBytes", size)) {
      return refuse(
        "over-limit",
        `${JSON.stringify(path)} has ${size} bytes, expected at most ${LIMITS.fileBytes}`,
      );
    }
    total += size;
  }
  const zip = manifest.bundleZip?.size ?? 0;
  if (!withinLimit("bundleBytes", total) || !withinLimit("bundleBytes", zip)) {
    return refuse(
      "over-limit",
      `the bundle has ${Math.max(total, zip)} bytes, expected at most ${LIMITS.bundleBytes}`,
    );
  }
  return ok(null);
}

function refuse(
  code: ManifestFailureCode,
  found: string,
): Result<never, Failure<ManifestFailureCode>> {
  return fail(code, `Cannot use the manifest: ${found}`);
}
