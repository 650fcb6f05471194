import { messageOf, type Result } from "../../core/result.ts";
import type { ToolDescriptor } from "../tools/descriptor.ts";
import type { AbsentTool, Detection, TriedCandidate } from "../tools/types.ts";
import { type Candidate, candidatesOf } from "./candidates.ts";
import { missedBy } from "./near-miss.ts";
import { missingLibraries, needsLibraries } from "./libraries.ts";
import { damagedOwn, explainOwn } from "./own-copy.ts";
import { pinFor, type PolicyFacts, refusesSystem } from "./policy.ts";
import { validateBinary, validateDirectory } from "./validate.ts";
import { type Rejected, rejected, type ValidateContext, type Validated } from "./validation.ts";

/** Dependencies of a detection. */
export interface DetectContext extends ValidateContext {
  readonly facts: PolicyFacts;
}

/**
 * Finds a tool (FIND-4): candidates in order, policy, probe. The first that works is
 * taken. Never throws; every candidate that was tried is in the search log with the reason.
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
      const checked = await judge(candidate, descriptor, context);
      const reason = checked.ok ? checked.value.reason : checked.error.message;
      tried.push({ path, source, reason });
      const isFolder = kind === "directory" && candidate.isProgram !== true;
      if (isFolder && out === undefined) lookedInto.push(path);
      const base = { id, kind, tried, ...(lookedInto.length > 0 && { lookedInto }) };
      if (checked.ok) {
        const { version, home = path } = checked.value;
        const found = { ...base, present: true, source, path: home } as const;
        return version === undefined ? found : { ...found, version };
      }
      const line = `${path}: ${reason}`;
      if (out?.kind !== "nothing") telling ??= line;
      nearest = nearer(nearest, { ...checked.error, reason: line });
    }
  } catch (thrown) {
    telling ??= `the search broke off: ${messageOf(thrown)}`;
  }
  const absent: AbsentTool = {
    ...{ id, kind, tried, present: false, systemRefused },
    ...(lookedInto.length > 0 && { lookedInto }),
    reason: telling ?? "not found",
    ...nearest,
  };
  const lacking = await missingLibraries(pinFor(descriptor, context), context);
  if (lacking.length === 0) return absent;
  const why = `the one that could be installed ${needsLibraries(lacking)}`;
  return { ...absent, reason: `${absent.reason}; ${why}`, remedy: { kind: "guide" } };
}

/** The copy that lacks least to be the tool, which explains an absent one. */
type Nearest = Pick<AbsentTool, "reason" | "damaged" | "lacks" | "remedy">;

/** Returns the copy that lacks less; the earlier one if they are equal. */
function nearer(known: Nearest | null, other: Nearest): Nearest | null {
  const { reason, damaged, lacks, remedy } = other;
  if (damaged === undefined && lacks === undefined && remedy === undefined) return known;
  const less = known === null || (lacks ?? []).length < (known.lacks ?? []).length;
  return less
    ? { reason, ...(damaged && { damaged }), ...(lacks && { lacks }), ...(remedy && { remedy }) }
    : known;
}

/** Whether a candidate is the tool; of the editor's own copy also by how it was installed. */
async function judge(
  candidate: Candidate,
  descriptor: ToolDescriptor,
  context: DetectContext,
): Promise<Result<Validated, Rejected>> {
  const { source, out } = candidate;
  const isOwn = source === "own";
  const damaged = isOwn ? await damagedOwn(candidate, descriptor, context) : null;
  if (damaged !== null) return damaged;
  const missed = await missedBy(candidate, descriptor, context);
  if (missed !== null) return missed;
  if (out !== undefined) {
    // Nothing of ours would set right what is broken there.
    return rejected(
      out.reason,
      isOwn && out.kind === "broken" ? { remedy: { kind: "guide" } } : {},
    );
  }
  const checked = descriptor.kind === "binary"
    ? await validateBinary(candidate, descriptor, context)
    : await validateDirectory(candidate, descriptor, context);
  return checked.ok || !isOwn ? checked : await explainOwn(checked.error, descriptor, context);
}
