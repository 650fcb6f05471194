import { z } from "zod";
import { nearestNames } from "../../core/nearest.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Handle, InputEvent, InputOutcome, Play } from "../../editor/ports.ts";
import { resolveEntity } from "../entities.ts";
import { countBy, firstOf } from "../lists.ts";
import { anyNumber, choice, ids, limit, text, wholeNumber } from "../parameters.ts";
import type { Services } from "../services.ts";
import {
  type CallContext,
  defineTool,
  READ_ONLY,
  refuseMissing,
  type Tool,
  type ToolAnnotations,
} from "../tool.ts";
import { MAX_TICKS, playOf, PLAYS } from "./play.ts";

const LIST_LIMIT = 100;
const EDITORS = ["game", "scene", "timeline"] as const;
/** Steps that a key is held, unless told otherwise. */
const PRESS_TICKS = 1;

/** Edits the scene, or acts on the game. */
const DRAGS: ToolAnnotations = { openWorldHint: false };

/** `handles` (spec §2.7, CONTRACTS §2). */
export const handles: Tool = defineTool({
  name: "handles",
  route: "/api/handles",
  purpose: "What can be tapped or dragged: game buttons, gizmos of selected entities",
  defaultShape: "counts by editor and kind",
  parameters: z.object({
    editor: choice(EDITORS, "handles of this editor"),
    kind: text("handles of this kind"),
    ids: ids("handles of these entities"),
    limit: limit(`${LIST_LIMIT}`),
  }),
  drillDown: { editor: "list", kind: "list, as button or move-x", ids: "list, of entities" },
  annotations: READ_ONLY,

  async produce(services) {
    const play = playOf(services);
    return play.ok ? ok(await play.value.handles()) : play;
  },

  summarize(all, { editor, kind, ids, limit }) {
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
    const { shown, truncated } = firstOf(matched, limit ?? LIST_LIMIT);
    return ok({ handles: shown, total: matched.length, truncated });
  },
});

/** `tap_handle`. */
export const tapHandle: Tool = defineTool({
  name: "tap_handle",
  route: "/api/handles/tap",
  door: "body",
  purpose: "Taps a button of the playing game by its handle, as a finger would",
  defaultShape: "what answered; needs handle=",
  parameters: z.object({
    handle: text("id from handles, as button:<guid>"),
    ticks: wholeNumber("steps to run afterwards", { min: 0, max: MAX_TICKS }),
  }),
  drillDown: { handle: "its id", ticks: "steps afterwards" },
  annotations: PLAYS,

  async produce(services, { handle: id, ticks }, context) {
    const play = playOf(services);
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
    return await send(play.value, { kind: "tap", x, y }, { ticks, context });
  },

  summarize: (sent) => ok(outcome(sent)),
});

/** `drag_handle`. */
export const dragHandle: Tool = defineTool({
  name: "drag_handle",
  route: "/api/handles/drag",
  door: "body",
  purpose: "Drags a gizmo handle of a selected entity by pixels: move, rotate, scale",
  defaultShape: "the entity and rev; needs handle= and dx= or dy=",
  parameters: z.object({
    handle: text("id from handles, as move-x:<guid>"),
    dx: anyNumber("pixels to the right", { min: -16_384, max: 16_384 }),
    dy: anyNumber("pixels down", { min: -16_384, max: 16_384 }),
  }),
  drillDown: { handle: "its id", dx: "pixels", dy: "pixels" },
  annotations: DRAGS,
  undoable: true,

  produce(services, { handle: id, dx = 0, dy = 0 }) {
    const play = playOf(services);
    if (!play.ok) return Promise.resolve(play);
    if (id === undefined) {
      return Promise.resolve(refuseMissing("drag_handle", "handle", "handles editor=scene"));
    }
    if (dx === 0 && dy === 0) {
      return Promise.resolve(refuseMissing("drag_handle", "dx", "dx= or dy= in pixels"));
    }
    return play.value.dragHandle({ id, dx, dy, source: "agent" });
  },

  summarize: ({ entity, rev }) => ok({ ok: true, entity, rev }),
});

