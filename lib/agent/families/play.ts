import { z } from "zod";
import type { Problem } from "../../core/problem.ts";
import { err, ok, type Result } from "../../core/result.ts";
import type { Entity, Play, PlayState } from "../../editor/ports.ts";
import { missingPart } from "../edits.ts";
import { resolveEntity } from "../entities.ts";
import { firstOf } from "../lists.ts";
import { anyNumber, choice, limit, text, wholeNumber } from "../parameters.ts";
import type { Services } from "../services.ts";
import {
  type CallContext,
  defineTool,
  refuseMissing,
  type Tool,
  type ToolAnnotations,
} from "../tool.ts";
import { matchesWhere, parseWhere } from "../where.ts";

/** Steps of one call: a minute of game time. */
export const MAX_TICKS = 3_600;
/** Ids of what a condition found, unless told otherwise. */
const FOUND_IDS = 20;

/** Changes the game that plays, never the project. */
export const PLAYS: ToolAnnotations = { destructiveHint: false, openWorldHint: false };

/** The part of the editor that plays, or 503. */
export function playOf({ editor: { play } }: Services): Result<Play, Problem> {
  return play === undefined ? err(missingPart("play")) : ok(play);
}

/** How the game stands, as callers see it. */
export function standing({ state, tick, time, timeScale, rate }: PlayState): object {
  return {
    state,
    tick,
    time,
    ...(timeScale !== 1 && { timeScale }),
    ...(state === "playing" && { rate }),
  };
}

/** `play_control`. */
export const playControl: Tool = defineTool({
  name: "play_control",
  route: "/api/play",
  door: "body",
  purpose: "Plays, pauses or stops the game; stop restores the edited scene",
  defaultShape: "how the game stands",
  parameters: z.object({ action: choice(["play", "pause", "stop"], "what to do") }),
  drillDown: { action: "what to do" },
  annotations: PLAYS,

  produce(services, { action }): Promise<Result<PlayState, Problem>> {
    const play = playOf(services);
    if (!play.ok) return Promise.resolve(play);
    if (action === undefined) return Promise.resolve(ok(play.value.state()));
    return play.value[action]("agent");
  },

  summarize: (state) => ok(standing(state)),
});

/** `step_play`. */
export const stepPlay: Tool = defineTool({
  name: "step_play",
  route: "/api/play/step",
  door: "body",
  purpose: "Steps the game by ticks of 1/60 s at once, then pauses; starts it when stopped",
  defaultShape: "one tick",
  parameters: z.object({ ticks: wholeNumber("how many", { min: 1, max: MAX_TICKS }) }),
  drillDown: { ticks: "how many" },
  annotations: PLAYS,

  produce(services, { ticks = 1 }, { signal }) {
    const play = playOf(services);
    return Promise.resolve(play.ok ? play.value.step(ticks, { signal, source: "agent" }) : play);
  },

  summarize: (state) => ok(standing(state)),
});

/** `set_time_scale`. */
export const setTimeScale: Tool = defineTool({
  name: "set_time_scale",
  route: "/api/play/time-scale",
  door: "body",
  purpose: "Slow motion or fast forward of the game",
  defaultShape: "real time again",
  parameters: z.object({ scale: anyNumber("1 is real time", { min: 0.01, max: 100 }) }),
  drillDown: { scale: "factor" },
  annotations: { ...PLAYS, idempotentHint: true },

  produce(services, { scale = 1 }) {
    const play = playOf(services);
    return Promise.resolve(play.ok ? play.value.setTimeScale(scale, "agent") : play);
  },

  summarize: (state) => ok({ ...standing(state), timeScale: state.timeScale }),
});

/** `play_clip`. */
export const playClip: Tool = defineTool({
  name: "play_clip",
  route: "/api/play/clip",
  door: "body",
  purpose: "Plays an animation clip on an entity of the playing game",
  defaultShape: "the clips it has; needs id= or guid=, and clip=",
  parameters: z.object({
    id: wholeNumber("the entity", { min: 0 }),
    guid: text("the entity"),
    clip: text("a name in its animset, or the path of an animation"),
  }),
  drillDown: { clip: "name or path" },
  annotations: PLAYS,

  async produce(services, { id, guid, clip }) {
    const play = playOf(services);
    if (!play.ok) return play;
    const { entities } = await services.editor.sceneState();
    const entity = resolveEntity(entities, { id, guid });
    if (!entity.ok) return entity;
    if (clip === undefined) {
      return refuseMissing("play_clip", "clip", "Name one of its animset, or an animation's path");
    }
    return await play.value.playClip({ entity: entity.value.id, clip, source: "agent" });
  },

  summarize: ({ clips }) => ok({ ok: true, clips }),
});

/** `run_until`. */
export const runUntil: Tool = defineTool({
  name: "run_until",
  route: "/api/play/until",
  door: "body",
  purpose: "Steps the game until a condition on trait fields holds, or so many ticks",
  defaultShape: `needs where=; at most 600 ticks; ids that fit`,
  parameters: z.object({
    where: text("<Trait>.<field> <op> <number>, and/or"),
    id: wholeNumber("only of this entity", { min: 0 }),
    guid: text("only of this entity"),
    ticks: wholeNumber("at most so many", { min: 1, max: MAX_TICKS }),
    limit: limit(`${FOUND_IDS} ids`),
  }),
  drillDown: { where: "<Trait>.<field> <op> <number>", id: "of one", ticks: "at most" },
  annotations: PLAYS,

  async produce(services, { where, id, guid, ticks = 600 }, { signal }: CallContext) {
    const play = playOf(services);
    if (!play.ok) return play;
    if (where === undefined) {
      return refuseMissing("run_until", "where", "where=Health.hp < 3; where=Transform.y < 0");
    }
    const condition = parseWhere(where);
    if (!condition.ok) return condition;
    const { entities } = await services.editor.sceneState();
    const named = id !== undefined || guid !== undefined
      ? resolveEntity(entities, { id, guid })
      : ok(null);
    if (!named.ok) return named;
    const only = named.value?.id;
    const fits = (entity: Entity) =>
      (only === undefined || entity.id === only) && matchesWhere(condition.value, entity);
    const before = play.value.state().tick;
    let found = play.value.state().state === "stopped" ? [] : entities.filter(fits);
    if (found.length > 0) return ok({ state: play.value.state(), found, ticks: 0 });
    const state = await play.value.step(ticks, {
      signal,
      source: "agent",
      until(now) {
        found = now.filter(fits);
        return found.length > 0;
      },
    });
    return state.ok ? ok({ state: state.value, found, ticks: state.value.tick - before }) : state;
  },

  summarize({ state, found, ticks }, { limit }) {
    const { shown, truncated } = firstOf(found.map(({ id }) => id), limit ?? FOUND_IDS);
    return ok({
      reached: found.length > 0,
      ticks,
      tick: state.tick,
      state: state.state,
      ...(found.length > 0 && { matched: found.length, ids: shown, truncated }),
    });
  },
});

/** The tools of this family. */
export const PLAY_TOOLS: readonly Tool[] = [
  playControl,
  stepPlay,
  setTimeScale,
  playClip,
  runUntil,
];
