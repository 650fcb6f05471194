import { isOn, textIn } from "../traits/value.ts";
import { pose, warnOfLost } from "./animation.ts";
import type { TimelineItem, TimelinePlan } from "../assets/clips.ts";
import type { LiveEntity } from "./live-world.ts";
import { showEntity } from "./show.ts";
import { type GameContext, STEP, type System } from "./system.ts";

type Track = TimelinePlan["tracks"][number];

/** The position of a running timeline. */
export interface TimelineHead {
  /** The entity that plays it. */
  readonly entity: number;
  readonly timeline: string;
  /** Seconds. */
  time: number;
  /** Seconds. */
  readonly length: number;
}

/** Plays timelines: animations, signals, visibility, sounds. */
export class Timelines implements System {
  readonly #heads = new Map<number, TimelineHead>();

  /** Returns the position of each running timeline. */
  heads(): readonly TimelineHead[] {
    return [...this.#heads.values()];
  }

  /** Continues from another time, in seconds; skipped events do not occur. */
  seek(game: GameContext, { entity, time }: Pick<TimelineHead, "entity" | "time">): void {
    const head = this.#heads.get(entity);
    const guid = game.world.get(entity)?.guid;
    if (head === undefined || guid === undefined) return;
    head.time = time;
    game.timelineEvent("seek", { guid, timeline: head.timeline, time });
  }

  step(game: GameContext): void {
    for (const entity of [...game.world.withTrait("Timeline")]) {
      const fields = entity.traits["Timeline"];
      const guid = textIn(fields, "timeline");
      const plan = game.assets.timelines.get(guid);
      if (plan === undefined || !isOn(fields, "playing")) continue;
      const known = this.#heads.get(entity.id);
      const head = known?.timeline === guid
        ? known
        : { entity: entity.id, timeline: guid, time: 0, length: plan.length };
      if (head !== known) {
        this.#heads.set(entity.id, head);
        game.timelineEvent("start", { guid: entity.guid, timeline: guid });
      }
      if (head.time === 0) warnOfLost(game, entity, plan.tracks);
      const [from, to] = [head.time, head.time + STEP];
      for (const track of plan.tracks) playTrack(game, { entity, track, from, to });
      head.time = to;
      if (to < plan.length) continue;
      game.timelineEvent("end", { guid: entity.guid, timeline: guid });
      this.#heads.delete(entity.id);
      if (fields?.["loop"] !== true && !plan.loop) {
        game.world.set(entity, ["Timeline", "playing"], false);
      }
    }
  }
}

interface Span {
  readonly entity: LiveEntity;
  readonly track: Track;
  /** Seconds, inclusive. */
  readonly from: number;
  /** Seconds, exclusive. */
  readonly to: number;
}

function playTrack(game: GameContext, { entity, track, from, to }: Span): void {
  const target = game.world.below(entity, track.target);
  if (target === undefined) return;
  for (const item of track.items) {
    const begins = item.t >= from && item.t < to;
    const end = item.t + item.duration;
    const about = { guid: target.guid };
    if (track.type === "animation" && from >= item.t && from < end) {
      const clip = game.assets.clips.get(item.clip);
      if (clip !== undefined && begins) warnOfLost(game, target, clip.tracks);
      if (clip !== undefined) pose(game, target, clip, inClip(item, from, clip.length, clip.loop));
    }
    if (track.type === "activation" && (begins || end >= from && end < to)) {
      const active = begins ? item.active : !item.active;
      showEntity(game.world, target, active);
      game.timelineEvent("activate", { ...about, active });
    }
    if (!begins) continue;
    if (track.type === "signal") {
      game.timelineEvent("signal", { ...about, signal: item.signal });
      game.dispatch(item.signal);
    }
    if (track.type === "audio") {
      game.timelineEvent("audio", { ...about, clip: item.clip });
      game.world.set(target, ["AudioSource", "clip"], item.clip);
      if (target.traits["AudioSource"] !== undefined) game.playSound(target);
    }
  }
}

/** Seconds into the clip of an item. */
export function inClip({ t }: TimelineItem, now: number, length: number, loop: boolean): number {
  return loop ? (now - t) % length : Math.min(now - t, length);
}
