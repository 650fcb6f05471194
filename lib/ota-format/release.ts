import { isRecord, type JsonObject, type JsonValue } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { isBundleName, isVersion } from "../core/paths.ts";
import { fail, type Failure, ok, type Result } from "../core/result.ts";
import { isSha256Hex } from "../core/sha256.ts";
import { canonicalJson, parseStrictJsonBytes } from "./canonical-json.ts";
import { checkCritical, unknownMembers } from "./critical.ts";
import { signedBytes, signRecord, verifySignature } from "./signing.ts";

/** The value of `schema` in every record (REL-2). */
export const SCHEMA = 1;

/** Bytes named by their content: SHA-256 in lower-case hex, and how many there are. */
export interface ContentRef {
  /** 64 lower-case hexadecimal digits. */
  readonly hash: string;
  /** Bytes. */
  readonly size: number;
  /** Bytes as served, if the content is stored under a content coding (REL-8). */
  readonly served?: number;
}

/** `release.json` without its signature (REL-2). */
export interface Release {
  /** The kind of record. */
  readonly schema: 1;
  /** The game that this record is for. */
  readonly app: string;
  /** The line of releases: `production`, `beta`. */
  readonly channel: string;
  /** Grows with every publish; the device refuses to go back (REL-6). */
  readonly sequence: number;
  /** Bundle name to version. */
  readonly bundles: Readonly<Record<string, string>>;
  /** Bundle name to the manifest of that version. */
  readonly manifests: Readonly<Record<string, ContentRef>>;
  /** Whether players must restart into it. */
  readonly mandatory: boolean;
  /** The lowest engine API level of an app that may take any of its bundles. */
  readonly minEngineApi: number;
  /**
   * Bundle name to the version that it goes back to, even below the one in app binaries (REL-9).
   */
  readonly backTo?: Readonly<Record<string, string>>;
}

/** The members of `release.json` that this version knows (REL-7). */
const MEMBERS = [
  "schema",
  "app",
  "channel",
  "sequence",
  "bundles",
  "manifests",
  "mandatory",
  "minEngineApi",
  "backTo",
  "critical",
  "sig",
];

/** Why a record cannot be used although its signature holds. */
export type ReleaseFailureCode =
  | "unknown-schema" // REL-2
  | "unsupported" // REL-7
  | "malformed"
  | "wrong-app" // REL-3
  | "wrong-channel" // REL-3
  | "no-sequence" // REL-4
  | "no-manifests"; // REL-5

/** Expected target of a release. */
export interface ReleaseTarget {
  /** The game. */
  readonly app: string;
  /** The line of releases. */
  readonly channel: string;
}

/** The names for a project that sets none (REL-3). */
export const DEFAULT_TARGET: ReleaseTarget = { app: "default", channel: "production" };

/**
 * Reads the bytes of `release.json` as a strict JSON object; its signature is not checked yet
 * (REL-1).
 *
 * @returns `not-json` or `not-object`.
 */
export function readRecord(
  bytes: Uint8Array,
): Result<JsonObject, Failure<"not-json" | "not-object">> {
  const parsed = parseStrictJsonBytes(bytes);
  if (!parsed.ok) return fail("not-json", parsed.error.message);
  return isJsonObject(parsed.value)
    ? ok(parsed.value)
    : fail("not-object", "Cannot use the record: it is not an object");
}

function isJsonObject(value: JsonValue): value is JsonObject {
  return isRecord(value);
}

/** Whether the record's own `sig` is a valid signature by `publicKey` over all its other members. */
export async function isSigned(record: JsonObject, publicKey: string): Promise<boolean> {
  const { sig } = record;
  return typeof sig === "string" && await verifySignature(signedBytes(record), sig, publicKey);
}

/**
 * Reads a record whose signature is valid. Ignores unknown members, unless the record lists them as
 * critical.
 *
 * @returns `unknown-schema`, `unsupported`, `wrong-app`, `wrong-channel`, `no-sequence`,
 * `no-manifests` or `malformed`, the first of them in this order.
 */
export function parseRelease(
  record: JsonObject,
  target: ReleaseTarget,
): Result<Release, Failure<ReleaseFailureCode>> {
  const { schema, app, channel, sequence, bundles, manifests, mandatory, minEngineApi } = record;
  const { backTo = {} } = record;
  if (schema !== SCHEMA) return found("unknown-schema", "schema", schema, `${SCHEMA}`);
  const critical = checkCritical(record["critical"], MEMBERS);
  if (!critical.ok) return critical;
  if (app !== target.app) return found("wrong-app", "app", app, JSON.stringify(target.app));
  if (channel !== target.channel) {
    return found("wrong-channel", "channel", channel, JSON.stringify(target.channel));
  }
  if (!isPositiveInteger(sequence)) {
    return found("no-sequence", "sequence", sequence, "a whole number >= 1");
  }
  const refs = readManifestRefs(manifests);
  if (refs === null) {
    return found("no-manifests", "manifests", manifests, "bundle names with {hash, size}");
  }
  const versions = readVersions(bundles);
  if (versions === null) {
    return found("malformed", "bundles", bundles, "bundle names with versions v<N>");
  }
  if (typeof mandatory !== "boolean") {
    return found("malformed", "mandatory", mandatory, "true or false");
  }
  if (!isPositiveInteger(minEngineApi)) {
    return found("malformed", "minEngineApi", minEngineApi, "a whole number >= 1");
  }
  const back = readVersions(backTo);
  if (back === null) {
    return found("malformed", "backTo", backTo, "bundle names with versions v<N>");
  }
  return ok({
    schema: SCHEMA,
    app: target.app,
    channel: target.channel,
    sequence,
    bundles: versions,
    manifests: refs,
    mandatory,
    minEngineApi,
    ...(record["backTo"] && { backTo: back }),
  });
}

