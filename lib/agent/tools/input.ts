import { z } from "zod";
import { didYouMean } from "../../core/nearest.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Entity, Handle, InputEvent, InputOutcome, Play } from "../../editor/ports/mod.ts";
import { EDIT_PARAMETERS, editAnswer, listed } from "../scene/edits.ts";
import { resolveEntity } from "../scene/entities.ts";
import { countBy, pageOf } from "../answer/lists.ts";
import {
  after,
  anyNumber,
  choice,
  ids,
  limit,
  text,
  wholeNumber,
} from "../declaration/parameters.ts";
import { editorPart } from "../declaration/parts.ts";
import type { Services } from "../declaration/services.ts";
import {
  type CallContext,
  defineTool,
  READ_ONLY,
  refuseMissing,
  type Tool,
  type ToolAnnotations,
} from "../declaration/tool.ts";
import { MAX_TICKS, PLAYS, stepGame } from "./play.ts";

const LIST_LIMIT = 100;
const EDITORS = ["game", "scene", "timeline"] as const;
/** Handles that a refusal lists. */
const LISTED_HANDLES = 10;
/** Steps that a key is held, unless told otherwise. */
const PRESS_TICKS = 1;
/** Characters of a key's code; the longest of the standard has 18. */
const MAX_CODE = 100;

/** Edits the scene, or acts on the game. */
const DRAGS: ToolAnnotations = { openWorldHint: false };

