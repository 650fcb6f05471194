import { z } from "zod";
import type { Problem } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { InputEvent, Play } from "../../editor/ports/mod.ts";
import { pageOf } from "../answer/lists.ts";
import { after, anyNumber, choice, limit, text, wholeNumber } from "../declaration/parameters.ts";
import { editorPart } from "../declaration/parts.ts";
import { callerOf, type Services } from "../declaration/services.ts";
import { refuseMissing } from "../declaration/arguments.ts";
import { type CallContext, defineTool, READ_ONLY, type Tool } from "../declaration/tool.ts";
import { listed } from "../scene/edits.ts";
import { resolveEntity } from "../scene/entities.ts";
import { MAX_TICKS, PLAYS, stepGame } from "./play.ts";
import { outcome, send, type SentInput } from "./send-input.ts";

const LIST_LIMIT = 100;
/** Default steps for which a key is held. */
const PRESS_TICKS = 1;
/** Maximum pixels of one wheel turn. */
const MAX_WHEEL = 10_000;
/** Maximum characters of a key's code; the longest standard one has 18. */
const MAX_CODE = 100;

/** `tap`. */
const tap: Tool = defineTool({
  name: "tap",
  route: "/api/input/tap",
  routeKind: "body",
  purpose: "Taps the playing game at viewport pixels",
  defaultShape: "the reaction; needs x= and y=",
  parameters: z.object({
    x: anyNumber("pixels from the left"),
    y: anyNumber("pixels from the top"),
    phase: choice(["down", "move", "up"], "a pointer instead of a whole tap"),
    wheel: anyNumber("turns the wheel instead, pixels down"),
    pointer: wholeNumber("which finger", { min: 0, max: 15 }),
    ticks: wholeNumber("steps to run afterwards", { min: 0, max: MAX_TICKS }),
  }),
  drillDown: { phase: "only this", wheel: "turn", pointer: "finger", ticks: "steps" },
  annotations: PLAYS,

  produce(
    services,
    { x, y, phase, wheel, pointer, ticks },
    context,
  ): Promise<Result<SentInput, Problem>> {
    const play = editorPart(services, "play");
    if (!play.ok) return Promise.resolve(play);
    if (x === undefined || y === undefined) {
      const name = x === undefined ? "x" : "y";
      return Promise.resolve(refuseMissing("tap", name, "handles kind=button lists points"));
    }
    const event: InputEvent = wheel !== undefined
      ? { kind: "wheel", x, y, dy: Math.max(-MAX_WHEEL, Math.min(MAX_WHEEL, wheel)) }
      : phase === undefined
      ? { kind: "tap", x, y }
      : { kind: "pointer", phase, x, y, ...(pointer !== undefined && { id: pointer }) };
    return send(services, play.value, { event, ticks, context });
  },

  summarize: (sent) =>
    ok({
      ...outcome(sent),
      ...(sent.target === null && { hint: "No button at this point: handles kind=button" }),
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
  drillDown: { ticks: "steps to hold it", phase: "only this" },
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
    // Releasing a key gives no action either, but the key is known.
    return ok({ ...outcome(sent), ...(!keys.includes(code) && { hint }) });
  },
});

/** `list_actions`. */
const listActions: Tool = defineTool({
  name: "list_actions",
  route: "/api/actions",
  purpose: "Input actions of the scene, with their keys and targets",
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
  purpose: "Dispatches an action of the playing game",
  defaultShape: "the targets; needs action=",
  parameters: z.object({
    action: text("its name"),
    id: wholeNumber("only this entity", { min: 0 }),
    guid: text("only this entity"),
    value: anyNumber("comes with it"),
    ticks: wholeNumber("steps to run afterwards", { min: 0, max: MAX_TICKS }),
  }),
  drillDown: { value: "with it", ticks: "steps afterwards" },
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
      source: callerOf(services),
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

/** The tools about input. */
export const INPUT_TOOLS: readonly Tool[] = [tap, pressKey, listActions, dispatchAction];

/** Presses a key; holds it for that many steps if the game does not run against the clock. */
async function pressed(
  services: Services,
  play: Play,
  { code, phase, ticks, context }: {
    readonly code: string;
    readonly phase: "down" | "up" | undefined;
    readonly ticks: number;
    readonly context: CallContext;
  },
): Promise<Result<SentInput, Problem>> {
  const key = (way: "down" | "up" | "press"): InputEvent => ({ kind: "key", code, phase: way });
  if (phase !== undefined) return await send(services, play, { event: key(phase), context });
  // A game that runs against the clock must not be stepped.
  if (play.state().state === "playing") {
    return await send(services, play, { event: key("press"), context });
  }
  const down = await send(services, play, { event: key("down"), ticks, context });
  const up = await play.input(key("up"), callerOf(services));
  return up.ok ? down : up;
}

async function targetOf(
  { editor }: Services,
  name: { readonly id: number | undefined; readonly guid: string | undefined },
): Promise<Result<number | null, Problem>> {
  if (name.id === undefined && name.guid === undefined) return ok(null);
  const entity = resolveEntity((await editor.sceneState()).entities, name);
  return entity.ok ? ok(entity.value.id) : entity;
}
