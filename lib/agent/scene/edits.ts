import type { Problem } from "../../core/problem.ts";
import { err, ok, type Result } from "../../core/result.ts";
import {
  type EditOp,
  type EditOutcome,
  type Entity,
  refusalProblem,
  type SceneEditing,
  type SceneState,
} from "../../editor/ports/mod.ts";
import { type EntityName, resolveEntity } from "./entities.ts";
import { plainOps } from "./field-values.ts";
import { firstOf } from "../answer/lists.ts";
import { flag, wholeNumber } from "../declaration/parameters.ts";
import { editorPart } from "../declaration/parts.ts";
import { callerOf, type Services } from "../declaration/services.ts";
import type { ToolAnnotations } from "../declaration/tool.ts";

// Shared by all tools that edit the open scene: how they start and how they answer.

/** Annotations of tools that replace values; undo restores them. */
export const EDITS: ToolAnnotations = { openWorldHint: false };
/** {@linkcode EDITS} for tools whose repeated equal call changes nothing more. */
export const SETS: ToolAnnotations = { idempotentHint: true, openWorldHint: false };
/** Annotations of tools that only add. */
export const ADDS: ToolAnnotations = { destructiveHint: false, openWorldHint: false };

/** Parameters of every tool that edits the scene; the MCP instructions document them. */
export const EDIT_PARAMETERS = {
  if_rev: wholeNumber("refuse when the scene is at another revision", { min: 0 }),
  echo: flag("adds the entities before and after"),
};

/** Arguments of {@linkcode EDIT_PARAMETERS}. */
export interface EditArguments {
  readonly if_rev?: number | undefined;
  readonly echo?: boolean | undefined;
}

/** Runs one edit of one tool; its operations are derived from the entities of the open scene. */
export async function runEdit(
  services: Services,
  args: EditArguments,
  opsFor: (entities: readonly Entity[]) => Result<readonly EditOp[], Problem>,
): Promise<Result<EditOutcome, Problem>> {
  const editing = editorPart(services, "editing");
  if (!editing.ok) return editing;
  const { entities } = await sceneToEdit(services);
  const ops = opsFor(entities);
  if (!ops.ok) return err(await earlierReason(editing.value, args, ops.error));
  const plain = await plainOps(services, ops.value, entities);
  if (!plain.ok) return err(refusalProblem({ errors: plain.error, warnings: [] }));
  const done = await editing.value.edit({
    ops: plain.value,
    source: callerOf(services),
    ...(args.if_rev !== undefined && { ifRev: args.if_rev }),
  });
  if (!done.ok) return done;
  return done.value.ok ? done.value : err(refusalProblem(done.value.error));
}

/**
 * Returns the scene after picking up changes that others wrote to its file: an edit of an older one
 * would conflict.
 */
export async function sceneToEdit({ editor }: Services): Promise<SceneState> {
  await editor.editing?.pickUpChanges();
  return await editor.sceneState();
}

/**
 * Returns the reason that takes precedence when an edit names a missing entity: a game is playing,
 * whose world is a different one, or the scene is no longer at revision `if_rev`.
 */
export async function earlierReason(
  editing: SceneEditing,
  { if_rev }: EditArguments,
  why: Problem,
): Promise<Problem> {
  const none = { ops: [], dryRun: true, source: "agent" } as const; // it changes nothing
  const tried = await editing.edit({ ...none, ...(if_rev !== undefined && { ifRev: if_rev }) });
  return tried.ok ? why : tried.error;
}

/** {@linkcode runEdit} of the one entity that the arguments name. */
export async function editEntity(
  services: Services,
  args: EditArguments & EntityName,
  opFor: (entity: Entity) => EditOp,
): Promise<Result<EditOutcome, Problem>> {
  return await runEdit(services, args, (entities) => {
    const entity = resolveEntity(entities, args);
    return entity.ok ? ok([opFor(entity.value)]) : entity;
  });
}

/**
 * Hint for a valid call that changed nothing: no call succeeds silently without an effect (TOOL-9).
 */
const SO_ALREADY = "Nothing changed: already in that state";

/** Marks an answer whose call changed nothing; otherwise empty. */
export function unlessChanged(changed: boolean): object {
  return changed ? {} : { changed: 0, hint: SO_ALREADY };
}

/**
 * Maximum entities and warnings in an answer to one edit, which has happened whatever the answer
 * shows.
 */
const SHOWN = 100;

/**
 * Answers for a completed edit: members that do not apply are omitted, long lists are cut and
 * marked as cut.
 */
export function editAnswer(
  { changed, warnings, rev, undo, created, before, after }: EditOutcome,
  { echo }: EditArguments,
): Result<object, Problem> {
  return ok({
    ok: true,
    changed,
    ...(changed === 0 && warnings.length === 0 && { hint: SO_ALREADY }),
    rev,
    ...(undo !== null && { undo }),
    ...(created.length > 0 && listed("created", created)),
    ...(warnings.length > 0 && listed("warnings", warnings)),
    ...(echo === true && { ...listed("before", before), ...listed("after", after) }),
  });
}

/** Returns a list for an answer: its shown part and, if cut, its total length. */
export function listed(name: string, items: readonly unknown[]): object {
  const { shown, truncated } = firstOf(items, SHOWN);
  return { [name]: shown, ...(truncated && { [`${name}Total`]: items.length, truncated }) };
}

/** Converts a parent id from a caller: 0 is the top. */
export function toParentId(parentId: number | undefined): { readonly parentId?: number | null } {
  if (parentId === undefined) return {};
  return { parentId: parentId === 0 ? null : parentId };
}
