import { z } from "zod";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Entity, GameEvent, Play, PlayState, SavedRound } from "../../editor/ports/mod.ts";
import { unlessChanged } from "../scene/edits.ts";
import { resolveEntity } from "../scene/entities.ts";
import { pageOf } from "../answer/lists.ts";
import { repeatEvery } from "../answer/every.ts";
import { noSuchFields } from "../scene/no-such-fields.ts";
import { anyNumber, choice, limit, text, wholeNumber } from "../declaration/parameters.ts";
import { editorPart } from "../declaration/parts.ts";
import { callerOf, type Services } from "../declaration/services.ts";
import { refuseMissing } from "../declaration/arguments.ts";
import {
  type CallContext,
  defineTool,
  type Tool,
  type ToolAnnotations,
} from "../declaration/tool.ts";
import { matchesWhere, parseWhere } from "../scene/where.ts";

/** Maximum steps of one call: a minute of game time. */
export const MAX_TICKS = 3_600;
/** Default ids of entities that a condition found. */
const FOUND_IDS = 20;

/** Annotations of tools that change the running game, never the project. */
export const PLAYS: ToolAnnotations = { destructiveHint: false, openWorldHint: false };

/** Interval of progress reports of a long run, in milliseconds. */
const PROGRESS_MS = 500;

/**
 * Steps the game and reports progress. Ends early when the caller no longer waits.
 *
 * @param until Evaluated after every step; the run stops at the first step for which it is true.
 */
export async function stepGame(
  services: Services,
  play: Play,
  { ticks, until, context: { signal, progress } }: {
    readonly ticks: number;
    readonly until?: (entities: readonly Entity[]) => boolean;
    readonly context: CallContext;
  },
): Promise<Result<PlayState, Problem>> {
  const { tick: before } = play.state();
  const end = repeatEvery({
    clock: services.clock,
    everyMs: PROGRESS_MS,
    tell: () => progress(play.state().tick - before, ticks, "ticks"),
  });
  try {
    return await play.step(ticks, { signal, source: callerOf(services), ...(until && { until }) });
  } finally {
    await end();
  }
}

/** Returns the state of the game as an answer. */
function playSummary(
  { state, tick, time, timeScale, rate, round, scene }: PlayState,
): object {
  return {
    state,
    tick,
    time,
    ...(timeScale !== 1 && { timeScale }),
    ...(state === "playing" && { rate }),
    ...(round !== undefined && { round }),
    ...(scene !== undefined && { scene }),
  };
}

/** `play_control`. */
const playControl: Tool = defineTool({
  name: "play_control",
  route: "/api/play",
  routeKind: "body",
  purpose: "Plays, pauses or stops the game; stop restores the edited scene. Saves, replays rounds",
  defaultShape: "the game's state",
  parameters: z.object({
    action: choice(["play", "pause", "stop", "save", "replay"], "what to do"),
    path: text("a *.round.json, to save or replay"),
  }),
  drillDown: { path: "of a round" },
  annotations: { ...PLAYS, idempotentHint: true },

  async produce(services, { action, path }, { signal }): Promise<Result<Controlled, Problem>> {
    const play = editorPart(services, "play");
    if (!play.ok) return play;
    const before = play.value.state().state;
    if (action === "save" || action === "replay") {
      if (path === undefined) {
        return refuseMissing("play_control", "path", "rounds/first.round.json");
      }
      const round = action === "save"
        ? await play.value.saveRound(path, callerOf(services))
        : await play.value.replay(path, { signal, source: callerOf(services) });
      return round.ok ? ok({ before, now: play.value.state(), round: round.value }) : round;
    }
    const done = action === undefined
      ? ok(play.value.state())
      : await play.value[action](callerOf(services));
    return done.ok ? ok({ before, now: done.value, round: null }) : done;
  },

  summarize: ({ before, now, round }, { action }) =>
    ok({
      ...playSummary(now),
      ...unlessChanged(action === undefined || round !== null || before !== now.state),
      ...(round !== null && { recording: round }),
    }),
});

/** The game's state before and after, and the saved or replayed round. */
interface Controlled {
  readonly before: PlayState["state"];
  readonly now: PlayState;
  readonly round: SavedRound | null;
}

/** `step_play`. */
const stepPlay: Tool = defineTool({
  name: "step_play",
  route: "/api/play/step",
  routeKind: "body",
  purpose: "Steps the game by ticks of 1/60 s at once, then pauses; starts it when stopped",
  defaultShape: "one tick",
  parameters: z.object({ ticks: wholeNumber("how many", { min: 1, max: MAX_TICKS }) }),
  drillDown: { ticks: "how many" },
  annotations: PLAYS,

  async produce(services, { ticks = 1 }, context) {
    const play = editorPart(services, "play");
    return play.ok ? await stepGame(services, play.value, { ticks, context }) : play;
  },

  summarize: (state) => ok(playSummary(state)),
});

/** `set_time_scale`. */
const setTimeScale: Tool = defineTool({
  name: "set_time_scale",
  route: "/api/play/time-scale",
  routeKind: "body",
  purpose: "Slow motion or fast forward of the game",
  defaultShape: "real time again",
  parameters: z.object({ scale: anyNumber("1 is real time", { min: 0.01, max: 100 }) }),
  drillDown: { scale: "factor" },
  annotations: { ...PLAYS, idempotentHint: true },

  produce(services, { scale = 1 }) {
    const play = editorPart(services, "play");
    if (!play.ok) return Promise.resolve(play);
    const before = play.value.state().timeScale;
    const now = play.value.setTimeScale(scale, callerOf(services));
    return Promise.resolve(now.ok ? ok({ before, now: now.value }) : now);
  },

  summarize: ({ before, now }) =>
    ok({
      ...playSummary(now),
      timeScale: now.timeScale,
      ...unlessChanged(before !== now.timeScale),
    }),
});

