import { joinPath } from "../../programs/mod.ts";
import { decodeUtf8, encodeUtf8 } from "../../core/bytes.ts";
import { isRecord } from "../../core/json.ts";
import type { AcceptedLicence, Licence } from "../tools/licences.ts";
import {
  type HeldLock,
  inheritLock,
  type LockContext,
  ownerOf,
  takeLock,
  watchOwner,
} from "./lock.ts";

// Which licences were accepted is recorded: id, hash, address, who, when (INST-9).

const MAX_BYTES = 256 * 1024;

/** What was accepted in this toolchain folder; nothing where that cannot be read. Never throws. */
export async function acceptedLicences(
  context: Omit<LockContext, "clock">,
): Promise<AcceptedLicence[]> {
  const value = await recorded(context);
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
  if (unrecorded(licences, await acceptedLicences(context)).length === 0) return;
  await context.files.makeDirectory(context.toolchainDir);
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
  const accepted = await acceptedLicences(context);
  const { host, clock } = context;
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
  await context.files.writeAtomic(licencesFile(context), encodeUtf8(text));
}

const LOCK = "licences";
const TURN_MS = 20;

/** One after another: packages that are installed at once must not lose each other's record. */
async function takeTurn(context: LockContext): Promise<HeldLock> {
  for (;;) {
    const taken = await takeLock(LOCK, context);
    if ("release" in taken) return taken;
    const watch = watchOwner(LOCK, taken, context);
    while ((await ownerOf(LOCK, context))?.token === taken.token) {
      const heir = (await watch.isDead()) ? await inheritLock(LOCK, taken, context) : null;
      if (heir !== null) return heir;
      await context.clock.sleep(TURN_MS);
    }
  }
}

function licencesFile(
  { toolchainDir, host }: Pick<LockContext, "toolchainDir" | "host">,
): string {
  return joinPath(toolchainDir, "licences.json", host.platform);
}

async function recorded(context: Omit<LockContext, "clock">): Promise<unknown> {
  try {
    const bytes = await context.files.read(licencesFile(context), MAX_BYTES);
    const text = bytes === null ? null : decodeUtf8(bytes);
    return text === null ? null : JSON.parse(text);
  } catch {
    return null; // damaged, or not ours to read: it tells nothing, and is written anew
  }
}
