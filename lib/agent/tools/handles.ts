import { z } from "zod";
import { didYouMean } from "../../core/nearest.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Entity, Handle } from "../../editor/ports/mod.ts";
import { countBy, pageOf } from "../answer/lists.ts";
import { after, anyNumber, ids, limit, text, wholeNumber } from "../declaration/parameters.ts";
import { editorPart } from "../declaration/parts.ts";
import { callerOf } from "../declaration/services.ts";
import { refuseMissing } from "../declaration/arguments.ts";
import { defineTool, READ_ONLY, type Tool, type ToolAnnotations } from "../declaration/tool.ts";
import { EDIT_PARAMETERS, editAnswer } from "../scene/edits.ts";
import { MAX_TICKS, PLAYS } from "./play.ts";
import { outcome, send } from "./send-input.ts";

const LIST_LIMIT = 100;
const EDITORS = ["game", "scene", "timeline"] as const;
/** Maximum handles in a refusal. */
const LISTED_HANDLES = 10;

/** Annotations of tools that edit the scene or act on the game. */
const DRAGS: ToolAnnotations = { openWorldHint: false };

/** `handles` (RING-8). */
const handles: Tool = defineTool({
  name: "handles",
  route: "/api/handles",
  purpose: "What can be tapped or dragged: game buttons; gizmos, timelines of the selection",
  defaultShape: "counts by editor and kind",
  parameters: z.object({
    editor: text(`handles of this editor: ${EDITORS.join(", ")}`),
    kind: text("handles of this kind"),
    ids: ids("handles of these entities"),
    limit: limit(`${LIST_LIMIT}`),
    after: after(),
  }),
  drillDown: {
    editor: "list",
    kind: "button, move-x, resize-se, playhead, start, end, …",
    ids: "entities",
  },
  annotations: READ_ONLY,
  fills: ({ editor, kind, ids }) =>
    [editor, kind, ids].some((filter) => filter !== undefined) ? "handles" : null,

  async produce(services) {
    const play = editorPart(services, "play");
    return play.ok ? ok(await play.value.handles()) : play;
  },

  summarize(all, { editor, kind, ids, limit, after }) {
    const isList = editor !== undefined || kind !== undefined || ids !== undefined;
    if (!isList) {
      return ok({
        count: all.length,
        byEditor: countBy(all, (one) => one.editor),
        byKind: countBy(all, (one) => one.kind),
        hint: "Counts only: editor=, kind= or ids= for handles",
      });
    }
    const matched = all.filter((one) =>
      (editor === undefined || one.editor === editor) &&
      (kind === undefined || one.kind === kind) &&
      (ids === undefined || (one.entity !== undefined && ids.includes(one.entity)))
    );
    const { shown, cut } = pageOf(matched, { limit: limit ?? LIST_LIMIT, after });
    return ok({
      handles: shown,
      total: matched.length,
      ...cut,
      ...(matched.length === 0 && { hint: otherHandles(all) }),
    });
  },
});

/** `tap_handle`. */
const tapHandle: Tool = defineTool({
  name: "tap_handle",
  route: "/api/handles/tap",
  routeKind: "body",
  purpose: "Taps a button of the playing game by its handle",
  defaultShape: "the reaction; needs handle=",
  parameters: z.object({
    handle: text("id from handles, as button:<guid>"),
    ticks: wholeNumber("steps afterwards", { min: 0, max: MAX_TICKS }),
  }),
  drillDown: { ticks: "steps afterwards" },
  annotations: PLAYS,

  async produce(services, { handle: id, ticks }, context) {
    const play = editorPart(services, "play");
    if (!play.ok) return play;
    if (id === undefined) return refuseMissing("tap_handle", "handle", "handles editor=game");
    const all = await play.value.handles();
    const handle = all.find((one) => one.id === id);
    if (handle === undefined) return noSuchHandle(id, all);
    const { x, y, onScreen, occludedBy, editor, label = id } = handle;
    if (editor !== "game") {
      return refuse(422, "not-tappable", `"${id}" is dragged, not tapped`, "drag_handle moves it");
    }
    if (play.value.state().state === "stopped") {
      const detail = "Cannot tap: no game is playing";
      return refuse(409, "not-playing", detail, "play_control action=play, or step_play");
    }
    if (!onScreen || occludedBy !== undefined) {
      const why = onScreen ? `entity ${occludedBy} covers it` : "it is off the screen";
      return refuse(
        422,
        "not-reachable",
        `Cannot tap "${label}": ${why}`,
        "Close the covering entity or scroll; dispatch_action needs no screen",
      );
    }
    return await send(services, play.value, { event: { kind: "tap", x, y }, ticks, context });
  },

  summarize: (sent) => ok(outcome(sent)),
});

