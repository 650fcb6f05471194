import { decodeUtf8 } from "../core/bytes.ts";
import { own } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { isBundleName, isVersion, versionNumber } from "../core/paths.ts";
import {
  type BinaryBundle,
  type BundleVersion,
  type DeviceState,
  EMBEDDED,
  EMBEDDED_MANIFEST_FILE,
  type HeldVersions,
  type Launch,
  parseEmbeddedManifest,
} from "../ota-format/mod.ts";
import type { Files } from "../ports/files.ts";
import { mayStage } from "./boot.ts";
import type { DeviceContext, DeviceOptions, EmbeddedIdentity, Session } from "./context.ts";
import { markPath, marksFolder, versionFolder } from "./folders.ts";
import { unlessUnreadable } from "./partial.ts";
import { type Guard, guardRejected, type Records } from "./records.ts";
import { partialBytes } from "./zip-tail.ts";

// Contents of the device, as its operations need them.

/** Reports the device's state to the update check. */
export async function getState({ options, records, session }: DeviceContext): Promise<DeviceState> {
  await records.ensureDurable().catch(() => undefined); // a disk that cannot sync can still be read
  const state = await records.readState();
  const guard = await records.readGuard();
  const embedded = await readEmbedded(options, session);
  const sequence = acceptedSequences(embedded, guard);
  const partial = await partialBytes(options).catch(() => ({}));
  return {
    state,
    sequence,
    rejected: guard.rejected,
    staged: await listStaged(options),
    ...(Object.keys(partial).length > 0 && { partial }),
    ...(options.trusted && { publicKey: options.trusted.publicKey }),
    ...(embedded && { embedded: { [embedded.name]: embedded.version } }),
    ...(embedded?.published && { published: { [embedded.name]: embedded.published } }),
    ...(embedded?.released && { released: { [embedded.name]: embedded.released } }),
    ...(session.launch && { launch: launchOf(session.launch, session) }),
    ...await readPending(records, state, session),
    ...(options.backOnTrial && { knows: ["trial"] }),
  };
}

/** The newest launch; its token while no document of another version can ask for it (NAT-7). */
function launchOf(
  { name, version, token }: Launch,
  { served }: Session,
): NonNullable<DeviceState["launch"]> {
  return { name, version, ...(served.size === 1 && { token }) };
}

/**
 * Finds the pending version of the launched bundle, or of the first one if the boot hook did not run. It
 * is not mandatory for a game whose launch cannot be recorded (NAT-9).
 */
async function readPending(
  records: Records,
  state: DeviceState["state"],
  { launch, waived }: Session,
): Promise<Pick<DeviceState, "pending">> {
  const name = launch?.name ?? Object.keys(state?.pending ?? {})[0];
  const version = name === undefined ? undefined : own(state?.pending, name);
  if (name === undefined || version === undefined) return {};
  const log = await records.readLaunches().catch(() => null); // an unreadable log does not stop a game
  const mandatory = own(log?.mandatory, name) === version && !waived.has(name);
  return { pending: { name, version, mandatory } };
}

/**
 * Returns the accepted sequence of every line of releases: the guard's, or the binary's if that is
 * higher.
 */
export function acceptedSequences(
  embedded: EmbeddedIdentity | null,
  guard: Guard,
): Readonly<Record<string, number>> {
  if (embedded === null) return guard.sequence;
  const line = `${embedded.app}/${embedded.channel}`;
  const accepted = Math.max(own(guard.sequence, line) ?? 0, embedded.sequence);
  return { ...guard.sequence, [line]: accepted };
}

/** Every version that is marked complete, in order of its number, by bundle (DEV-18). */
async function listStaged(
  { files, root }: DeviceOptions,
): Promise<Record<string, string[]>> {
  const staged = new Map<string, string[]>();
  for (const entry of await files.list(marksFolder(root)).catch(() => null) ?? []) {
    const [, name = "", version = ""] = /^(.+)@(v[0-9]+)\.json$/.exec(entry.name) ?? [];
    if (!isBundleName(name) || !isVersion(version)) continue;
    staged.set(name, [...staged.get(name) ?? [], version]);
  }
  for (const versions of staged.values()) {
    versions.sort((a, b) => versionNumber(a) < versionNumber(b) ? -1 : 1);
  }
  return Object.fromEntries(staged);
}

/** How long the device keeps files that nothing needs at the moment, in milliseconds. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * Returns the time before which leftovers are abandoned: seven days ago, or when the active version
 * was staged, since no staging needs earlier ones (DEV-39). In milliseconds since the epoch.
 */
export async function readSince(
  { files, root, clock }: DeviceOptions,
  { state }: Pick<HeldVersions, "state">,
): Promise<number> {
  let since = clock.now() - KEPT_MS;
  for (const [name, version] of Object.entries(state?.active ?? {})) {
    const mark = await unlessUnreadable(() => files.stat(markPath(root, name, version)));
    since = Math.max(since, mark?.mtimeMs ?? since);
  }
  return since;
}

