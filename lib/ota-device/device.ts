import { Turns } from "../core/turns.ts";
import { FileError } from "../core/file-error.ts";
import { own } from "../core/json.ts";
import {
  type BundleVersion,
  deadVersions,
  type NativeUpdater,
  type OtaProgress,
  type StageResult,
} from "../ota-format/mod.ts";
import { activate, type BootTarget, revert } from "./boot.ts";
import type { DeviceContext, DeviceOptions, Session } from "./context.ts";
import { versionFolder } from "./folders.ts";
import {
  acceptedSequences,
  getState,
  isAllowed,
  isInUse,
  isStaged,
  readEmbedded,
  readHeld,
  readManifest,
  readSince,
} from "./held.ts";
import { confirmBoot, launch, type LaunchRequest, type LaunchResult } from "./launch.ts";
import { lockOwners, processId } from "./processes.ts";
import { guardRejected, noteMandatory, openRecords, type RecordWriter } from "./records.ts";
import { requireTrusted, requireTrustedSequence } from "./require-trusted.ts";
import {
  checkLeap,
  readAcceptSequence,
  readActivate,
  readConfirmBoot,
  readRevert,
  readStageUpdate,
  readStageUpdateDelta,
  readVersionRequest,
  type Requested,
} from "./requests.ts";
import { stageDelta, stageZip } from "./stage.ts";
import type { StageDependencies } from "./staging.ts";
import { emptyTrash, makeRoom, type RoomRequest, setAside } from "./sweep.ts";
import { StageError, stageFailure } from "./transfer.ts";
import type { Wanted } from "./trusted.ts";
import { verifyServed } from "./verify.ts";

/**
 * The reference device: the native plugin in TypeScript over real files, and the boot hook. It is
 * the twin that the Swift and Java cores must equal.
 */
export interface Device extends NativeUpdater {
  /**
   * The boot hook: decides which version this launch serves; never throws, whatever the disk does
   * (DEV-1).
   */
  launch(request: LaunchRequest): Promise<LaunchResult>;
  /** Confirms the recorded launch of a bundle, once; the app calls it when it is fully booted. */
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
  const { root } = options;
  const records = openRecords({
    ...options,
    nextOwner: lockOwners(options),
    makeRoom: (fits) => makeRoomUntil(fits, { kept: new Set(), alone: (work) => work() }),
  });
  const listeners = new Set<(progress: OtaProgress) => void>();
  const turns = new Turns();
  const session: Session = {
    launch: null,
    served: new Set(),
    unrecorded: new Set(),
    stagings: 0,
    verifying: null,
    stagingId: null,
    busy: [],
    fresh: new Map(),
    isNewBinary: false,
    embedded: null,
  };
  const context: DeviceContext = { options, records, session };
  const stagingTurns = new Turns(); // DEV-15: a boot is confirmed while a download runs

  return {
    launch: (request) => turns.take(() => launch(context, request)),

    async confirmLaunch({ name }) {
      const { launches } = await turns.take(() => records.readLaunches());
      const launched = own(launches, name);
      if (launched !== undefined) await confirmed({ name, token: launched.token });
    },

    confirmBoot: (request) => settle(() => confirmed(granted(readConfirmBoot(request)))),

    activate: (request) =>
      turns.take(async () => {
        try {
          const { name, version, mandatory } = granted(readActivate(request));
          await records.change(async (writer) => {
            const staged = await isStaged(options, name, version);
            // The staged version may be from a time when the app had no key.
            const looked = staged && options.trusted !== undefined;
            const manifest = looked ? await readManifest(context, name, version) ?? "" : undefined;
            await requireTrusted(context, request, {
              name,
              version,
              ...(manifest !== undefined && { manifest }),
            });
            if (!staged) {
              throw new StageError("invalid", `${name} ${version} is not staged`);
            }
            await noteMandatory(records, writer, { name, ...(mandatory && { version }) });
            await writer.writeState(activate(await records.readState(), name, version));
          });
          session.fresh.delete(name);
          return { ok: true };
        } catch (thrown) {
          return stageFailure(thrown);
        }
      }),

    revert: (request) =>
      settle(async () => {
        const { name, ...how } = granted(readRevert(request));
        await change(async (writer) => {
          const state = await records.readState();
          const next = revert(state, name, how);
          if (next === null || next === state) return await records.ensureDurable();
          const guard = how.quarantine ? guardRejected(await records.readGuard(), next) : null;
          if (guard !== null) await writer.writeGuard(guard); // DEV-5: before the state
          const active = how.toEmbedded ? own(state?.active, name) : undefined;
          if (active !== undefined) { // this process may be serving it
            const log = await records.readLaunches();
            await writer.writeLaunches({ ...log, previous: { ...log.previous, [name]: active } });
          }
          await writer.writeState(next);
        });
      }),

    getState: () => turns.take(() => getState(context)),

    acceptSequence: (request) =>
      settle(async () => {
        const { app, channel, sequence } = granted(readAcceptSequence(request));
        await change(async (writer) => {
          await requireTrustedSequence(context, request, { app, channel, sequence });
          const guard = await records.readGuard();
          const accepted = acceptedSequences(await readEmbedded(options, session), guard);
          const line = `${app}/${channel}`;
          granted(checkLeap(sequence, own(accepted, line) ?? 0));
          if (sequence <= (own(guard.sequence, line) ?? 0)) return await records.ensureDurable();
          await writer.writeGuard({ ...guard, sequence: { ...guard.sequence, [line]: sequence } });
        });
      }),

    // DEV-14: a delta builds on the files of this device, not on a server's description of them
    async readManifest(request) {
      const asked = readVersionRequest(request, { mayBeEmbedded: true });
      const { name, version } = asked.ok ? asked.value : { name: "", version: "" };
      return {
        manifest: asked.ok ? await readManifest(context, name, version) : null,
      };
    },

    stageUpdate: (request) =>
      stage(request, readStageUpdate(request), { run: stageZip, basesOf: () => [] }),
    stageUpdateDelta: (request) =>
      stage(request, readStageUpdateDelta(request), {
        run: stageDelta,
        basesOf: ({ base, copy }) => [base, ...copy.map((one) => one.base ?? base)],
      }),

    addListener(_event, listener) {
      listeners.add(listener);
      return Promise.resolve({ remove: () => Promise.resolve(void listeners.delete(listener)) });
    },

    folderOf: (name, target) =>
      target.kind === "version"
        ? versionFolder(root, name, target.version)
        : options.embedded ?? null,
  };

