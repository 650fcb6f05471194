import { Turns } from "../core/turns.ts";
import { decodeUtf8 } from "../core/bytes.ts";
import { FileError } from "../core/file-error.ts";
import { own } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { isBundleName, isVersion, versionNumber } from "../core/paths.ts";
import {
  type BootState,
  type DeviceState,
  EMBEDDED,
  EMBEDDED_MANIFEST_FILE,
  type EmbeddedManifest,
  type Launch,
  type NativeUpdater,
  type OtaProgress,
  parseEmbeddedManifest,
  type StageResult,
} from "../ota-format/mod.ts";
import type { Clock } from "../ports/clock.ts";
import type { Fetch } from "../ports/fetch.ts";
import type { Files } from "../ports/files.ts";
import type { Hashing } from "../ports/hashing.ts";
import {
  activate,
  boot,
  type BootDecision,
  type BootTarget,
  confirm,
  mayStage,
  newBinary,
  revert,
} from "./boot.ts";
import { markPath, marksFolder, versionFolder } from "./folders.ts";
import { randomId } from "./random.ts";
import { type Guard, guardRejected, openRecords, type Records } from "./records.ts";
import {
  checkLeap,
  readAcceptSequence,
  readConfirmBoot,
  readRevert,
  readStageUpdate,
  readStageUpdateDelta,
  readVersionRequest,
  type Requested,
} from "./requests.ts";
import { stageDelta, stageZip } from "./stage.ts";
import type { StageDependencies } from "./staging.ts";
import { makeRoom, removeSuperseded, sweep } from "./sweep.ts";
import { StageError, stageFailure } from "./transfer.ts";

/** What the reference device is built from. */
export interface DeviceOptions {
  /** The file system that the device lives on. */
  readonly files: Files;
  /** The network. */
  readonly fetch: Fetch;
  /** Hashes every file. */
  readonly hashing: Hashing;
  /** Measures stalls. */
  readonly clock: Clock;
  /** The app-private folder; created when it is not there. */
  readonly root: string;
  /** The bundle inside the app binary, with its `ota-embedded-manifest.json`. */
  readonly embedded?: string;
  /** The longest that a server may send nothing, in milliseconds. Default 30 s. */
  readonly stallMs?: number;
  /** Gives a running staging up. */
  readonly signal?: AbortSignal;
}

/** A launch as the boot hook decided it. */
export interface LaunchResult {
  /** What to serve. */
  readonly target: BootTarget;
  /** Confirms this launch, once it is fully booted. */
  readonly token: string;
}

/**
 * The reference device: the native plugin in TypeScript over real files, and the boot hook. It is
 * the twin that the Swift and Java cores must equal.
 */
export interface Device extends NativeUpdater {
  /** The boot hook: decides what this launch serves; never throws, whatever the disk does (DEV-1). */
  launch(
    request: { readonly name: string; readonly binaryVersion?: string },
  ): Promise<LaunchResult>;
  /** Confirms the recorded launch of a bundle, once: what the app does when it is fully booted. */
  confirmLaunch(request: { readonly name: string }): Promise<void>;
  /** The folder that a target is served from; `null` for an embedded bundle that is not given. */
  folderOf(name: string, target: BootTarget): string | null;
}

/**
 * Opens the device whose files lie under `options.root`.
 *
 * @example A phone in a folder: check, launch, confirm.
 * ```ts
 * import { checkForUpdate, type ConnectionInfo } from "slipway/ota-client";
 * import { createDevice } from "slipway/ota-device";
 * import { createRuntime } from "slipway/node";
 *
 * export async function update(root: string, connection: ConnectionInfo) {
 *   const { files, hashing, clock } = createRuntime();
 *   const device = createDevice({ files, hashing, clock, fetch, root });
 *   const { result } = await checkForUpdate({ fetch, native: device }, connection);
 *   const name = connection.bundleName;
 *   const { target, token } = await device.launch({ name }); // the next start of the app
 *   await device.confirmBoot({ name, token }); // once it is fully booted
 *   return { result, serves: device.folderOf(name, target) };
 * }
 * ```
 */