/** `drag_handle`. */
const dragHandle: Tool = defineTool({
  name: "drag_handle",
  route: "/api/handles/drag",
  routeKind: "body",
  purpose: "Drags a handle by pixels: moves, rotates, scales, resizes; timeline items, playhead",
  defaultShape: "the entity, rev, undo; needs handle= and dx= or dy=",
  parameters: z.object({
    handle: text("id from handles, as move-x:<guid>"),
    dx: anyNumber("pixels to the right", { min: -16_384, max: 16_384 }),
    dy: anyNumber("pixels down", { min: -16_384, max: 16_384 }),
    ...EDIT_PARAMETERS,
  }),
  drillDown: { dx: "right", dy: "down" },
  annotations: DRAGS,
  undoable: true,

  async produce(services, { handle: id, dx = 0, dy = 0, if_rev }) {
    const play = editorPart(services, "play");
    if (!play.ok) return play;
    if (id === undefined) return refuseMissing("drag_handle", "handle", "handles editor=scene");
    if (dx === 0 && dy === 0) return refuseMissing("drag_handle", "dx", "dx= or dy= in pixels");
    const { editor } = services;
    const old = await editor.sceneState();
    if (if_rev !== undefined && if_rev !== old.rev) {
      const detail = `The scene is at revision ${old.rev}, expected ${if_rev}`;
      return refuse(409, "rev-moved", detail, "Read the changes: svc_get_scene_state since=");
    }
    const step = editor.editing?.history().undo.at(-1)?.id ?? null;
    const dragged = await play.value.dragHandle({ id, dx, dy, source: callerOf(services) });
    if (!dragged.ok) return dragged;
    const { entity, rev } = dragged.value;
    const last = editor.editing?.history().undo.at(-1)?.id ?? null;
    const undo = last === step ? null : last;
    const isIt = ({ id }: Entity) => id === entity;
    return ok({
      entity,
      // A timeline is a file: the scene's revision does not change.
      changed: rev === old.rev && undo === null ? 0 : 1,
      warnings: [],
      rev,
      undo,
      created: [],
      before: old.entities.filter(isIt),
      after: (await editor.sceneState()).entities.filter(isIt),
    });
  },

  summarize({ entity, ...outcome }, args) {
    const answer = editAnswer(outcome, args);
    return answer.ok ? ok({ entity, ...answer.value }) : answer;
  },
});

/** Returns the existing handles for a refusal. */
function otherHandles(all: readonly Handle[]): string {
  const kinds = [...new Set(all.map(({ editor, kind }) => `${editor} ${kind}`))];
  const there = kinds.length > 0 ? kinds.slice(0, 20).join(", ") : "none";
  const hasGizmos = all.some(({ editor }) => editor !== "game");
  return `There are ${there}${hasGizmos ? "" : "; set_selection brings the gizmos of entities"}`;
}

function noSuchHandle(id: string, all: readonly Handle[]): Result<never, Problem> {
  const ids = all.map((one) => one.id);
  return refuse(
    404,
    "no-such-handle",
    `There is no handle ${JSON.stringify(id.slice(0, 80))} among ${all.length}`,
    didYouMean(
      id,
      ids,
      ids.length > 0 && ids.length <= LISTED_HANDLES
        ? `There are ${ids.join(", ")}`
        : "handles editor=game lists them",
    ),
  );
}

/** The tools about handles. */
export const HANDLE_TOOLS: readonly Tool[] = [handles, tapHandle, dragHandle];
