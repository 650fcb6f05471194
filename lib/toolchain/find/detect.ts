import { err, messageOf, type Result } from "../../core/result.ts";
import { isNetworkPath } from "../../programs/mod.ts";
import { readReceipt } from "../installed/receipt.ts";
import { entryDamage } from "../installed/records.ts";
import { isBrokenOff } from "../installed/swap.ts";
import { inspectPackage } from "../installed/verify.ts";
import type { DirectoryDescriptor, ToolDescriptor } from "../tools/descriptor.ts";
import type { ToolId } from "../tools/ids.ts";
import { PACKAGES } from "../tools/tools.ts";
import type { AbsentTool, Detection, TriedCandidate } from "../tools/types.ts";
import { isProvided } from "./android-sdk.ts";
import { type Candidate, candidatesOf, hasMarker } from "./candidates.ts";
import { validateNamedJava } from "./java-home.ts";
import { type PolicyFacts, refusesSystem } from "./policy.ts";
import { checkMarker, validateBinary, validateDirectory } from "./validate.ts";
import { type Rejected, rejected, type ValidateContext, type Validated } from "./validation.ts";

/** What a detection needs to know. */
export interface DetectContext extends ValidateContext {
  readonly facts: PolicyFacts;
}

/**
 * Finds a tool (FIND-4): candidates in order, policy, probe. The first that works is
 * taken. Never throws; every candidate that was tried is in the trail with the reason.
 */
export async function detectTool(
  descriptor: ToolDescriptor,
  context: DetectContext,
): Promise<Detection> {
  const { id, kind } = descriptor;
  const tried: TriedCandidate[] = [];
  const lookedInto: string[] = [];
  let telling: string | null = null;
  let nearest: Nearest | null = null;
  const systemRefused = refusesSystem(descriptor, context.facts, context);
  try {
    for await (const candidate of candidatesOf(descriptor, context)) {
      context.signal?.throwIfAborted();
      const { path, source, out } = candidate;
      const damage = source === "own" ? await ownDamage(candidate, descriptor, context) : null;
      const checked = damage !== null
        ? damagedCopy(id, damage, context)
        : out !== undefined
        ? rejected(out.reason, ownRemedy(candidate))
        : await validate(candidate, descriptor, context);
      const reason = checked.ok ? checked.value.reason : checked.error.message;
      tried.push({ path, source, reason });
      if (kind === "directory" && out === undefined) lookedInto.push(path);
      const base = { id, kind, tried, ...(lookedInto.length > 0 && { lookedInto }) };
      if (checked.ok) {
        const { version } = checked.value;
        const found = { ...base, present: true, source, path } as const;
        return version === undefined ? found : { ...found, version };
      }
      const told = `${path}: ${reason}`;
      if (out?.kind !== "nothing") telling ??= told;
      nearest = nearer(nearest, { ...checked.error, reason: told });
    }
  } catch (thrown) {
    telling ??= `the search broke off: ${messageOf(thrown)}`;
  }
  return {
    ...{ id, kind, tried, present: false, systemRefused },
    ...(lookedInto.length > 0 && { lookedInto }),
    reason: telling ?? "not found",
    ...nearest,
  };
}

/** The copy that lacks least to be the tool, and so what is told of an absent one. */
type Nearest = Pick<AbsentTool, "reason" | "damaged" | "lacks" | "remedy">;

/** Of two, the one that lacks less; the earlier one where both lack as much. */
function nearer(known: Nearest | null, other: Nearest): Nearest | null {
  const { reason, damaged, lacks, remedy } = other;
  if (damaged === undefined && lacks === undefined && remedy === undefined) return known;
  const less = known === null || (lacks ?? []).length < (known.lacks ?? []).length;
  return less
    ? { reason, ...(damaged && { damaged }), ...(lacks && { lacks }), ...(remedy && { remedy }) }
    : known;
}

/**
 * Takes the folder that a project names itself (`user.sdk`): it satisfies the tool it points at when
 * it has the marker. The required version is not enforced: who names a folder has chosen it. A
 * folder without the marker is an error, never a reason to take another one.
 *
 * A project comes from anywhere, so nothing in that folder is run by looking: its version is what its
 * own files say, and absent where they say none. When a build was started its JDK has to run.
 *
 * @param context.runs Whether a build was.
 */
