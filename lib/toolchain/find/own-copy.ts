import { err, type Result } from "../../core/result.ts";
import { readReceipt } from "../installed/receipt.ts";
import { entryDamage } from "../installed/records.ts";
import { isBrokenOff } from "../installed/swap.ts";
import { inspectPackage } from "../installed/verify.ts";
import type { ToolDescriptor } from "../tools/descriptor.ts";
import type { ToolId } from "../tools/ids.ts";
import { packageOf } from "../tools/tools.ts";
import { isProvided } from "./android-sdk.ts";
import type { Candidate } from "./candidates.ts";
import { type Rejected, rejected, type ValidateContext } from "./validation.ts";

// The editor's own copy of a tool, judged by the receipt of its installation.

/** Refuses a copy that is not as it was installed; `null` where nothing says so. */
export async function damagedOwn(
  candidate: Candidate,
  descriptor: ToolDescriptor,
  context: ValidateContext,
): Promise<Result<never, Rejected> | null> {
  const damage = await ownDamage(candidate, descriptor, context);
  return damage === null ? null : damagedCopy(descriptor.id, damage, context);
}

/** Returns why the editor's own copy cannot be used, and whether a new installation would help. */
export async function explainOwn(
  failure: Rejected,
  { id, kind, provision }: ToolDescriptor,
  context: ValidateContext,
): Promise<Result<never, Rejected>> {
  if (provision.kind === "guide") return err(failure);
  const receipt = await readReceipt(provision.package, context.folder);
  if (receipt === null) return err(failure);
  const { lacks } = failure;
  // The editor reinstalls what it installed; parts that users add are not its own.
  if (lacks !== undefined) {
    return err(lacks.some(isProvided) ? { ...failure, damaged: true } : failure);
  }
  // The programs are as they were installed; that they do not start may be another file's fault.
  const [damage] = await inspectPackage({ id: provision.package }, receipt, {
    ...context,
    deep: false,
  });
  if (damage !== undefined) return damagedCopy(id, damage.text, context);
  // As it was installed, and of no use here: another copy of a folder would be none either.
  return err(kind === "directory" ? { ...failure, remedy: { kind: "guide" } } : failure);
}

/** Finds damage of the editor's own copy, by the receipt of its installation. */
async function ownDamage(
  { out }: Candidate,
  descriptor: ToolDescriptor,
  context: ValidateContext,
): Promise<string | null> {
  const known = packageOf(descriptor.id);
  if (known === null) return null;
  for (const before of known.before ?? []) {
    const receipt = await readReceipt(before, context.folder);
    const damage = receipt === null ? null : await entryDamage(receipt, context);
    if (damage !== null) return damage;
  }
  const receipt = await readReceipt(known.id, context.folder);
  if (receipt !== null) {
    return await entryDamage(receipt, context) ??
      (out?.kind === "nothing" ? out.reason : null);
  }
  // Without a receipt it may be the user's own doing, or the half of an installation.
  return (await isBrokenOff(known.id, context.folder)) ? "its installation broke off" : null;
}

function damagedCopy(
  id: ToolId,
  damage: string,
  { host }: ValidateContext,
): Result<never, Rejected> {
  return rejected(`damaged: ${damage}; '${host.cli} toolchain repair ${id}' fixes it`, {
    damaged: true,
  });
}
