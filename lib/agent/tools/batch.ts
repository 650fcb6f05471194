import { z } from "zod";
import { runCooperatively, turnsBetween } from "../../core/cooperative.ts";
import { isRecord, type JsonObject } from "../../core/json.ts";
import { fault, type Problem, problem, refuse } from "../../core/problem.ts";
import { err, ok, type Result } from "../../core/result.ts";
import type { SceneEditing } from "../../editor/ports/mod.ts";
import { payloadWork } from "../answer/budget.ts";
import { answerCancelled } from "../declaration/call.ts";
import { unlessChanged } from "../scene/edits.ts";
import { jsonList, text } from "../declaration/parameters.ts";
import type { Services } from "../declaration/services.ts";
import { refuseMissing } from "../declaration/arguments.ts";
import { namedTool } from "../declaration/named-tool.ts";
import {
  type CallContext,
  defineTool,
  exclusively,
  type PreparedCall,
  type Tool,
} from "../declaration/tool.ts";

/** Clock by which long answers yield the thread. */
const now = () => performance.now();
/** Maximum calls of one batch. */
const MAX_CALLS = 100;
/** Maximum characters of a step's name, as for an entity's. */
const MAX_LABEL = 200;
/**
 * Maximum characters of all answers together; they must fit the cap with the envelope around them.
 */
const ANSWERS_CAP = 50_000;
/** Characters reserved for the answer of each remaining call: enough for an edit's. */
const ANSWER_RESERVE = 400;

/** The tools about tools, which a batch must not call. */
const TAKES_CALLS: readonly string[] = ["batch", "tools"];

/** A parsed call of a batch. */
interface Planned {
  readonly tool: Tool;
  readonly call: PreparedCall;
}

/** The outcome of a batch. */
interface Batched {
  /** The answers in order, all of them within the cap. */
  readonly results: readonly unknown[];
  /** Present if the scene was edited. */
  readonly step?: { readonly rev: number; readonly undo?: number };
}

/**
 * `batch`: reading and editing calls in order, on scene, assets and settings. All edits become one
 * undo step; when a call is refused, all of them are undone.
 *
 * @param all The tools that a call may name.
 * @param withheld Tools that refuse every call with the reason.
 */
export function createBatch(all: readonly Tool[], withheld: readonly Tool[] = []): Tool {
  const batch = defineTool({
    name: "batch",
    route: "/api/batch",
    routeKind: "body",
    purpose: "Runs several reading and editing calls as one undo step, all or nothing",
    defaultShape: "answers in order; needs calls=",
    parameters: z.object({
      calls: jsonList("[{tool,args}], in order"),
      label: text("names the step of undo", { max: MAX_LABEL }),
    }),
    drillDown: { calls: "[{tool,args}]" },
    sizeWarning: "answers add up",
    annotations: {
      readOnlyHint: all.every(({ annotations }) => annotations.readOnlyHint === true),
      openWorldHint: false,
    },

    async produce(services, { calls, label = "Batch" }, context) {
      if (calls === undefined) {
        return refuseMissing("batch", "calls", 'calls=[{"tool":"list_traits","args":{}}]');
      }
      const plan = planOf(calls, all, withheld);
      if (!plan.ok) return plan;
      return plan.value.some(({ tool }) => tool.undoable)
        ? await exclusively(
          "batch",
          services,
          (inside) => inOneStep(plan.value, inside, { ...context, label }),
          { signal: context.signal },
        )
        : await inOrder(plan.value, services, context);
    },

    summarize({ step, results }) {
      const isIdle = step !== undefined && step.undo === undefined;
      return ok({ ok: true, ...step, ...unlessChanged(!isIdle), results });
    },
  });
  return {
    ...batch,
    prepare(args) {
      const call = batch.prepare(args);
      // Each answer has already been rounded with its own call's precision.
      return call.ok ? ok({ ...call.value, precision: 0 }) : call;
    },
  };
}