/** `handles` (RING-8). */
const handles: Tool = defineTool({
  name: "handles",
  route: "/api/handles",
  purpose: "What can be tapped or dragged: game buttons, gizmos and timelines of selected entities",
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
    kind: "list, as button, move-x, resize-se, playhead, start, end",
    ids: "list, of entities",
  },
  annotations: READ_ONLY,

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
  purpose: "Taps a button of the playing game by its handle, as a finger would",
  defaultShape: "what answered; needs handle=",
  parameters: z.object({
    handle: text("id from handles, as button:<guid>"),
    ticks: wholeNumber("steps to run afterwards", { min: 0, max: MAX_TICKS }),
  }),
  drillDown: { handle: "its id", ticks: "steps afterwards" },
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
      const why = onScreen ? `entity ${occludedBy} lies over it` : "it is off the screen";
      return refuse(
        422,
        "not-reachable",
        `Cannot tap "${label}": ${why}`,
        "Close what is in front or scroll; dispatch_action needs no screen",
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
  purpose:
    "Drags a handle of a selected entity by pixels: move, rotate, scale, resize; timeline items, playhead",
  defaultShape: "the entity, rev, undo; needs handle= and dx= or dy=",
  parameters: z.object({
    handle: text("id from handles, as move-x:<guid>"),
    dx: anyNumber("pixels to the right", { min: -16_384, max: 16_384 }),
    dy: anyNumber("pixels down", { min: -16_384, max: 16_384 }),
    ...EDIT_PARAMETERS,
  }),
  drillDown: { handle: "its id", dx: "pixels", dy: "pixels" },
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
      return refuse(409, "rev-moved", detail, "Look at what changed: svc_get_scene_state since=");
    }
    const step = editor.editing?.history().undo.at(-1)?.id ?? null;
    const dragged = await play.value.dragHandle({ id, dx, dy, source: "agent" });
    if (!dragged.ok) return dragged;
    const { entity, rev } = dragged.value;
    const last = editor.editing?.history().undo.at(-1)?.id ?? null;
    const undo = last === step ? null : last;
    const isIt = ({ id }: Entity) => id === entity;
    return ok({
      entity,
      // A timeline is a file: the scene's revision stays what it was.
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

/** `tap`. */
const tap: Tool = defineTool({
  name: "tap",
  route: "/api/input/tap",
  routeKind: "body",
  purpose: "Taps the playing game at a point of the viewport",
  defaultShape: "what answered; needs x= and y=",
  parameters: z.object({
    x: anyNumber("pixels from the left"),
    y: anyNumber("pixels from the top"),
    phase: choice(["down", "move", "up"], "a pointer instead of a whole tap"),
    ticks: wholeNumber("steps to run afterwards", { min: 0, max: MAX_TICKS }),
  }),
  drillDown: { phase: "a pointer's", ticks: "steps afterwards" },
  annotations: PLAYS,

  produce(services, { x, y, phase, ticks }, context): Promise<Result<Sent, Problem>> {
    const play = editorPart(services, "play");
    if (!play.ok) return Promise.resolve(play);
    if (x === undefined || y === undefined) {
      const name = x === undefined ? "x" : "y";
      return Promise.resolve(refuseMissing("tap", name, "handles kind=button lists points"));
    }
    const event: InputEvent = phase === undefined
      ? { kind: "tap", x, y }
      : { kind: "pointer", phase, x, y };
    return send(services, play.value, { event, ticks, context });
  },

  summarize: (sent) =>
    ok({
      ...outcome(sent),
      ...(sent.target === null && { hint: "No button is there: handles kind=button" }),
    }),
});

/** `press_key`. */
const pressKey: Tool = defineTool({
  name: "press_key",
  route: "/api/input/key",
  routeKind: "body",
  purpose: "Presses or holds a key in the playing game",
  defaultShape: `actions it gave; needs code=; held for ${PRESS_TICKS} tick`,
  parameters: z.object({
    code: text("KeyboardEvent.code, as ArrowUp or Space", { max: MAX_CODE }),
    phase: choice(["down", "up"], "only this, without steps"),
    ticks: wholeNumber("steps to hold it", { min: 1, max: MAX_TICKS }),
  }),
  drillDown: { ticks: "hold, and step so long", phase: "only this" },
  annotations: PLAYS,

  async produce(services, { code, phase, ticks = PRESS_TICKS }, context) {
    const play = editorPart(services, "play");
    if (!play.ok) return play;
    if (code === undefined) return refuseMissing("press_key", "code", "list_actions names keys");
    const sent = await pressed(services, play.value, { code, phase, ticks, context });
    const keys = play.value.actions().flatMap((action) => action.keys);
    return sent.ok ? ok({ ...sent.value, keys: [...new Set(keys)] }) : sent;
  },

  summarize: ({ keys, ...sent }, { code = "" }) => {
    const hint = keys.length > 0
      ? `No action has this key; keys: ${keys.slice(0, 20).join(", ")}`
      : "No action has a key: give an entity an InputAction";
    // A key that goes up gives nothing either, and yet it is one.
    return ok({ ...outcome(sent), ...(!keys.includes(code) && { hint }) });
  },
});

/** `list_actions`. */
const listActions: Tool = defineTool({
  name: "list_actions",
  route: "/api/actions",
  purpose: "Input actions of the scene, with their keys and who answers",
  defaultShape: "all of them",
  parameters: z.object({ limit: limit(`${LIST_LIMIT}`), after: after() }),
  drillDown: {},
  annotations: READ_ONLY,

  produce(services) {
    const play = editorPart(services, "play");
    return Promise.resolve(play.ok ? ok(play.value.actions()) : play);
  },

  summarize(all, { limit = LIST_LIMIT, after }) {
    const { shown, cut } = pageOf(all, { limit, after });
    return ok({ count: all.length, actions: shown, ...cut });
  },
});

/** `dispatch_action`. */
const dispatchAction: Tool = defineTool({
  name: "dispatch_action",
  route: "/api/actions/dispatch",
  routeKind: "body",
  purpose: "Dispatches an action of the playing game, as a key or button would",
  defaultShape: "who answers; needs action=",
  parameters: z.object({
    action: text("its name"),
    id: wholeNumber("only this entity", { min: 0 }),
    guid: text("only this entity"),
    value: anyNumber("comes with it"),
    ticks: wholeNumber("steps to run afterwards", { min: 0, max: MAX_TICKS }),
  }),
  drillDown: { value: "comes with it", ticks: "steps afterwards" },
  annotations: PLAYS,

  async produce(services, { action, id, guid, value, ticks = 0 }, context) {
    const play = editorPart(services, "play");
    if (!play.ok) return play;
    if (action === undefined) {
      return refuseMissing("dispatch_action", "action", "list_actions names them");
    }
    const target = await targetOf(services, { id, guid });
    if (!target.ok) return target;
    const done = await play.value.dispatch({
      action,
      source: "agent",
      ...(target.value !== null && { target: target.value }),
      ...(value !== undefined && { value }),
    });
    if (!done.ok) return done;
    const stepped = ticks === 0
      ? ok(null)
      : await stepGame(services, play.value, { ticks, context });
    return stepped.ok ? ok({ ...done.value, tick: play.value.state().tick }) : stepped;
  },

  summarize: ({ targets, tick }) =>
    ok({
      ok: true,
      ...listed("targets", targets),
      tick,
      ...(targets.length === 0 && { hint: "No ScriptAction has it as its on" }),
    }),
});

export const INPUT_TOOLS: readonly Tool[] = [
  handles,
  tapHandle,
  dragHandle,
  tap,
  pressKey,
  listActions,
  dispatchAction,
];

interface Sent extends InputOutcome {
  readonly tick: number;
}

/** Presses a key, and holds it for so many steps where the game does not run by itself. */
async function pressed(
  services: Services,
  play: Play,
  { code, phase, ticks, context }: {
    readonly code: string;
    readonly phase: "down" | "up" | undefined;
    readonly ticks: number;
    readonly context: CallContext;
  },
): Promise<Result<Sent, Problem>> {
  const key = (way: "down" | "up" | "press"): InputEvent => ({ kind: "key", code, phase: way });
  if (phase !== undefined) return await send(services, play, { event: key(phase), context });
  // A game that runs against the clock is not to be stepped: it goes on by itself.
  if (play.state().state === "playing") {
    return await send(services, play, { event: key("press"), context });
  }
  const down = await send(services, play, { event: key("down"), ticks, context });
  const up = await play.input(key("up"), "agent");
  return up.ok ? down : up;
}

/** Sends input, and runs so many steps with it. */
async function send(
  services: Services,
  play: Play,
  { event, ticks = 0, context }: {
    readonly event: InputEvent;
    readonly ticks?: number | undefined;
    readonly context: CallContext;
  },
): Promise<Result<Sent, Problem>> {
  const hit = await play.input(event, "agent");
  if (!hit.ok) return hit;
  if (ticks > 0) {
    const stepped = await stepGame(services, play, { ticks, context });
    if (!stepped.ok) return stepped;
  }
  return ok({ ...hit.value, tick: play.state().tick });
}

function outcome({ target, actions, occludedBy, tick }: Sent): object {
  return {
    ...(target !== null && { target }),
    actions,
    ...(occludedBy !== null && { occludedBy }),
    tick,
  };
}

async function targetOf(
  { editor }: Services,
  name: { readonly id: number | undefined; readonly guid: string | undefined },
): Promise<Result<number | null, Problem>> {
  if (name.id === undefined && name.guid === undefined) return ok(null);
  const entity = resolveEntity((await editor.sceneState()).entities, name);
  return entity.ok ? ok(entity.value.id) : entity;
}

/** What there is instead of the handles that were asked for. */
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
