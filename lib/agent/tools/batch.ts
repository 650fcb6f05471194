import { z } from "zod";
import { runCooperatively, turnsBetween } from "../../core/cooperative.ts";
import { isRecord, type JsonObject } from "../../core/json.ts";
import { fault, type Problem, problem, refuse } from "../../core/problem.ts";
import { err, ok, type Result } from "../../core/result.ts";
import type { SceneEditing } from "../../editor/ports/mod.ts";
import { payloadWork } from "../answer/budget.ts";
import { cancelled } from "../declaration/call.ts";
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

/** What long answers share the thread by. */
const now = () => performance.now();
/** Calls of one batch. */
const MAX_CALLS = 100;
/** Characters of a step's name; as many as an entity's may have. */
const MAX_LABEL = 200;
/** Characters of all answers together: with what stands around them they must fit the cap. */
const ANSWERS_CAP = 50_000;
/** Characters that are left for the answer of each call that is still to come: enough for an edit's. */
const ANSWER_RESERVE = 400;

/** The tools about tools: they are not among those that a batch may call. */
const TAKES_CALLS: readonly string[] = ["batch", "tools"];

/** One call of a batch, understood. */
interface Planned {
  readonly tool: Tool;
  readonly call: PreparedCall;
}

/** The outcome of a batch. */
interface Batched {
  /** The answers in order, all of them within the cap. */
  readonly results: readonly unknown[];
  /** Where the scene was edited. */
  readonly step?: { readonly rev: number; readonly undo?: number };
}

/**
 * `batch`: reading and editing calls in order, of scene, assets and settings. All edits are one step of undo; when a call is
 * refused, none of them stays.
 *
 * @param all The tools that a call may name.
 * @param withheld Those that refuse every call with the reason.
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
      // Each answer is rounded by itself, as its own call asks for.
      return call.ok ? ok({ ...call.value, precision: 0 }) : call;
    },
  };
}

/** Understands every call before the first one runs. */
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
  // One that is withheld says so itself: called alone it would be refused as well.
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

/** How the calls are run: told of each, one may end the batch. */
interface Running extends CallContext {
  readonly after?: (index: number, tool: Tool) => Problem | null;
}

/** Runs the calls one after another; the first refusal ends it. */
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
    // Nobody would hear of what the rest did: as after a refusal, nothing of it stays.
    if (signal.aborted) return err(cancelled({ name: "batch" }));
    const summary = await summaryOf(call, services, signal);
    const ended = after?.(index, tool) ?? null;
    if (ended !== null) return err(ended);
    if (!summary.ok) return err(inCall(summary.error, index, tool.name));
    const { precision, narrowing } = call;
    // What edits do not need is there for a reading call among them.
    const cap = left - ANSWER_RESERVE * (plan.length - index - 1);
    // A signal is looked at before the next call: what this one did is then taken back.
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

/** What a call answers. Work that throws, as it does when it is aborted, is refused like any other. */
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
    return err(signal.aborted ? cancelled({ name: "batch" }) : fault(thrown));
  }
}

/** Runs the calls; all that they edit becomes one step of undo, or is taken back. */
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
      // Somebody else's step among ours can be neither joined nor taken back.
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

/** The step of a single call is a part of the batch's now: nobody can undo it by itself. */
function withoutStep(answer: unknown): unknown {
  if (!isRecord(answer) || typeof answer["undo"] !== "number") return answer;
  const { undo: _undo, ...rest } = answer;
  return rest;
}

/** Undoes what a refused batch has done. @returns Why that could not be; `null` when it is done. */
async function takeBack(
  editing: SceneEditing,
  { first, made }: { readonly first: number | null; readonly made: number },
): Promise<Problem | null> {
  const next = "Look at get_history and at the files, and repair them by hand";
  // Old steps are forgotten when the files that they keep become too large.
  const lost = made - stepsAfter(editing, first);
  const back = await editing.takeBackSteps?.(first) ?? ok(null);
  if (back.ok && lost <= 0) return null;
  const why = back.ok ? `${lost} of its steps are beyond what undo keeps` : back.error.detail;
  const stays = back.ok ? "part of it stays" : "what it did before stays";
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

/** A problem of one call of a batch. */
function inCall(why: Problem, index: number, tool: unknown): Problem {
  const named = typeof tool === "string" ? ` (${tool.slice(0, 80)})` : "";
  return {
    ...why,
    detail: `Call ${index} of the batch${named}: ${why.detail}`,
    ...(why.body !== undefined && { body: { ...why.body, call: index } }),
  };
}