  function change<T>(work: (writer: RecordWriter) => Promise<T>): Promise<T> {
    return turns.take(() => records.change(work));
  }

  async function confirmed(asked: { name: string; token: string }): Promise<void> {
    const isBooted = await turns.take(async () =>
      session.unrecorded.has(asked.name) ||
      await records.change((writer) => confirmBoot(context, writer, asked))
    );
    // A staging that runs has swept before it began, and its own folder is in the way.
    if (!isBooted || session.stagings > 0) return;
    await stagingTurns.take(() => sweep().then(() => verifyServed(context, asked, change)));
  }

  /**
   * Removes everything unneeded; a launch waits for the renames, not for the deletions (DEV-23).
   */
  async function sweep(): Promise<void> {
    let since = await readSince(options, { state: null });
    await change(async () => {
      const held = await readHeld(context);
      since = await readSince(options, held);
      const dead = deadVersions(held, { newBinary: session.isNewBinary });
      await setAside(options, { dead, since });
      session.isNewBinary = false;
    }).catch(() => undefined); // without a readable record nothing is removed
    await emptyTrash(options, since);
  }

  async function stage<T extends Wanted>(
    asked: unknown,
    request: Requested<T>,
    way: StagingWay<T>,
  ): Promise<StageResult> {
    if (!request.ok) {
      const { code, message } = request.error;
      return { ok: false, code, detail: message };
    }
    session.stagings++;
    session.verifying?.abort();
    try {
      return await stagingTurns.take(async () => {
        const { value } = request;
        const refused = await requireTrusted(context, asked, value).catch(stageFailure);
        return refused ?? await stageRequested(value, way);
      });
    } finally {
      session.stagings--;
      if (session.stagings === 0) session.busy = [];
    }
  }

  async function makeRoomUntil(
    fits: () => Promise<boolean>,
    { kept, alone }: Pick<RoomRequest, "kept" | "alone">,
  ): Promise<void> {
    const held = await readHeld(context);
    const dead = deadVersions(held, { forRoom: true });
    await makeRoom(options, { dead, kept, stagingId: session.stagingId, fits, alone });
  }

  async function stageRequested<T extends BundleVersion>(
    request: T,
    { run, basesOf }: StagingWay<T>,
  ): Promise<StageResult> {
    const { name, version } = request;
    const allowed = await isAllowed(context, request).catch(stageFailure);
    if (typeof allowed === "object") return allowed;
    if (!allowed) {
      return { ok: false, code: "quarantined", detail: `${name} ${version} failed to boot before` };
    }
    const busyWith = (bases: readonly string[]) =>
      [...new Set([version, ...bases])].map((one) => `${name}@${one}`);
    session.busy = busyWith(basesOf(request));
    await sweep();
    const { embedded, signal, stallMs = 30_000 } = options;
    const id = session.stagingId = processId(options);
    const staged = await run({
      ...options,
      stallMs,
      ...(embedded !== undefined && { embedded }),
      ...(signal && { signal }),
      isInUse: () => isInUse(context, request),
      id,
      alone: change,
      makeRoom({ spared, kept, fits }) {
        session.busy = busyWith(spared);
        return makeRoomUntil(fits, { kept, alone: change });
      },
      onProgress(progress) {
        for (const listener of [...listeners]) listener(progress);
      },
    }, request);
    session.stagingId = null;
    if (staged.ok) session.fresh.set(name, version);
    return staged;
  }
}

/** One of the two ways of staging a request. */
interface StagingWay<T> {
  readonly run: (dependencies: StageDependencies, request: T) => Promise<StageResult>;
  /** Versions that it may copy from. */
  readonly basesOf: (request: T) => readonly string[];
}

/** Returns the accepted request. Throws the refusal, for operations that answer nothing else. */
function granted<T>(request: Requested<T>): T {
  if (!request.ok) throw new StageError(request.error.code, request.error.message);
  return request.value;
}

/**
 * Runs an operation without an answer; a refusal of the disk is thrown with a code of staging
 * (NAT-5).
 */
async function settle(operation: () => Promise<void>): Promise<void> {
  try {
    await operation();
  } catch (thrown) {
    if (!(thrown instanceof FileError)) throw thrown;
    const { code, detail } = stageFailure(thrown);
    throw new StageError(code, detail, thrown);
  }
}