/**
 * Decides whether a device may accept a record after the one of sequence `minSequence` (REL-6):
 * never back, and not by a leap, so that one record with an absurd number cannot shut out all later
 * ones.
 *
 * @returns `replayed` or `sequence-jump`.
 */
export function checkSequence(
  sequence: number,
  minSequence: number,
): Result<null, Failure<"replayed" | "sequence-jump">> {
  if (sequence < minSequence) {
    return fail(
      "replayed",
      `The release has sequence ${sequence}, this device has accepted ${minSequence}`,
    );
  }
  if (sequence > minSequence + LIMITS.sequenceJump) {
    return fail(
      "sequence-jump",
      `The release has sequence ${sequence}, more than ${LIMITS.sequenceJump} ahead of ${minSequence}`,
    );
  }
  return ok(null);
}

/**
 * Lists members of a record that a publisher of this version would lose: unknown ones, except
 * `x-…`, which {@linkcode carriedMembers} carries over (PUB-20).
 */
export function lostMembers(record: JsonObject): readonly string[] {
  const refs = isRecord(record["manifests"]) ? Object.entries(record["manifests"]) : [];
  const inRefs = refs.flatMap(([bundle, ref]) =>
    Object.keys(isRecord(ref) ? ref : {})
      .filter((name) => !["hash", "size", "served"].includes(name))
      .map((name) => `manifests.${bundle}.${name}`)
  );
  return [...unknownMembers(record, MEMBERS), ...inRefs];
}

/**
 * Returns members that the next release copies unchanged: those that begin with `x-`, and the part
 * of `critical` that names members of the next one ({@linkcode serializeRelease}).
 */
export function carriedMembers(record: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(record).filter(([name]) => name === "critical" || name.startsWith("x-")),
  );
}

/**
 * Signs a release. @param carried Members in addition to those of {@linkcode Release}.
 * @returns The text of `release.json`.
 */
export async function serializeRelease(
  release: Release,
  privateKey: string,
  carried: JsonObject = {},
): Promise<string> {
  const members: JsonObject = { ...carried, ...releaseRecord(release) };
  const record = { ...members, critical: criticalOf(members) };
  return canonicalJson({ ...record, sig: await signRecord(record, privateKey) });
}

/**
 * Returns the names of `critical` whose member exists: a name without its member would shut out old
 * clients for good.
 */
function criticalOf(members: JsonObject): JsonValue | undefined {
  const { critical } = members;
  if (!Array.isArray(critical)) return critical;
  const names: readonly JsonValue[] = critical;
  const there = ["sig", ...Object.keys(members)];
  const named = names.filter((name) => typeof name === "string" && there.includes(name));
  return named.some((name) => name !== "critical") ? named : undefined;
}

function releaseRecord(release: Release): JsonObject {
  const manifests: Record<string, JsonObject> = {};
  for (const [name, ref] of Object.entries(release.manifests)) {
    manifests[name] = contentRecord(ref);
  }
  return { ...release, manifests };
}

/** Whether `value` is a whole number ≥ 1 that every language can hold exactly. */
export function isPositiveInteger(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 1;
}

/** Copies the members of a reference, without any others that it may carry. */
export function contentRecord({ hash, size, served }: ContentRef): JsonObject {
  return served === undefined ? { hash, size } : { hash, size, served };
}

/** Reads `{hash, size, served?}`. @returns `null` when it is anything else. */
export function readContentRef(value: unknown): ContentRef | null {
  if (!isRecord(value)) return null;
  const { hash, size, served } = value;
  if (typeof hash !== "string" || !isSha256Hex(hash)) return null;
  if (typeof size !== "number" || !Number.isSafeInteger(size) || size < 0) return null;
  if (served === undefined) return { hash, size };
  return isPositiveInteger(served) ? { hash, size, served } : null;
}

function readManifestRefs(value: unknown): Record<string, ContentRef> | null {
  if (!isRecord(value)) return null;
  const refs: Record<string, ContentRef> = {};
  for (const [name, member] of Object.entries(value)) {
    const ref = readContentRef(member);
    if (!isBundleName(name) || ref === null) return null;
    refs[name] = ref;
  }
  return refs;
}

function readVersions(value: unknown): Record<string, string> | null {
  if (!isRecord(value)) return null;
  const versions: Record<string, string> = {};
  for (const [name, version] of Object.entries(value)) {
    if (!isBundleName(name) || typeof version !== "string" || !isVersion(version)) return null;
    versions[name] = version;
  }
  return versions;
}

function found(
  code: ReleaseFailureCode,
  member: string,
  value: JsonValue | undefined,
  expected: string,
): Result<never, Failure<ReleaseFailureCode>> {
  const text = value === undefined ? "nothing" : JSON.stringify(value).slice(0, 80);
  return fail(code, `Cannot use the release: ${member} is ${text}, expected ${expected}`);
}
