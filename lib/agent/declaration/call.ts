import { runCooperatively, type Work } from "../../core/cooperative.ts";
import { fault, type Problem, problem } from "../../core/problem.ts";
import { unlessAborted } from "../../core/shared-work.ts";
import { type Payload, payloadWork, toPayload } from "../answer/budget.ts";
import type { Services } from "./services.ts";
import type { Attachment, CallContext, PreparedCall, Summary, Tool } from "./tool.ts";

/** Options of a call in addition to its arguments. */
export interface CallOptions {
  /** Characters of the answer (see `capFrom`). */
  readonly cap: number;
  /** Aborted when the caller no longer waits for the answer. */
  readonly signal?: AbortSignal | undefined;
  /** Receives the progress of long work, if the caller asked for it. */
  readonly progress?: CallContext["progress"] | undefined;
  /** Monotonic clock in milliseconds, by which a long answer yields the thread. */
  readonly now?: (() => number) | undefined;
}

/** The answer to a call; a problem's text is the problem as JSON. */
export type Answer =
  | ({
    readonly ok: true;
    /** Attachments, outside the cap; over HTTP, the payload contains their URLs. */
    readonly attachments?: readonly Attachment[];
  } & Payload)
  | ({ readonly ok: false; readonly status: Problem["status"] } & Payload);

/**
 * Calls a tool: parses the arguments, runs the producer, summarizes, applies the budget. Never
 * throws.
 */
export async function callTool(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  services: Services,
  { cap, signal, progress = () => {}, now = () => performance.now() }: CallOptions,
): Promise<Answer> {
  const context: CallContext = { signal: signal ?? new AbortController().signal, progress };
  try {
    const call = tool.prepare(args);
    if (!call.ok) return problemAnswer(call.error, cap);
    // A call that was cancelled before it started does not start.
    signal?.throwIfAborted();
    const produced = await unlessAborted(call.value.produce(services, context), signal);
    if (!produced.ok) return problemAnswer(produced.error, cap);
    return await runCooperatively(answerWork(produced.value, call.value, cap), { now, signal });
  } catch (thrown) {
    return problemAnswer(signal?.aborted ? answerCancelled(tool) : fault(thrown), cap);
  }
}

function* answerWork(
  produced: Summary,
  { precision, narrowing }: PreparedCall,
  cap: number,
): Work<Answer> {
  const summary = yield* produced.summarize();
  if (!summary.ok) return problemAnswer(summary.error, cap);
  const payload = yield* payloadWork(summary.value, { cap, precision, narrowing });
  const { attachments } = produced;
  return { ok: true, ...payload, ...(attachments.length > 0 && { attachments }) };
}

/** Returns a problem as an answer, capped like any other (BUDGET-3). */
export function problemAnswer(why: Problem, cap: number): Answer & { readonly ok: false } {
  const { status, code } = why;
  const narrowing = { drillDown: [], limit: false, full: false, subject: `${status} ${code}` };
  return { ok: false, status, ...toPayload(why.body ?? why, { cap, narrowing }) };
}

/** Answers a call whose caller has disconnected. */
export function answerCancelled({ name }: Pick<Tool, "name">): Problem {
  return problem(
    409,
    "cancelled",
    `The call of ${name} was cancelled before it was answered`,
    "Call it again for an answer",
  );
}
