import { z } from "zod";
import { type Problem, refuse } from "../../core/problem.ts";
import { err, ok, type Result } from "../../core/result.ts";
import {
  type Actor,
  type EditError,
  type EditOutcome,
  type EditRefusal,
  type HistoryStep,
  refusalProblem,
  type SceneState,
} from "../../editor/ports/mod.ts";
import { readOps } from "../scene/edit-request.ts";
import {
  earlierReason,
  EDIT_PARAMETERS,
  editAnswer,
  EDITS,
  listed,
  sceneToEdit,
} from "../scene/edits.ts";
import { EntityIndex } from "../scene/entities.ts";
import { plainOps } from "../scene/field-values.ts";
import { firstOf, lastPageOf } from "../answer/lists.ts";
import { after, flag, jsonList, limit, text, wholeNumber } from "../declaration/parameters.ts";
import { editorPart } from "../declaration/parts.ts";
import { callerOf, type Services } from "../declaration/services.ts";
import { sceneIndex } from "../scene/scene-index.ts";
import { refuseMissing } from "../declaration/arguments.ts";
import { defineTool, READ_ONLY, type Tool } from "../declaration/tool.ts";

/** Maximum operations of one request. */
const MAX_OPS = 10_000;
/** Maximum errors in one refusal. */
const MAX_ERRORS = 100;
const HISTORY_LIMIT = 20;

const OPS_HINT = 'ops=[{"op":"set","id":7,"trait":"Transform","fields":{"x":1}}]';

/** `svc_scene_edit` (SCENE-9). */
const sceneEdit: Tool = defineTool({
  name: "svc_scene_edit",
  route: "/api/scene-edit",
  routeKind: "body",
  purpose: "Edits the open scene: several operations, all or none, one undo step",
  defaultShape: "{ok,changed,errors,warnings,rev,undo}; needs ops=",
  parameters: z.object({
    path: text("refuse unless this scene is open"),
    ops: jsonList(
      "{op,id|guid,…}: create{name,parentId?,layer?,traits?} delete duplicate rename{name} " +
        "reparent{parentId} setLayer{layer} addTrait{trait,fields?} set{trait,fields} " +
        "removeTrait{trait}; parentId -1: the 1st created",
    ),
    returnScene: flag("adds the scene's index"),
    dryRun: flag("tries everything, changes nothing"),
    ...EDIT_PARAMETERS,
  }),
  drillDown: { returnScene: "adds the index" },
  sizeWarning: "returnScene=1; echo=1 of many",
  annotations: EDITS,
  undoable: true,

  async produce(services, args): Promise<Result<Edited, Problem>> {
    const editing = editorPart(services, "editing");
    if (!editing.ok) return editing;
    if (args.ops === undefined) return refuseMissing("svc_scene_edit", "ops", OPS_HINT);
    if (args.ops.length === 0 || args.ops.length > MAX_OPS) {
      const found = `found ${args.ops.length} operations, expected 1 to ${MAX_OPS}`;
      return refuse(400, "bad-argument", `Cannot call svc_scene_edit: ops: ${found}`, OPS_HINT);
    }
    const { entities: all } = await sceneToEdit(services);
    const { scenePath } = services.editor.identity();
    const entities = new EntityIndex(all);
    if (args.path !== undefined && args.path !== scenePath) {
      return refuse(
        409,
        "other-scene",
        `Cannot edit "${args.path.slice(0, 120)}": the open scene is "${scenePath}"`,
        "open_scene it first, or leave path out",
      );
    }
    const read = readOps(args.ops, entities);
    const ops = read.ok ? await plainOps(services, read.value, entities) : read;
    if (!ops.ok) {
      const why = asProblem({ errors: ops.error, warnings: [] });
      return err(await earlierReason(editing.value, args, why));
    }
    const done = await editing.value.edit({
      ops: ops.value,
      source: callerOf(services),
      ...(args.dryRun !== undefined && { dryRun: args.dryRun }),
      ...(args.if_rev !== undefined && { ifRev: args.if_rev }),
    });
    if (!done.ok) return done;
    if (!done.value.ok) return err(asProblem(done.value.error));
    const scene = args.returnScene === true ? await services.editor.sceneState() : null;
    return ok({ outcome: done.value.value, scene });
  },

  summarize({ outcome, scene }, args) {
    const answer = editAnswer(outcome, args);
    if (!answer.ok) return answer;
    return ok({
      ok: true,
      changed: outcome.changed,
      errors: [],
      warnings: outcome.warnings,
      ...answer.value,
      ...(args.dryRun === true && { dryRun: true }),
      ...(scene !== null && { scene: sceneIndex(scene) }),
    });
  },
});