/**
 * Reads the records that a sweep depends on. Throws if one cannot be read: then nothing may be
 * removed.
 */
export async function readHeld(
  { options, records, session }: DeviceContext,
): Promise<HeldVersions> {
  const state = await records.readState();
  const guard = await records.readGuard();
  const { previous, launches } = await records.readLaunches();
  const served = Object.entries(launches).map(([name, { version }]) => `${name}@${version}`);
  const fresh = [...session.fresh].map(([name, version]) => `${name}@${version}`);
  return {
    state,
    previous,
    rejected: guardRejected(guard, state)?.rejected ?? guard.rejected,
    staged: await listLying(options),
    young: await listYoung(options),
    busy: [...session.busy, ...served, ...fresh],
  };
}

/** Versions that were staged in the last seven days, as `<name>@<version>`. */
async function listYoung({ files, root, clock }: DeviceOptions): Promise<string[]> {
  const since = clock.now() - KEPT_MS;
  const young: string[] = [];
  for (const { name } of await files.list(marksFolder(root)) ?? []) {
    const mark = await unlessUnreadable(() => files.stat(`${marksFolder(root)}/${name}`));
    if (mark !== null && mark.mtimeMs >= since) young.push(name.replace(/\.json$/, ""));
  }
  return young;
}

/** Lists every version with a mark or a folder. */
async function listLying(options: DeviceOptions): Promise<Record<string, string[]>> {
  const { files, root } = options;
  const lying = await listStaged(options);
  for (const { name, kind } of await files.list(root) ?? []) {
    if (kind !== "directory" || !isBundleName(name)) continue;
    const entries = await unlessUnreadable(() => files.list(`${root}/${name}`)) ?? [];
    const folders = entries.map((entry) => entry.name);
    lying[name] = [...new Set([...own(lying, name) ?? [], ...folders.filter(isVersion)])];
  }
  return lying;
}

/**
 * Returns whether a version's folder exists and is marked complete; never true for an invalid name or
 * version.
 */
export async function isStaged(
  { files, root }: DeviceOptions,
  name: string,
  version: string,
): Promise<boolean> {
  if (!isBundleName(name) || !isVersion(version)) return false;
  const mark = await unlessUnreadable(() => files.stat(markPath(root, name, version)));
  const folder = await unlessUnreadable(() => files.stat(versionFolder(root, name, version)));
  return mark !== null && folder?.kind === "directory";
}

/** The manifest of a version that is staged, or of the embedded bundle; else `null` (DEV-14). */
export async function readManifest(
  { options, session }: DeviceContext,
  name: string,
  version: string,
): Promise<string | null> {
  const { files, root } = options;
  if (version === EMBEDDED) {
    const embedded = await readEmbedded(options, session);
    if (embedded?.name !== name || options.embedded === undefined) return null;
    return await readText(files, `${options.embedded}/${EMBEDDED_MANIFEST_FILE}`);
  }
  if (!await isStaged(options, name, version)) return null;
  return await readText(files, markPath(root, name, version));
}

/** The embedded bundle's name and place in time: read once, for the binary stays while it runs. */
export async function readEmbedded(
  { files, embedded }: DeviceOptions,
  session: Session,
): Promise<EmbeddedIdentity | null> {
  if (embedded === undefined) return null;
  if (session.embedded !== null) return session.embedded;
  const bytes = await files.read(`${embedded}/${EMBEDDED_MANIFEST_FILE}`, LIMITS.manifestBytes);
  const parsed = bytes && parseEmbeddedManifest(bytes);
  if (!parsed?.ok) return null;
  const { files: _files, bundleZip: _zip, ...identity } = parsed.value;
  return session.embedded = identity;
}

/** Reads which version of a bundle the app's binary holds. */
export async function readBinary(
  { options, session }: DeviceContext,
  name: string,
): Promise<BinaryBundle> {
  const embedded = await readEmbedded(options, session);
  return embedded?.name === name ? { embedded: embedded.version, released: embedded.released } : {};
}

async function readText(files: Files, path: string): Promise<string | null> {
  const bytes = await unlessUnreadable(() => files.read(path, LIMITS.manifestBytes));
  return bytes && decodeUtf8(bytes);
}

/** Whether quarantine lets a version be staged, by both files. */
export async function isAllowed(
  { records }: DeviceContext,
  { name, version }: BundleVersion,
): Promise<boolean> {
  const { rejected } = await records.readGuard();
  const state = await records.readState();
  return mayStage(state, name, version) && mayStage({ rejected }, name, version);
}

/** Whether a version may be booted, or is being served: then it is not touched (DEV-7). */
export async function isInUse(
  { records }: DeviceContext,
  { name, version }: BundleVersion,
): Promise<boolean> {
  const state = await records.readState();
  const served = own((await records.readLaunches()).launches, name)?.version;
  return [own(state?.active, name), own(state?.pending, name), served].includes(version);
}
