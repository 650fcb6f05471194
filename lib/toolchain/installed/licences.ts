import { encodeUtf8 } from "../../core/bytes.ts";
import { parseJson } from "../../core/json-text.ts";
import { isRecord } from "../../core/json.ts";
import type { AcceptedLicence, Licence } from "../tools/licences.ts";
import type { ToolchainFolder } from "../work/folder.ts";
import {
  type HeldLock,
  type LockContext,
  ownerOf,
  takeLock,
  takeOverLock,
  watchOwner,
} from "./lock.ts";

// Which licences were accepted is recorded: id, hash, address, who, when (INST-9).

const FILE = "licences.json";
const MAX_BYTES = 256 * 1024;

/** Licences that were accepted in this toolchain folder; none if that is unreadable. Never throws. */
export async function acceptedLicences(folder: ToolchainFolder): Promise<AcceptedLicence[]> {
  const value = await recorded(folder);
  if (!isRecord(value) || !Array.isArray(value["accepted"])) return [];
  return value["accepted"].flatMap((entry: unknown) => {
    if (!isRecord(entry)) return [];
    const { id, hash, url, by, at } = entry;
    return typeof id === "string" && typeof hash === "string" && typeof by === "string" &&
        typeof at === "string"
      ? [{ id, hash, ...(typeof url === "string" && { url }), by, at }]
      : [];
  });
}

/** Records that licences were accepted; one that is recorded stays as it is. @throws {FileError} */
export async function recordLicences(
  licences: readonly Licence[],
  context: LockContext,
): Promise<void> {
  if (unrecorded(licences, await acceptedLicences(context.folder)).length === 0) return;
  await context.folder.files.makeDirectory(context.folder.root);
  const turn = await takeTurn(context);
  try {
    await append(licences, context);
  } finally {
    await turn.release();
  }
}

function unrecorded(
  licences: readonly Licence[],
  accepted: readonly AcceptedLicence[],
): readonly Licence[] {
  return licences.filter(({ id, hash }) =>
    !accepted.some((each) => each.id === id && each.hash === hash)
  );
}

async function append(licences: readonly Licence[], context: LockContext): Promise<void> {
  const accepted = await acceptedLicences(context.folder);
  const { host, clock, folder } = context;
  const fresh = unrecorded(licences, accepted)
    .map(({ id, hash, url }) => ({
      id,
      hash,
      url,
      by: host.user,
      at: new Date(clock.now()).toISOString(),
    }));
  if (fresh.length === 0) return;
  const text = `${JSON.stringify({ schema: 1, accepted: [...accepted, ...fresh] }, null, 2)}\n`;
  await folder.files.writeAtomic(folder.at(FILE), encodeUtf8(text));
}

const LOCK = "licences";
const TURN_MS = 20;

/** Serializes the records: packages that are installed concurrently must not lose each other's. */
async function takeTurn(context: LockContext): Promise<HeldLock> {
  for (;;) {
    const taken = await takeLock(LOCK, context);
    if ("release" in taken) return taken;
    const isDead = watchOwner(LOCK, taken, context);
    while ((await ownerOf(LOCK, context))?.token === taken.token) {
      const lock = (await isDead()) ? await takeOverLock(LOCK, taken, context) : null;
      if (lock !== null) return lock;
      await context.clock.sleep(TURN_MS);
    }
  }
}

async function recorded(folder: ToolchainFolder): Promise<unknown> {
  try {
    return parseJson(await folder.files.read(folder.at(FILE), MAX_BYTES));
  } catch {
    return null; // unreadable: it is written again
  }
}
