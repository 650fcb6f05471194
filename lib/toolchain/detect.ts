import { fail, messageOf, ok, type Result } from "../core/result.ts";
import { type Candidate, candidatesOf } from "./candidates.ts";
import type { DirectoryDescriptor, ToolDescriptor } from "./descriptor.ts";
import { isAbsolutePath, isNetworkPath, liesIn } from "./host-paths.ts";
import { inFolder, readReceipt } from "./install/receipt.ts";
import { entryDamage } from "./install/records.ts";
import { isBrokenOff } from "./install/swap.ts";
import { packagesBefore } from "./pins.ts";
import { type PolicyFacts, refusesSystem } from "./policy.ts";
import type { AbsentTool, Detection, TriedCandidate } from "./types.ts";
import {
  checkMarker,
  type Rejected,
  toldJavaVersion,
  validateBinary,
  type ValidateContext,
  type Validated,
  validateDirectory,
} from "./validate.ts";

/** What a detection needs to know. */
export interface DetectContext extends ValidateContext {
  readonly facts: PolicyFacts;
}

/**
 * Finds a tool (spec §4.8, rules 1 to 4): candidates in order, policy, probe. The first that works is
 * taken. Never throws; every candidate that was tried is in the trail with the reason.
 */
export async function detectTool(
  descriptor: ToolDescriptor,
  context: DetectContext,
): Promise<Detection> {
  const { id, kind } = descriptor;
  const tried: TriedCandidate[] = [];
  let telling: string | null = null;
  let damaged = false;
  const systemRefused = refusesSystem(descriptor, context.facts, context);
  try {
    for await (const candidate of candidatesOf(descriptor, context)) {
      context.signal?.throwIfAborted();
      const { path, source, out } = candidate;
      const damage = source === "own" ? await ownDamage(candidate, descriptor, context) : null;
      const checked = damage !== null
        ? fail(
          "rejected",
          `damaged: ${damage}; '${context.host.cli} toolchain repair ${id}' fixes it`,
        )
        : out !== undefined
        ? fail("rejected", out.reason)
        : await validate(candidate, descriptor, context);
      damaged ||= damage !== null;
      const reason = checked.ok ? checked.value.reason : checked.error.message;
      tried.push({ path, source, reason });
      if (checked.ok) {
        const { version } = checked.value;
        const found = { id, kind, tried, present: true, source, path } as const;
        return version === undefined ? found : { ...found, version };
      }
      if (damage !== null || out?.kind !== "nothing") telling ??= `${path}: ${reason}`;
    }
  } catch (thrown) {
    telling ??= `the search broke off: ${messageOf(thrown)}`;
  }
  const reason = telling ?? "not found";
  const absent = { id, kind, tried, present: false, reason, systemRefused } as const;
  return damaged ? { ...absent, damaged } : absent;
}

/**
 * Takes the folder that a project names itself (`user.sdk`): it satisfies the tool it points at when
 * it has the marker. The required version is not enforced: who names a folder has chosen it. A
 * folder without the marker is an error, never a reason to take another one.
 *
 * A project comes from anywhere, so nothing in that folder is run: its version is what its own files
 * say, and absent where they say none.
 */
export async function detectOverride(
  path: string,
  descriptor: DirectoryDescriptor,
  context: DetectContext,
): Promise<Detection> {
  const { id, kind } = descriptor;
  const checked = await validateOverride(path, descriptor, context);
  if (checked.ok) {
    const { version, reason } = checked.value;
    const tried = [{ path, source: "override", reason }] as const;
    const found = { id, kind, tried, present: true, source: "override", path } as const;
    return version === undefined ? found : { ...found, version };
  }
  const reason = checked.error.message;
  const absent: AbsentTool = {
    id,
    kind,
    tried: [{ path, source: "override", reason }],
    present: false,
    reason: `user.sdk names ${path}: ${reason}`,
    systemRefused: false,
  };
  return absent;
}

async function validate(
  candidate: Candidate,
  descriptor: ToolDescriptor,
  context: DetectContext,
): Promise<Result<Validated, Rejected>> {
  return descriptor.kind === "binary"
    ? await validateBinary(candidate, descriptor, context)
    : await validateDirectory(candidate.path, descriptor, context);
}

/** What is wrong with the editor's own copy, by the receipt of its installation. */
async function ownDamage(
  { out, path }: Candidate,
  { provision }: ToolDescriptor,
  context: DetectContext,
): Promise<string | null> {
  if (provision.kind !== "install") return null;
  for (const before of packagesBefore(provision.package)) {
    const receipt = await readReceipt(before, context);
    const damage = receipt === null ? null : await entryDamage(receipt, context);
    if (damage !== null) return damage;
  }
  const { formerly } = provision;
  const isFormer = formerly !== undefined &&
    liesIn(path, inFolder(formerly, context), context.host.platform);
  const id = isFormer ? formerly : provision.package;
  const receipt = await readReceipt(id, context);
  if (receipt !== null) return await entryDamage(receipt, context) ?? out?.reason ?? null;
  // Without a receipt it may be the user's own doing, or the half of an installation.
  return (await isBrokenOff(id, context)) ? "its installation broke off" : null;
}

async function validateOverride(
  path: string,
  descriptor: DirectoryDescriptor,
  context: DetectContext,
): Promise<Result<Validated, Rejected>> {
  // Before anything is looked at: Windows logs in at the server of such a path.
  if (isNetworkPath(path)) return fail("rejected", "it is a path of a network");
  if (!isAbsolutePath(path, context.host.platform)) {
    return fail("rejected", "it is not an absolute path");
  }
  if (descriptor.validate !== "java") return await validateDirectory(path, descriptor, context);
  const marked = checkMarker(path, descriptor, context);
  if (!marked.ok) return marked;
  const version = await toldJavaVersion(path, context);
  return ok(
    version === null
      ? { reason: "taken: the project names it (its version is not told without running it)" }
      : { version, reason: `taken: the project names it (JDK ${version})` },
  );
}