/** Parses every call before the first one runs. */
function planOf(
  calls: readonly JsonObject[],
  all: readonly Tool[],
  withheld: readonly Tool[],
): Result<readonly Planned[], Problem> {
  if (calls.length === 0 || calls.length > MAX_CALLS) {
    const detail = `Cannot run the batch: found ${calls.length} calls, expected 1 to ${MAX_CALLS}`;
    const next = calls.length === 0
      ? 'calls=[{"tool":"list_traits","args":{}}]'
      : "Split it into several batches";
    return refuse(400, "bad-argument", detail, next);
  }
  const plan: Planned[] = [];
  for (const [index, call] of calls.entries()) {
    const planned = plannedCall(call, all, withheld);
    if (!planned.ok) return err(inCall(planned.error, index, call["tool"]));
    plan.push(planned.value);
  }
  return ok(plan);
}

function plannedCall(
  { tool: name, args: given, ...rest }: JsonObject,
  all: readonly Tool[],
  withheld: readonly Tool[],
): Result<Planned, Problem> {
  const args = given ?? {};
  const [unknown] = Object.keys(rest);
  if (typeof name !== "string" || !isRecord(args) || unknown !== undefined) {
    const found = unknown === undefined ? "another shape" : JSON.stringify(unknown.slice(0, 80));
    return refuse(
      400,
      "bad-argument",
      `Found ${found}, expected {tool,args}`,
      'Write it as {"tool":"list_traits","args":{}}',
    );
  }
  if (TAKES_CALLS.includes(name)) {
    return refuse(
      422,
      "not-in-a-batch",
      `${name} makes calls itself, which a batch cannot hold`,
      "Put those calls straight into calls=",
    );
  }
  const tool = namedTool([...all, ...withheld], name);
  if (!tool.ok) return tool;
  const { undoable, annotations } = tool.value;
  // A withheld tool gives its own reason, as it does when called alone.
  if (!undoable && annotations.readOnlyHint !== true && !withheld.includes(tool.value)) {
    return refuse(
      422,
      "not-in-a-batch",
      `${name} is neither read-only nor undoable`,
      "Call it by itself",
    );
  }
  const call = tool.value.prepare(args);
  return call.ok ? ok({ tool: tool.value, call: call.value }) : call;
}

/** How the calls run; `after` is called with each and may stop the batch. */
interface Running extends CallContext {
  readonly after?: (index: number, tool: Tool) => Problem | null;
}

/** Runs the calls one after another; stops at the first refusal. */
async function inOrder(
  plan: readonly Planned[],
  services: Services,
  { signal, progress, after }: Running,
): Promise<Result<Batched, Problem>> {
  const results: unknown[] = [];
  let left = ANSWERS_CAP;
  const othersTurn = turnsBetween(now);
  for (const [index, { tool, call }] of plan.entries()) {
    await othersTurn();
    // The caller has disconnected and would not see the rest: as after a refusal, everything is
    // undone.
    if (signal.aborted) return err(answerCancelled({ name: "batch" }));
    const summary = await summaryOf(call, services, signal);
    const ended = after?.(index, tool) ?? null;
    if (ended !== null) return err(ended);
    if (!summary.ok) return err(inCall(summary.error, index, tool.name));
    const { precision, narrowing } = call;
    // Space that edits leave unused is available to a reading call among them.
    const cap = left - ANSWER_RESERVE * (plan.length - index - 1);
    // The signal is checked before the next call, which then undoes this one.
    const { text, format } = await runCooperatively(
      payloadWork(summary.value, { cap, precision, narrowing }),
      { now },
    );
    left -= text.length;
    const answer: unknown = format === "json" ? JSON.parse(text) : text;
    results.push(answer);
    progress(index + 1, plan.length, tool.name);
  }
  return ok({ results });
}