interface Edited {
  readonly outcome: EditOutcome;
  /** The scene, if it is to be returned. */
  readonly scene: SceneState | null;
}

/** Returns a refused transaction as a problem of its own shape (SCENE-9). */
function asProblem(refusal: EditRefusal): Problem {
  const { shown, truncated } = firstOf(refusal.errors, MAX_ERRORS);
  const more = refusal.errors.length - shown.length;
  const listed: readonly EditError[] = truncated
    ? [...shown, { op: -1, code: "more-errors", message: `and ${more} more errors` }]
    : shown;
  return {
    ...refusalProblem(refusal),
    body: {
      ok: false,
      changed: 0,
      errors: listed.map(({ op, code, message }) => ({ op, code, message })),
      ...(truncated && { errorsTotal: refusal.errors.length, truncated }),
      warnings: [...refusal.warnings],
    },
  };
}

/** `undo`. */
const undo: Tool = travelTool("undo", "Undoes the last edits of scene, assets and settings");
/** `redo`. */
const redo: Tool = travelTool("redo", "Redoes edits that were undone");

function travelTool(way: "undo" | "redo", purpose: string): Tool {
  return defineTool({
    name: way,
    route: `/api/${way}`,
    routeKind: "body",
    purpose,
    defaultShape: "one step",
    parameters: z.object({
      steps: wholeNumber("how many", { min: 1, max: 500 }),
      leave: flag("leaves files that others have changed since, instead of refusing"),
    }),
    drillDown: { leave: "files that others changed since" },
    annotations: EDITS,
    exclusive: true,

    async produce(services, { steps = 1, leave = false }) {
      const editing = editorPart(services, "editing");
      if (!editing.ok) return editing;
      const caller = callerOf(services);
      const done = await editing.value[way](steps, caller, { leave });
      if (!done.ok) return done;
      if (done.value.length === 0) {
        const detail = `There is nothing to ${way}`;
        return refuse(409, `nothing-to-${way}`, detail, "get_history lists the steps");
      }
      const { rev } = await services.editor.sceneState();
      return ok({ done: done.value, rev, others: done.value.filter(isOfOther(caller)) });
    },

    summarize({ done, rev, others }) {
      const left = done.flatMap((step) => step.left ?? []);
      return ok({
        ok: true,
        rev,
        steps: done.length,
        ...listed("did", done.map(({ label }) => label)),
        // The newest step may belong to another author: the answer names those, for a caller that
        // meant its own.
        ...(others.length > 0 && listed("ofOthers", others.map(withAuthor))),
        ...(left.length > 0 && { ...listed("left", left), leftTotal: left.length }),
      });
    },
  });
}

/** Returns a test for steps by another author. */
function isOfOther(caller: Actor): (step: HistoryStep) => boolean {
  const { source, by } = typeof caller === "string" ? { source: caller, by: undefined } : caller;
  return (step) => step.source !== source || step.by !== by;
}

function withAuthor({ label, source, by }: HistoryStep): string {
  return `${label}, by ${source === "human" ? "a person" : `agent ${by ?? "without a name"}`}`;
}

/** `get_history`. */
const getHistory: Tool = defineTool({
  name: "get_history",
  route: "/api/history",
  purpose: "Steps that can be undone and redone, by whom",
  defaultShape: `the next ${HISTORY_LIMIT} of each`,
  parameters: z.object({ limit: limit(`${HISTORY_LIMIT}`), after: after() }),
  drillDown: {},
  annotations: READ_ONLY,

  produce(services: Services) {
    const editing = editorPart(services, "editing");
    if (!editing.ok) return Promise.resolve(editing);
    return Promise.resolve(
      ok({ history: editing.value.history(), unsaved: editing.value.unsaved }),
    );
  },

  summarize({ history, unsaved }, { limit = HISTORY_LIMIT, after }) {
    const page = { limit, after };
    const [undo, redo] = [lastPageOf(history.undo, page), lastPageOf(history.redo, page)];
    const cut = undo.cut.truncated ? undo.cut : redo.cut;
    return ok({
      unsaved,
      undoTotal: history.undo.length,
      redoTotal: history.redo.length,
      undo: undo.shown.toReversed().map(stepOf),
      redo: redo.shown.toReversed().map(stepOf),
      ...cut,
    });
  },
});

function stepOf({ id, label, source, by }: HistoryStep): object {
  return { id, label, source, ...(by !== undefined && { by }) };
}

/** The tools that edit the scene as a whole. */
export const SCENE_EDIT_TOOLS: readonly Tool[] = [sceneEdit, undo, redo, getHistory];