export function createDevice(options: DeviceOptions): Device {
  const { files, root } = options;
  const records = openRecords(files, root);
  const listeners = new Set<(progress: OtaProgress) => void>();
  const turns = new Turns();
  const session: Session = { launch: null, unrecorded: new Set(), swept: false, embedded: null };
  const stagingTurns = new Turns(); // DEV-15: a boot is confirmed while a download runs

  return {
    launch: ({ name, binaryVersion }) =>
      turns.take(() => launch({ options, records, session }, { name, binaryVersion })),

    confirmLaunch: ({ name }) =>
      turns.take(async () => {
        const launched = own((await records.readLaunches()).launches, name);
        if (launched !== undefined && !session.unrecorded.has(name)) {
          await confirmBoot(options, records, { name, token: launched.token });
        }
      }),

    confirmBoot: (request) =>
      turns.take(() =>
        settle(async () => {
          const asked = granted(readConfirmBoot(request));
          if (!session.unrecorded.has(asked.name)) await confirmBoot(options, records, asked);
        })
      ),

    activate: (request) =>
      turns.take(async () => {
        try {
          const { name, version } = granted(readVersionRequest(request));
          if (!await isStaged(options, name, version)) {
            return { ok: false, code: "invalid", detail: `${name} ${version} is not staged` };
          }
          await records.writeState(activate(await records.readState(), name, version));
          return { ok: true };
        } catch (thrown) {
          return stageFailure(thrown);
        }
      }),

    revert: (request) =>
      turns.take(() =>
        settle(async () => {
          const { name, quarantine } = granted(readRevert(request));
          const state = await records.readState();
          const next = revert(state, name, { quarantine });
          if (next === null || next === state) return await records.ensureDurable();
          const guard = quarantine ? guardRejected(await records.readGuard(), next) : null;
          if (guard !== null) await records.writeGuard(guard); // DEV-5: before the state
          await records.writeState(next);
        })
      ),

    getState: () => turns.take(() => getState(options, records, session)),

    acceptSequence: (request) =>
      turns.take(() =>
        settle(async () => {
          const { app, channel, sequence } = granted(readAcceptSequence(request));
          const guard = await records.readGuard();
          const accepted = acceptedSequences(await readEmbedded(options, session), guard);
          const line = `${app}/${channel}`;
          granted(checkLeap(sequence, own(accepted, line) ?? 0));
          if (sequence <= (own(guard.sequence, line) ?? 0)) return await records.ensureDurable();
          await records.writeGuard({ ...guard, sequence: { ...guard.sequence, [line]: sequence } });
        })
      ),

    // DEV-14: what a delta builds on is what lies here, not what a server says of it
    async readManifest(request) {
      const asked = readVersionRequest(request, { mayBeEmbedded: true });
      const { name, version } = asked.ok ? asked.value : { name: "", version: "" };
      return {
        manifest: asked.ok ? await readManifest({ options, session }, name, version) : null,
      };
    },

    stageUpdate: (request) => stage(readStageUpdate(request), stageZip),
    stageUpdateDelta: (request) => stage(readStageUpdateDelta(request), stageDelta),

    addListener(_event, listener) {
      listeners.add(listener);
      return Promise.resolve({ remove: () => Promise.resolve(void listeners.delete(listener)) });
    },

    folderOf: (name, target) =>
      target.kind === "version"
        ? versionFolder(root, name, target.version)
        : options.embedded ?? null,
  };

  function stage<T extends { readonly name: string; readonly version: string }>(
    request: Requested<T>,
    run: (dependencies: StageDependencies, request: T) => Promise<StageResult>,
  ): Promise<StageResult> {
    if (request.ok) return stagingTurns.take(() => stageRequested(request.value, run));
    const { code, message } = request.error;
    return Promise.resolve({ ok: false, code, detail: message });
  }

  async function stageRequested<T extends { readonly name: string; readonly version: string }>(
    request: T,
    run: (dependencies: StageDependencies, request: T) => Promise<StageResult>,
  ): Promise<StageResult> {
    const { name, version } = request;
    session.swept = true; // from now on `.staging` holds what this device is putting together
    const facts = await stageFacts(records, name, version).catch(stageFailure);
    if ("ok" in facts) return facts;
    if (!facts.allowed) {
      return { ok: false, code: "quarantined", detail: `${name} ${version} failed to boot before` };
    }
    const { embedded, signal, stallMs = 30_000 } = options;
    return await run({
      ...options,
      stallMs,
      ...(embedded !== undefined && { embedded }),
      ...(signal && { signal }),
      isInUse: facts.isInUse,
      async makeRoom(spared, fits) {
        const state = await records.readState();
        const { previous, launches } = await records.readLaunches();
        const isKept = (bundle: string, held: string) =>
          [own(state?.active, bundle), own(state?.pending, bundle), own(previous, bundle)]
            .includes(held) ||
          own(launches, bundle)?.version === held || // this process may be serving it
          bundle === name && spared.includes(held);
        await makeRoom(options, { staged: await listStaged(options), isKept, fits });
      },
      onProgress(progress) {
        for (const listener of [...listeners]) listener(progress);
      },
    }, request);
  }
}

