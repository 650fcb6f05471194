import { Turns } from "../core/turns.ts";
import { FileError } from "../core/file-error.ts";
import { own } from "../core/json.ts";
import type { NativeUpdater, StageResult } from "../ota-format/mod.ts";
import { activate, type BootTarget, revert } from "./boot.ts";
import type { DeviceOptions, Session } from "./context.ts";
import { versionFolder } from "./folders.ts";
import { acceptedSequences, getState, isStaged, readEmbedded, readManifest } from "./held.ts";
import { confirmBoot, launch, type LaunchRequest, type LaunchResult } from "./launch.ts";
import { lockOwners } from "./processes.ts";
import { guardRejected, noteMandatory, openRecords } from "./records.ts";
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
import {
  changeRecords,
  type DeviceOperations,
  makeRoomUntil,
  stageRequested,
  sweepUnneeded,
} from "./stage-request.ts";
import { StageError, stageFailure } from "./transfer.ts";
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
  const context: DeviceOperations = {
    options,
    records: openRecords({
      ...options,
      nextOwner: lockOwners(options),
      makeRoom: (fits) =>
        makeRoomUntil(context, fits, { kept: new Set(), alone: (work) => work() }),
    }),
    session: newSession(),
    turns: new Turns(),
    stagingTurns: new Turns(),
    listeners: new Set(),
  };
  const { listeners, records, turns } = context;

  return {
    launch: (request) => turns.take(() => launch(context, request)),

    async confirmLaunch({ name }) {
      const { launches } = await turns.take(() => records.readLaunches());
      const launched = own(launches, name);
      if (launched !== undefined) await confirm(context, { name, token: launched.token });
    },

    confirmBoot: (request) => settle(() => confirm(context, granted(readConfirmBoot(request)))),
    activate: (request) => turns.take(() => activateStaged(context, request)),
    revert: (request) => settle(() => revertTo(context, request)),
    getState: () => turns.take(() => getState(context)),
    acceptSequence: (request) => settle(() => accept(context, request)),

    // DEV-14: a delta builds on the files of this device, not on a server's description of them
    async readManifest(request) {
      const asked = readVersionRequest(request, { mayBeEmbedded: true });
      const { name, version } = asked.ok ? asked.value : { name: "", version: "" };
      return {
        manifest: asked.ok ? await readManifest(context, name, version) : null,
      };
    },

    stageUpdate: (request) =>
      stageRequested(context, request, readStageUpdate(request), {
        run: stageZip,
        basesOf: () => [],
      }),
    stageUpdateDelta: (request) =>
      stageRequested(context, request, readStageUpdateDelta(request), {
        run: stageDelta,
        basesOf: ({ base, copy }) => [base, ...copy.map((one) => one.base ?? base)],
      }),

    addListener(_event, listener) {
      listeners.add(listener);
      return Promise.resolve({ remove: () => Promise.resolve(void listeners.delete(listener)) });
    },

    folderOf: (name, target) =>
      target.kind === "version"
        ? versionFolder(options.root, name, target.version)
        : options.embedded ?? null,
  };
}

/** Creates the state of a process that has just started. */
function newSession(): Session {
  return {
    launch: null,
    served: new Set(),
    unrecorded: new Set(),
    waived: new Set(),
    stagings: 0,
    verifying: null,
    stagingId: null,
    busy: [],
    fresh: new Map(),
    isNewBinary: false,
    embedded: null,
  };
}

/** Activates a staged version; the caller has the turn. */
async function activateStaged(context: DeviceOperations, request: unknown): Promise<StageResult> {
  const { options, records, session } = context;
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
    session.waived.delete(name);
    return { ok: true };
  } catch (thrown) {
    return stageFailure(thrown);
  }
}

/** Reverts to the version before, or to the embedded one. */
async function revertTo(context: DeviceOperations, request: unknown): Promise<void> {
  const { records } = context;
  const { name, ...how } = granted(readRevert(request));
  await changeRecords(context, async (writer) => {
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
}

/** Raises the minimum accepted sequence of a channel. */
async function accept(context: DeviceOperations, request: unknown): Promise<void> {
  const { options, records, session } = context;
  const { app, channel, sequence } = granted(readAcceptSequence(request));
  await changeRecords(context, async (writer) => {
    await requireTrustedSequence(context, request, { app, channel, sequence });
    const guard = await records.readGuard();
    const accepted = acceptedSequences(await readEmbedded(options, session), guard);
    const line = `${app}/${channel}`;
    granted(checkLeap(sequence, own(accepted, line) ?? 0));
    if (sequence <= (own(guard.sequence, line) ?? 0)) return await records.ensureDurable();
    await writer.writeGuard({ ...guard, sequence: { ...guard.sequence, [line]: sequence } });
  });
}

/** Confirms a launch, then removes what is unneeded and checks the files of the served version. */
async function confirm(
  context: DeviceOperations,
  asked: { readonly name: string; readonly token: string },
): Promise<void> {
  const { records, session, stagingTurns, turns } = context;
  const isBooted = await turns.take(async () =>
    session.unrecorded.has(asked.name) ||
    await records.change((writer) => confirmBoot(context, writer, asked))
  );
  // A staging that runs has swept before it began, and its own folder is in the way.
  if (!isBooted || session.stagings > 0) return;
  await stagingTurns.take(async () => {
    await sweepUnneeded(context);
    await verifyServed(context, asked, (work) => changeRecords(context, work));
  });
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
