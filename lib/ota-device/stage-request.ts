import type { Turns } from "../core/turns.ts";
import {
  type BundleVersion,
  deadVersions,
  type OtaProgress,
  type StageResult,
} from "../ota-format/mod.ts";
import type { DeviceContext } from "./context.ts";
import { isAllowed, isInUse, readHeld, readSince } from "./held.ts";
import { processId } from "./processes.ts";
import type { RecordWriter } from "./records.ts";
import type { Requested } from "./requests.ts";
import { requireTrusted } from "./require-trusted.ts";
import type { StageDependencies } from "./staging.ts";
import { emptyTrash, makeRoom, type RoomRequest, setAside } from "./sweep.ts";
import { stageFailure } from "./transfer.ts";
import type { Wanted } from "./trusted.ts";

/** Values that the operations of one device share. */
export interface DeviceOperations extends DeviceContext {
  /** Operations that read or change records, one after another. */
  readonly turns: Turns;
  /** Stagings, one after another; apart, because a boot is confirmed while a download runs (DEV-15). */
  readonly stagingTurns: Turns;
  /** Listeners to the progress of stagings. */
  readonly listeners: Set<(progress: OtaProgress) => void>;
}

/** One of the two ways of staging a request. */
interface StagingWay<T> {
  readonly run: (dependencies: StageDependencies, request: T) => Promise<StageResult>;
  /** Versions that it may copy from. */
  readonly basesOf: (request: T) => readonly string[];
}

/** Changes records, in a turn and while no other process changes any. */
export function changeRecords<T>(
  { records, turns }: DeviceOperations,
  work: (writer: RecordWriter) => Promise<T>,
): Promise<T> {
  return turns.take(() => records.change(work));
}

/**
 * Removes everything unneeded; a launch waits for the renames, not for the deletions (DEV-23).
 */
export async function sweepUnneeded(context: DeviceOperations): Promise<void> {
  const { options, session } = context;
  let since = await readSince(options, { state: null });
  await changeRecords(context, async () => {
    const held = await readHeld(context);
    since = await readSince(options, held);
    const dead = deadVersions(held, { newBinary: session.isNewBinary });
    await setAside(options, { dead, since });
    session.isNewBinary = false;
  }).catch(() => undefined); // without readable records nothing is removed
  await emptyTrash(options, since);
}

/** Removes unneeded versions until the needed bytes fit, or none is left. */
export async function makeRoomUntil(
  context: DeviceContext,
  fits: () => Promise<boolean>,
  { kept, alone }: Pick<RoomRequest, "kept" | "alone">,
): Promise<void> {
  const { options, session } = context;
  const held = await readHeld(context);
  const dead = deadVersions(held, { forRoom: true });
  await makeRoom(options, { dead, kept, stagingId: session.stagingId, fits, alone });
}

/** Stages a requested version, after all stagings that were requested before. */
export async function stageRequested<T extends Wanted>(
  context: DeviceOperations,
  asked: unknown,
  request: Requested<T>,
  way: StagingWay<T>,
): Promise<StageResult> {
  const { session, stagingTurns } = context;
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
      return refused ?? await stageTrusted(context, value, way);
    });
  } finally {
    session.stagings--;
    if (session.stagings === 0) session.busy = [];
  }
}

async function stageTrusted<T extends BundleVersion>(
  context: DeviceOperations,
  request: T,
  { run, basesOf }: StagingWay<T>,
): Promise<StageResult> {
  const { options, session, listeners } = context;
  const { name, version } = request;
  const allowed = await isAllowed(context, request).catch(stageFailure);
  if (typeof allowed === "object") return allowed;
  if (!allowed) {
    return { ok: false, code: "quarantined", detail: `${name} ${version} failed to boot before` };
  }
  const busyWith = (bases: readonly string[]) =>
    [...new Set([version, ...bases])].map((one) => `${name}@${one}`);
  session.busy = busyWith(basesOf(request));
  await sweepUnneeded(context);
  const { embedded, signal, stallMs = 30_000 } = options;
  const alone: StageDependencies["alone"] = (work) => changeRecords(context, work);
  const id = session.stagingId = processId(options);
  const staged = await run({
    ...options,
    stallMs,
    ...(embedded !== undefined && { embedded }),
    ...(signal && { signal }),
    isInUse: () => isInUse(context, request),
    id,
    alone,
    makeRoom({ spared, kept, fits }) {
      session.busy = busyWith(spared);
      return makeRoomUntil(context, fits, { kept, alone });
    },
    onProgress(progress) {
      for (const listener of [...listeners]) listener(progress);
    },
  }, request);
  session.stagingId = null;
  if (staged.ok) session.fresh.set(name, version);
  return staged;
}