export async function detectOverride(
  path: string,
  descriptor: DirectoryDescriptor,
  context: DetectContext & { readonly runs: boolean },
): Promise<Detection> {
  const { id, kind } = descriptor;
  const checked = await validateOverride(path, descriptor, context);
  const base = { id, kind } as const;
  const tried = (reason: string) => [{ path, source: "override", reason }] as const;
  const found = { ...base, present: true, source: "override", path, lookedInto: [path] } as const;
  if (checked.ok) {
    const { version, reason } = checked.value;
    return { ...found, tried: tried(reason), ...(version !== undefined && { version }) };
  }
  const { message, lacks } = checked.error;
  const problem = { ...(lacks && { lacks }), remedy: { kind: "override" } } as const;
  // With its marker it is the tool that the project names; only a build with it cannot begin.
  const isTool = lacks !== undefined && hasMarker(path, descriptor, context);
  return isTool ? { ...found, tried: tried(message), ...problem } : {
    ...base,
    tried: tried(message),
    present: false,
    reason: pointingAt(id, path, message),
    systemRefused: false,
    ...problem,
  };
}

/** What is wrong with a folder that the project names, as a sentence part. */
export function pointingAt(id: ToolId, path: string, message: string): string {
  return `user.sdk.${id} in project.config.json points at ${path}: ${message}`;
}

/** What mends a copy of the editor's that nothing of ours would set right. */
function ownRemedy({ source, out }: Candidate): Pick<Rejected, "remedy"> {
  return source === "own" && out?.kind === "broken" ? { remedy: { kind: "guide" } } : {};
}

async function validate(
  candidate: Candidate,
  descriptor: ToolDescriptor,
  context: DetectContext,
): Promise<Result<Validated, Rejected>> {
  const checked = descriptor.kind === "binary"
    ? await validateBinary(candidate, descriptor, context)
    : await validateDirectory(candidate.path, descriptor, context);
  const { id, kind, provision } = descriptor;
  if (checked.ok || candidate.source !== "own" || provision.kind === "guide") return checked;
  const receipt = await readReceipt(provision.package, context.folder);
  if (receipt === null) return checked;
  const { lacks } = checked.error;
  // What the editor installed it installs again; what a user is to add beside it is not its part.
  if (lacks !== undefined) {
    return lacks.some(isProvided) ? err({ ...checked.error, damaged: true }) : checked;
  }
  // The programs are as they were installed; that they do not start may be another file's fault.
  const [damage] = await inspectPackage({ id: provision.package }, receipt, {
    ...context,
    deep: false,
  });
  if (damage !== undefined) return damagedCopy(id, damage.text, context);
  // As it was installed, and of no use here: another copy of a folder would be none either.
  return kind === "directory" ? err({ ...checked.error, remedy: { kind: "guide" } }) : checked;
}

function damagedCopy(id: ToolId, damage: string, { host }: DetectContext): Result<never, Rejected> {
  return rejected(`damaged: ${damage}; '${host.cli} toolchain repair ${id}' fixes it`, {
    damaged: true,
  });
}

/** What is wrong with the editor's own copy, by the receipt of its installation. */
async function ownDamage(
  { out, path }: Candidate,
  { provision }: ToolDescriptor,
  context: DetectContext,
): Promise<string | null> {
  if (provision.kind !== "install") return null;
  for (const before of PACKAGES[provision.package].before ?? []) {
    const receipt = await readReceipt(before, context.folder);
    const damage = receipt === null ? null : await entryDamage(receipt, context);
    if (damage !== null) return damage;
  }
  const { formerly } = provision;
  const isFormer = formerly !== undefined &&
    context.folder.paths.isWithin(path, context.folder.at(formerly));
  const id = isFormer ? formerly : provision.package;
  const receipt = await readReceipt(id, context.folder);
  if (receipt !== null) {
    return await entryDamage(receipt, context) ??
      (out?.kind === "nothing" ? out.reason : null);
  }
  // Without a receipt it may be the user's own doing, or the half of an installation.
  return (await isBrokenOff(id, context.folder)) ? "its installation broke off" : null;
}

async function validateOverride(
  path: string,
  descriptor: DirectoryDescriptor,
  context: DetectContext & { readonly runs: boolean },
): Promise<Result<Validated, Rejected>> {
  // Before anything is looked at: Windows logs in at the server of such a path.
  if (isNetworkPath(path)) return rejected("it is a path of a network");
  if (!context.folder.paths.isAbsolute(path)) {
    return rejected("it is not an absolute path");
  }
  if (descriptor.validate !== "java") return await validateDirectory(path, descriptor, context);
  const marked = await checkMarker(path, descriptor, context);
  return marked.ok ? await validateNamedJava(path, context) : marked;
}