/** The request as it was read. Throws the refusal, for operations that answer nothing else. */
function granted<T>(request: Requested<T>): T {
  if (!request.ok) throw new StageError(request.error.code, request.error.message);
  return request.value;
}

/** Runs an operation without an answer; what the disk refuses is thrown with a code of staging (NAT-5). */
async function settle(operation: () => Promise<void>): Promise<void> {
  try {
    await operation();
  } catch (thrown) {
    if (!(thrown instanceof FileError)) throw thrown;
    const { code, detail } = stageFailure(thrown);
    throw new StageError(code, detail, thrown);
  }
}

/** Whether a version may be staged, and whether it may be booted: then it is not touched. */
async function stageFacts(
  records: Records,
  name: string,
  version: string,
): Promise<{ readonly allowed: boolean; readonly isInUse: boolean }> {
  const { rejected } = await records.readGuard();
  const state = await records.readState();
  const { previous } = await records.readLaunches();
  const used = [own(state?.active, name), own(state?.pending, name), own(previous, name)];
  return {
    allowed: mayStage(state, name, version) && mayStage({ rejected }, name, version),
    isInUse: used.includes(version),
  };
}

/** What a device knows of the process that it runs in. */
interface Session {
  /** What the boot hook served last. */
  launch: Launch | null;
  /** Bundles whose launch could not be recorded: nothing confirms it. */
  readonly unrecorded: Set<string>;
  /** Whether leftovers were swept, or may no longer be: this process stages. */
  swept: boolean;
  /** What the embedded manifest says of itself; `null` before it was read. */
  embedded: EmbeddedIdentity | null;
}

/** What is asked of the embedded manifest at every check; its files may be twenty thousand. */
type EmbeddedIdentity = Pick<
  EmbeddedManifest,
  "name" | "version" | "app" | "channel" | "sequence"
>;

async function launch(
  { options, records, session }: { options: DeviceOptions; records: Records; session: Session },
  { name, binaryVersion }: { name: string; binaryVersion: string | undefined },
): Promise<LaunchResult> {
  const token = randomId();
  const serve = (target: BootTarget): LaunchResult => {
    const version = target.kind === "version" ? target.version : EMBEDDED;
    session.launch = { name, version, token };
    return { target, token };
  };
  session.unrecorded.add(name);
  if (!isBundleName(name)) return serve({ kind: "embedded" }); // NAT-1: nothing is recorded of it
  try {
    const before = await records.readState();
    const state = binaryVersion === undefined ? before : newBinary(before, binaryVersion);
    const wanted = [own(state?.pending, name), own(state?.active, name)];
    const staged = new Set<string>();
    for (const version of wanted) {
      if (version !== undefined && await isStaged(options, name, version)) staged.add(version);
    }
    const facts = { exists: (version: string) => staged.has(version) };
    const decision = boot(state, name, facts);
    if (await record(records, { name, token, before, decision })) {
      session.unrecorded.delete(name);
      if (!session.swept) await sweep(options);
      session.swept = true;
      return serve(decision.target);
    }
    await invalidateLaunch(records, name);
    return serve(boot(state, name, { ...facts, recorded: false }).target);
  } catch {
    await invalidateLaunch(records, name);
    return serve({ kind: "embedded" }); // the one bundle that no disk can take away
  }
}

/**
 * Sees to it that a later process cannot confirm a launch that was not recorded. Best effort:
 * where this is refused as well, only a confirmation without a launch before it could count.
 */
async function invalidateLaunch(records: Records, name: string): Promise<void> {
  try {
    const log = await records.readLaunches();
    const launched = own(log.launches, name);
    if (launched === undefined || launched.counted) return;
    const launches = { ...log.launches, [name]: { ...launched, counted: true } };
    await records.writeLaunches({ ...log, launches });
  } catch {
    // said above
  }
}