/** `tap`. */
export const tap: Tool = defineTool({
  name: "tap",
  route: "/api/input/tap",
  door: "body",
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
    const play = playOf(services);
    if (!play.ok) return Promise.resolve(play);
    if (x === undefined || y === undefined) {
      const name = x === undefined ? "x" : "y";
      return Promise.resolve(refuseMissing("tap", name, "handles kind=button lists points"));
    }
    const event: InputEvent = phase === undefined
      ? { kind: "tap", x, y }
      : { kind: "pointer", phase, x, y };
    return send(play.value, event, { ticks, context });
  },

  summarize: (sent) => ok(outcome(sent)),
});

/** `press_key`. */
export const pressKey: Tool = defineTool({
  name: "press_key",
  route: "/api/input/key",
  door: "body",
  purpose: "Presses or holds a key in the playing game",
  defaultShape: `actions it gave; needs code=; held for ${PRESS_TICKS} tick`,
  parameters: z.object({
    code: text("KeyboardEvent.code, as ArrowUp or Space"),
    phase: choice(["down", "up"], "only this, without steps"),
    ticks: wholeNumber("steps to hold it", { min: 1, max: MAX_TICKS }),
  }),
  drillDown: { ticks: "hold, and step so long", phase: "only this" },
  annotations: PLAYS,

  async produce(services, { code, phase, ticks = PRESS_TICKS }, context) {
    const play = playOf(services);
    if (!play.ok) return play;
    if (code === undefined) return refuseMissing("press_key", "code", "list_actions names keys");
    if (phase !== undefined) return await send(play.value, { kind: "key", code, phase }, {});
    // A game that runs against the clock is not to be stepped: it goes on by itself.
    if (play.value.state().state === "playing") {
      return await send(play.value, { kind: "key", code, phase: "press" }, {});
    }
    const down = await send(play.value, { kind: "key", code, phase: "down" }, { ticks, context });
    const up = await play.value.input({ kind: "key", code, phase: "up" }, "agent");
    return up.ok ? down : up;
  },

  summarize: (sent) => ok(outcome(sent)),
});

/** `list_actions`. */
export const listActions: Tool = defineTool({
  name: "list_actions",
  route: "/api/actions",
  purpose: "Input actions of the scene, with their keys and who answers",
  defaultShape: "all of them",
  parameters: z.object({ limit: limit(`${LIST_LIMIT}`) }),
  drillDown: {},
  annotations: READ_ONLY,

  produce(services) {
    const play = playOf(services);
    return Promise.resolve(play.ok ? ok(play.value.actions()) : play);
  },

  summarize(all, { limit }) {
    const { shown, truncated } = firstOf(all, limit ?? LIST_LIMIT);
    return ok({ count: all.length, actions: shown, truncated });
  },
});

/** `dispatch_action`. */
export const dispatchAction: Tool = defineTool({
  name: "dispatch_action",
  route: "/api/actions/dispatch",
  door: "body",
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

  async produce(services, { action, id, guid, value, ticks = 0 }, { signal }) {
    const play = playOf(services);
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
      : await play.value.step(ticks, { signal, source: "agent" });
    return stepped.ok ? ok({ ...done.value, tick: play.value.state().tick }) : stepped;
  },

  summarize: ({ targets, tick }) => ok({ ok: true, targets: targets.slice(0, LIST_LIMIT), tick }),
});

/** The tools of this family. */
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

/** Sends input, and runs so many steps with it. */
async function send(
  play: Play,
  event: InputEvent,
  { ticks = 0, context }: {
    readonly ticks?: number | undefined;
    readonly context?: CallContext;
  },
): Promise<Result<Sent, Problem>> {
  const hit = await play.input(event, "agent");
  if (!hit.ok) return hit;
  if (ticks > 0) {
    const signal = context?.signal;
    const stepped = await play.step(ticks, {
      source: "agent",
      ...(signal !== undefined && { signal }),
    });
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

function noSuchHandle(id: string, all: readonly Handle[]): Result<never, Problem> {
  const near = nearestNames(id, all.map((one) => one.id));
  return refuse(
    404,
    "no-such-handle",
    `There is no handle ${JSON.stringify(id.slice(0, 80))} among ${all.length}`,
    near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "handles editor=game lists them",
  );
}
