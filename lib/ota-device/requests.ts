import { isRecord } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { checkPath, isBundleName, isVersion } from "../core/paths.ts";
import { fail, type Failure, ok, type Result } from "../core/result.ts";
import {
  EMBEDDED,
  isPositiveInteger,
  type Manifest,
  parseManifest,
  type StageUpdateDeltaRequest,
  type StageUpdateRequest,
} from "../ota-format/mod.ts";
import type { RevertOptions } from "./boot.ts";

// Requests of JavaScript to the plugin. They may come from an update, and crossed an untyped bridge, so
// every operation checks its request here first (NAT-1 to NAT-5). Unknown members are ignored, because a
// newer client may send them.

/** A request, or why it is refused. */
export type Requested<T> = Result<T, Failure<"invalid">>;

/** A version that a request names. */
export interface VersionRequest {
  readonly name: string;
  readonly version: string;
}

/**
 * The source of a file in a delta: a path of a base (the request's own unless named) with the
 * address to fetch if the copy fails (DEV-18); or an address alone.
 */
export type FileSource = Omit<DeltaCopy, "path"> | { readonly url: string };

type DeltaCopy = StageUpdateDeltaRequest["copy"][number];

/** The allowed beginning of a server's address; the rest is printable ASCII (NAT-3). */
const ADDRESS = /^https?:\/\/[A-Za-z0-9[][!-~]*$/;

/** Version to stage in a request: its manifest as text, and parsed. */
interface Target extends VersionRequest {
  readonly manifest: string;
  readonly parsed: Manifest;
}

/** The request of `stageUpdate`, read. */
export interface ZipStaging extends Target, StageUpdateRequest {}

/** The request of `stageUpdateDelta`, read. */
export interface DeltaStaging extends Target, StageUpdateDeltaRequest {
  /** The source of each file of the manifest. */
  readonly sources: ReadonlyMap<string, FileSource>;
}

/** Reads the request of `stageUpdate` (NAT-1, NAT-3). */
export function readStageUpdate(request: unknown): Requested<ZipStaging> {
  const target = readTarget(request);
  if (!target.ok) return target;
  if (target.value.parsed.bundleZip === undefined) {
    return refuse("manifest", "one without bundleZip", "bundleZip");
  }
  const zipUrl = textOf(request, "zipUrl");
  return isAddress(zipUrl)
    ? ok({ ...target.value, zipUrl })
    : refuse("zipUrl", zipUrl, "an address that begins with https:// or http://");
}

/** Reads the request of `stageUpdateDelta`, and compares it with its manifest (NAT-1, NAT-3, NAT-4). */
export function readStageUpdateDelta(request: unknown): Requested<DeltaStaging> {
  const target = readTarget(request);
  if (!target.ok) return target;
  const base = textOf(request, "base");
  if (!isBase(base)) return refuse("base", base, `v<N> or "${EMBEDDED}"`);
  const copies = listOf(request, "copy");
  const downloads = listOf(request, "download");
  if (copies === null || downloads === null) {
    return refuse("copy and download", "", "lists of at most as many files as a bundle may have");
  }
  const copy: DeltaCopy[] = [];
  for (const entry of copies) {
    const from = textOf(entry, "from");
    const path = textOf(entry, "path");
    if (!isPath(from) || !isPath(path)) {
      return refuse("a path of copy", isPath(from) ? path : from, "a path of the bundle");
    }
    const { base: other, url } = isRecord(entry) ? entry : {};
    if (other !== undefined && !isBase(other)) {
      return refuse("a base of copy", other, `v<N> or "${EMBEDDED}"`);
    }
    if (url !== undefined && !isAddress(url)) {
      return refuse("a url of copy", url, "https:// or http://");
    }
    copy.push({
      from,
      path,
      ...(other !== undefined && { base: other }),
      ...(url !== undefined && { url }),
    });
  }
  const download: { path: string; url: string }[] = [];
  for (const entry of downloads) {
    const path = textOf(entry, "path");
    const url = textOf(entry, "url");
    if (!isPath(path)) return refuse("a path of download", path, "a path of the bundle");
    if (!isAddress(url)) return refuse("a url of download", url, "https:// or http://");
    download.push({ path, url });
  }
  const sources = readSources({ copy, download }, target.value.parsed);
  if (!sources.ok) return sources;
  return ok({ ...target.value, base, copy, download, sources: sources.value });
}

/**
 * Reads the source of each file of a manifest.
 *
 * @returns `invalid` unless copies and downloads together name each file exactly once and no other
 * (NAT-4).
 */
function readSources(
  { copy, download }: Pick<StageUpdateDeltaRequest, "copy" | "download">,
  { files }: Pick<Manifest, "files">,
): Requested<ReadonlyMap<string, FileSource>> {
  const sources = new Map<string, FileSource>();
  for (const { path, ...source } of [...copy, ...download]) sources.set(path, source);
  const paths = Object.keys(files);
  const asked = copy.length + download.length;
  if (sources.size !== asked || asked !== paths.length) {
    return refuse("copy and download", asked, `each of the ${paths.length} files once`);
  }
  const missing = paths.find((path) => !sources.has(path));
  return missing === undefined ? ok(sources) : refuse("copy and download", missing, "it too");
}

/** Reads the version of a request; that of `readManifest` may be `embedded` (NAT-1). */
export function readVersionRequest(
  request: unknown,
  { mayBeEmbedded = false } = {},
): Requested<VersionRequest> {
  const name = textOf(request, "name");
  if (!isName(name)) return refuse("name", name, "a bundle name");
  const version = textOf(request, "version");
  if (version === null) return refuse("version", version, "v<N>");
  return isVersion(version) || (mayBeEmbedded && version === EMBEDDED)
    ? ok({ name, version })
    : refuse("version", version, "v<N>");
}

/** Reads the request of `activate` (NAT-1, NAT-8). */
export function readActivate(
  request: unknown,
): Requested<VersionRequest & { readonly mandatory: boolean }> {
  const asked = readVersionRequest(request);
  if (!asked.ok) return asked;
  const { mandatory = false } = isRecord(request) ? request : {};
  return typeof mandatory === "boolean"
    ? ok({ ...asked.value, mandatory })
    : refuse("mandatory", mandatory, "true or false");
}

/** Reads the request of `confirmBoot` (NAT-1). */
export function readConfirmBoot(
  request: unknown,
): Requested<{ readonly name: string; readonly token: string }> {
  const name = textOf(request, "name");
  if (!isName(name)) return refuse("name", name, "a bundle name");
  const token = textOf(request, "token");
  return token === null ? refuse("token", token, "a text") : ok({ name, token });
}

/** Reads the request of `revert` (NAT-1, NAT-5). */
export function readRevert(
  request: unknown,
): Requested<{ readonly name: string } & Required<RevertOptions>> {
  const name = textOf(request, "name");
  if (!isName(name)) return refuse("name", name, "a bundle name");
  const { quarantine = false, toEmbedded = false } = isRecord(request) ? request : {};
  if (typeof quarantine !== "boolean") {
    return refuse("quarantine", quarantine, "true or false");
  }
  return typeof toEmbedded === "boolean"
    ? ok({ name, quarantine, toEmbedded })
    : refuse("toEmbedded", toEmbedded, "true or false");
}

/** A sequence of one line of releases. */
export interface SequenceRequest {
  readonly app: string;
  readonly channel: string;
  readonly sequence: number;
}

/** Reads the request of `acceptSequence`, but for the leap (NAT-2). */
export function readAcceptSequence(request: unknown): Requested<SequenceRequest> {
  const app = textOf(request, "app");
  if (!isName(app)) return refuse("app", app, "a name");
  const channel = textOf(request, "channel");
  if (!isName(channel)) return refuse("channel", channel, "a name");
  const { sequence } = isRecord(request) ? request : {};
  return isPositiveInteger(sequence)
    ? ok({ app, channel, sequence })
    : refuse("sequence", sequence, "a whole number >= 1");
}

/** Refuses a sequence that would shut out all later releases (NAT-2), as REL-6 does in the client. */
export function checkLeap(sequence: number, accepted: number): Requested<null> {
  return sequence <= accepted + LIMITS.sequenceJump
    ? ok(null)
    : refuse("sequence", sequence, `at most ${LIMITS.sequenceJump} above ${accepted}`);
}

function readTarget(request: unknown): Requested<Target> {
  const version = readVersionRequest(request);
  if (!version.ok) return version;
  const manifest = textOf(request, "manifest");
  if (manifest === null) return refuse("manifest", manifest, "its text");
  const parsed = parseManifest(manifest, version.value);
  return parsed.ok
    ? ok({ ...version.value, manifest, parsed: parsed.value })
    : fail("invalid", parsed.error.message);
}

function textOf(value: unknown, member: string): string | null {
  const text = isRecord(value) ? value[member] : undefined;
  return typeof text === "string" ? text : null;
}

function listOf(value: unknown, member: string): readonly unknown[] | null {
  const list: unknown = isRecord(value) ? value[member] : undefined;
  return Array.isArray(list) && list.length <= LIMITS.bundleFiles ? list : null;
}

function isName(value: string | null): value is string {
  return value !== null && isBundleName(value);
}

function isBase(value: unknown): value is string {
  return typeof value === "string" && (isVersion(value) || value === EMBEDDED);
}

function isPath(value: string | null): value is string {
  return value !== null && checkPath(value).ok;
}

function isAddress(value: unknown): value is string {
  return typeof value === "string" && ADDRESS.test(value);
}

function refuse(
  member: string,
  value: unknown,
  expected: string,
): Requested<never> {
  const text = typeof value === "number" ? String(value) : JSON.stringify(value) ?? String(value);
  const found = text.slice(0, 80);
  return fail("invalid", `Cannot do what was asked: ${member} is ${found}, expected ${expected}`);
}