/** Returns the answer of a call. Work that throws, as it does when aborted, becomes a refusal. */
async function summaryOf(
  call: PreparedCall,
  services: Services,
  signal: AbortSignal,
): Promise<Result<unknown, Problem>> {
  try {
    const produced = await call.produce(services, { signal, progress: () => {} });
    if (!produced.ok) return produced;
    return await runCooperatively(produced.value.summarize(), { now, signal });
  } catch (thrown) {
    return err(signal.aborted ? answerCancelled({ name: "batch" }) : fault(thrown));
  }
}

/** Runs the calls; joins their edits into one undo step, or undoes them. */
async function inOneStep(
  plan: readonly Planned[],
  services: Services,
  context: CallContext & { readonly label: string },
): Promise<Result<Batched, Problem>> {
  const { editing } = services.editor;
  if (editing?.joinSteps === undefined || editing.takeBackSteps === undefined) {
    return refuse(
      503,
      "no-transactions",
      "This editor cannot join edits to one step of undo",
      "Make the calls one by one",
    );
  }
  const first = lastStep(editing);
  let last = first;
  let made = 0;
  const done = await inOrder(plan, services, {
    ...context,
    after(index, tool) {
      const steps = stepsAfter(editing, last);
      last = lastStep(editing);
      made += steps;
      // Another caller's step among these can be neither joined nor undone.
      return steps > (tool.undoable ? 1 : 0) ? interrupted(index + 1) : null;
    },
  });
  if (!done.ok) {
    if (done.error.code === INTERRUPTED) return done;
    const back = await takeBack(editing, { first, made });
    return back === null ? done : err(back);
  }
  const undo = editing.joinSteps(first, context.label);
  const { rev } = await services.editor.sceneState();
  return ok({
    results: done.value.results.map(withoutStep),
    step: { rev, ...(undo !== null && { undo }) },
  });
}

/**
 * Removes the step of a single call, which is now a part of the batch's step and cannot be undone
 * alone.
 */
function withoutStep(answer: unknown): unknown {
  if (!isRecord(answer) || typeof answer["undo"] !== "number") return answer;
  const { undo: _undo, ...rest } = answer;
  return rest;
}

/** Undoes the edits of a refused batch. @returns Why it could not, or `null` when done. */
async function takeBack(
  editing: SceneEditing,
  { first, made }: { readonly first: number | null; readonly made: number },
): Promise<Problem | null> {
  const next = "Look at get_history and at the files, and repair them by hand";
  // Old steps are dropped when the files that they keep become too large.
  const lost = made - stepsAfter(editing, first);
  const back = await editing.takeBackSteps?.(first) ?? ok(null);
  if (back.ok && lost <= 0) return null;
  const why = back.ok ? `${lost} of its steps are beyond what undo keeps` : back.error.detail;
  const stays = back.ok ? "part of it stays" : "its earlier edits stay";
  return problem(
    409,
    "not-taken-back",
    `A call of the batch was refused and ${stays}: ${why}`,
    next,
  );
}

const INTERRUPTED = "interrupted";

function interrupted(calls: number): Problem {
  return problem(
    409,
    INTERRUPTED,
    `Somebody else edited the scene after ${calls} calls of the batch; these stay, the rest did not run`,
    "Look at get_history, then run the rest",
  );
}

function lastStep(editing: SceneEditing): number | null {
  return editing.history().undo.at(-1)?.id ?? null;
}

function stepsAfter(editing: SceneEditing, step: number | null): number {
  return editing.history().undo.filter(({ id }) => id > (step ?? 0)).length;
}

/** Returns the problem of one call of a batch. */
function inCall(why: Problem, index: number, tool: unknown): Problem {
  const named = typeof tool === "string" ? ` (${tool.slice(0, 80)})` : "";
  return {
    ...why,
    detail: `Call ${index} of the batch${named}: ${why.detail}`,
    ...(why.body !== undefined && { body: { ...why.body, call: index } }),
  };
}