/** Makes a decision durable before it is acted on (DEV-2). @returns Whether that worked. */
async function record(
  records: Records,
  { name, token, before, decision }: {
    name: string;
    token: string;
    before: BootState | null;
    decision: BootDecision;
  },
): Promise<boolean> {
  try {
    const { target, state } = decision;
    const log = await records.readLaunches();
    const version = target.kind === "version" ? target.version : EMBEDDED;
    const attempt = own(state?.bootAttempts, name) ?? 0;
    const launches = { ...log.launches, [name]: { version, token, attempt, counted: false } };
    await records.writeLaunches({ ...log, launches });
    const guard = guardRejected(await records.readGuard(), state);
    if (guard !== null) await records.writeGuard(guard);
    if (state !== null && JSON.stringify(state) !== JSON.stringify(before)) {
      await records.writeState(state);
    }
    return true;
  } catch {
    return false; // the disk refused: BOOT-10 says what is booted then
  }
}

async function confirmBoot(
  options: DeviceOptions,
  records: Records,
  { name, token }: { readonly name: string; readonly token: string },
): Promise<void> {
  const log = await records.readLaunches();
  const launched = own(log.launches, name);
  if (launched === undefined || launched.token !== token) return;
  const state = await records.readState();
  const { version, attempt, counted } = launched;
  const booted: BootTarget = version === EMBEDDED
    ? { kind: "embedded" }
    : { kind: "version", version };
  const isRecorded = attempt === (own(state?.bootAttempts, name) ?? 0); // DEV-3
  const next = isRecorded ? confirm(state, name, { booted, counted }) : state;
  if (next === null || next === state) return await records.ensureDurable();
  const replaced = own(state?.active, name);
  const promoted = own(next.active, name) !== replaced;
  const previous = promoted && replaced !== undefined
    ? { ...log.previous, [name]: replaced }
    : log.previous;
  // Counted before credited: a crash in between loses a confirmation, never grants two (DEV-4).
  const launches = { ...log.launches, [name]: { ...launched, counted: true } };
  await records.writeLaunches({ launches, previous });
  await records.writeState(next);
  if (promoted) {
    await removeSuperseded(options, name, { active: version, previous: own(previous, name) });
  }
}

async function getState(
  options: DeviceOptions,
  records: Records,
  session: Session,
): Promise<DeviceState> {
  await records.ensureDurable().catch(() => undefined); // a disk that cannot sync still tells what it has
  const state = await records.readState();
  const guard = await records.readGuard();
  const embedded = await readEmbedded(options, session);
  const sequence = acceptedSequences(embedded, guard);
  return {
    state,
    sequence,
    rejected: guard.rejected,
    staged: await listStaged(options),
    ...(embedded && { embedded: { [embedded.name]: embedded.version } }),
    ...(session.launch && { launch: session.launch }),
  };
}

/** The accepted sequence of every line of releases: the guard's, or the binary's where that is higher. */
function acceptedSequences(
  embedded: EmbeddedIdentity | null,
  guard: Guard,
): Readonly<Record<string, number>> {
  if (embedded === null) return guard.sequence;
  const line = `${embedded.app}/${embedded.channel}`;
  const accepted = Math.max(own(guard.sequence, line) ?? 0, embedded.sequence);
  return { ...guard.sequence, [line]: accepted };
}

/** Every version that is marked complete, in order of its number, by bundle (DEV-18). */
async function listStaged({ files, root }: DeviceOptions): Promise<Record<string, string[]>> {
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

/** Whether a version's folder is there and marked complete; what is no name or version never is. */
async function isStaged(
  { files, root }: DeviceOptions,
  name: string,
  version: string,
): Promise<boolean> {
  if (!isBundleName(name) || !isVersion(version)) return false;
  const mark = await files.stat(markPath(root, name, version));
  const folder = await files.stat(versionFolder(root, name, version));
  return mark !== null && folder?.kind === "directory";
}

async function readManifest(
  { options, session }: { options: DeviceOptions; session: Session },
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
async function readEmbedded(
  { files, embedded }: DeviceOptions,
  session: Session,
): Promise<EmbeddedIdentity | null> {
  if (embedded === undefined) return null;
  if (session.embedded !== null) return session.embedded;
  const bytes = await files.read(`${embedded}/${EMBEDDED_MANIFEST_FILE}`, LIMITS.manifestBytes);
  const parsed = bytes && parseEmbeddedManifest(bytes);
  if (!parsed?.ok) return null;
  const { name, version, app, channel, sequence } = parsed.value;
  return session.embedded = { name, version, app, channel, sequence };
}

async function readText(files: Files, path: string): Promise<string | null> {
  const bytes = await files.read(path, LIMITS.manifestBytes);
  return bytes && decodeUtf8(bytes);
}