/** `play_clip`. */
const playClip: Tool = defineTool({
  name: "play_clip",
  route: "/api/play/clip",
  routeKind: "body",
  purpose: "Plays an animation clip on an entity of the playing game",
  defaultShape: "its clips; needs id= or guid=, and clip=",
  parameters: z.object({
    id: wholeNumber("the entity", { min: 0 }),
    guid: text("the entity"),
    clip: text("a name in its animset, or the path of an animation"),
  }),
  drillDown: { clip: "name or path" },
  annotations: PLAYS,

  async produce(services, { id, guid, clip }) {
    const play = editorPart(services, "play");
    if (!play.ok) return play;
    const { entities } = await services.editor.sceneState();
    const entity = resolveEntity(entities, { id, guid });
    if (!entity.ok) return entity;
    if (clip === undefined) {
      return refuseMissing("play_clip", "clip", "Name one of its animset, or an animation's path");
    }
    return await play.value.playClip({ entity: entity.value.id, clip, source: callerOf(services) });
  },

  summarize: ({ clips }) => ok({ ok: true, clips }),
});

/** `run_until`. */
const runUntil: Tool = defineTool({
  name: "run_until",
  route: "/api/play/until",
  routeKind: "body",
  purpose: "Steps the game until trait fields match or an event occurs",
  defaultShape: `at most 600 ticks; matching ids, or the event; needs where= or event=`,
  parameters: z.object({
    where: text("<Trait>.<field> <op> <number>, and/or"),
    event: text("a type of the journal"),
    id: wholeNumber("only of this entity", { min: 0 }),
    guid: text("only of this entity"),
    ticks: wholeNumber("maximum", { min: 1, max: MAX_TICKS }),
    limit: limit(`${FOUND_IDS} ids`),
  }),
  drillDown: {
    where: "<Trait>.<field> <op> <number>",
    event: "collect, @contact, …",
    id: "of one",
    ticks: "at most",
  },
  annotations: PLAYS,

  async produce(services, args, context): Promise<Result<RunOutcome, Problem>> {
    const play = editorPart(services, "play");
    if (!play.ok) return play;
    if (args.where === undefined && args.event === undefined) {
      return refuseMissing("run_until", "where", "where=Transform.y < 0; event=collect");
    }
    const condition = args.where === undefined ? null : parseWhere(args.where);
    if (condition?.ok === false) return condition;
    const { entities } = await services.editor.sceneState();
    const traits = condition === null ? [] : await services.editor.traits();
    const never = noSuchFields(condition?.value.flat() ?? [], traits, entities);
    if (never !== null) {
      return refuse(404, "no-such-field", never, "list_traits name= shows the fields of a trait");
    }
    const named = args.id !== undefined || args.guid !== undefined
      ? resolveEntity(entities, args)
      : ok(null);
    if (!named.ok) return named;
    const watched = watchedEvents(services, args.event, named.value?.guid);
    if (!watched.ok) return watched;
    const fits = (entity: Entity) =>
      condition !== null && (named.value === null || entity.id === named.value.id) &&
      matchesWhere(condition.value, entity);
    const before = play.value.state();
    let found = before.state === "stopped" ? [] : entities.filter(fits);
    let event: GameEvent | undefined;
    if (found.length > 0) return ok({ state: before, found, event, ticks: 0 });
    const state = await stepGame(services, play.value, {
      ticks: args.ticks ?? 600,
      context,
      until(now) {
        found = now.filter(fits);
        event = watched.value?.();
        return found.length > 0 || event !== undefined;
      },
    });
    if (!state.ok) return state;
    return ok({ state: state.value, found, event, ticks: state.value.tick - before.tick });
  },

  summarize({ state, found, event, ticks }, { limit = FOUND_IDS }) {
    const { shown, cut: { truncated } } = pageOf(found.map(({ id }) => id), { limit });
    return ok({
      reached: found.length > 0 || event !== undefined,
      ticks,
      tick: state.tick,
      state: state.state,
      ...(found.length > 0 && { matched: found.length, ids: shown, truncated }),
      ...(event !== undefined && { event }),
    });
  },
});

/** Result of a run. */
interface RunOutcome {
  readonly state: PlayState;
  readonly found: readonly Entity[];
  readonly event: GameEvent | undefined;
  readonly ticks: number;
}

/**
 * Finds the first event of a type after this call, of one entity if given; `null` if no event is
 * awaited.
 */
function watchedEvents(
  services: Services,
  type: string | undefined,
  guid: string | undefined,
): Result<(() => GameEvent | undefined) | null, Problem> {
  if (type === undefined) return ok(null);
  const part = editorPart(services, "journals");
  if (!part.ok) return part;
  const journals = part.value;
  let seen = journals.game().at(-1)?.seq ?? 0;
  return ok(() => {
    const events = journals.game();
    const fresh = events.slice(firstAfter(events, seen));
    seen = events.at(-1)?.seq ?? seen;
    return fresh.find((event) =>
      event.type === type &&
      (guid === undefined || JSON.stringify(event.payload).includes(`"${guid}"`))
    );
  });
}

/**
 * Returns the index of the first entry after a number: entries of a ring are numbered without gaps.
 */
function firstAfter(events: readonly { readonly seq: number }[], seen: number): number {
  return Math.max(0, seen + 1 - (events[0]?.seq ?? 1));
}

export const PLAY_TOOLS: readonly Tool[] = [
  playControl,
  stepPlay,
  setTimeScale,
  playClip,
  runUntil,
];
