import type { Clip, TimelineItem, TimelinePlan } from "../assets/clips.ts";
import type { TraitRegistry } from "../traits/registry.ts";
import type { Entity, TraitFields } from "../types/mod.ts";
import { pose } from "./animation.ts";
import { type LiveEntity, LiveWorld } from "./live-world.ts";
import { showEntity } from "./show.ts";
import { inClip } from "./timelines.ts";

// Poses a scene at a time of an animation or a timeline without a game: its appearance, without
// events.

/** A moment. */
interface Moment {
  /** An entity with all below it, which is first. */
  readonly entities: readonly Entity[];
  /** Either an animation, or a timeline. */
  readonly clip?: Clip;
  readonly timeline?: TimelinePlan;
  /** Animations that the timeline names, by guid. */
  readonly clips: ReadonlyMap<string, Clip>;
  /** Seconds, from 0 to the length. */
  readonly time: number;
}

/** The values of an entity that are others than in the scene. */
interface PosedEntity {
  readonly id: number;
  readonly traits: Readonly<Record<string, TraitFields>>;
}

/**
 * Returns the appearance of entities at a time, and the targets that are not below the first
 * entity.
 */
export function posedAt(
  { entities, clip, timeline, clips, time }: Moment,
  traits: TraitRegistry,
): { readonly values: readonly PosedEntity[]; readonly lost: readonly string[] } {
  const world = new LiveWorld(entities, 0);
  const root = world.get(entities[0]?.id ?? -1);
  if (root === undefined) return { values: [], lost: [] };
  const lost = new Set<string>();
  const find = (from: LiveEntity, target: string) => {
    const found = world.below(from, target);
    if (found === undefined) lost.add(target);
    return found;
  };
  const play = (from: LiveEntity, one: Clip, at: number) => {
    for (const { target } of one.tracks) find(from, target);
    pose({ world, traits }, from, one, at);
  };
  if (clip !== undefined) play(root, clip, time);
  for (const { track, item, at, ends } of happenings(timeline, time)) {
    const target = find(root, track.target);
    const own = clips.get(item.clip);
    if (target === undefined) continue;
    if (track.type === "activation") showEntity(world, target, ends ? !item.active : item.active);
    else if (own !== undefined) play(target, own, inClip(item, at, own.length, own.loop));
  }
  return { values: changesIn(entities, world), lost: [...lost] };
}

interface Happening {
  readonly track: TimelinePlan["tracks"][number];
  readonly item: TimelineItem;
  /** Time of its last effect. */
  readonly at: number;
  readonly ends: boolean;
}

/** Returns effects that are still visible at a time, in order of their occurrence. */
function happenings(timeline: TimelinePlan | undefined, time: number): readonly Happening[] {
  const all = (timeline?.tracks ?? []).flatMap((track): readonly Happening[] =>
    track.items.filter(({ t }) => t <= time).flatMap((item): readonly Happening[] => {
      const end = item.t + item.duration;
      switch (track.type) {
        case "animation":
          return [{ track, item, at: Math.min(time, end), ends: false }];
        case "activation":
          return [
            { track, item, at: item.t, ends: false },
            ...(end <= time ? [{ track, item, at: end, ends: true }] : []),
          ];
        default:
          return [];
      }
    })
  );
  return [...all].sort((a, b) => a.at - b.at);
}

function changesIn(before: readonly Entity[], world: LiveWorld): readonly PosedEntity[] {
  return before.flatMap(({ id, traits }): readonly PosedEntity[] => {
    const now = world.get(id)?.traits ?? {};
    const changed = Object.entries(now).flatMap(([trait, fields]) => {
      const different = Object.entries(fields).filter(([field, value]) =>
        traits[trait]?.[field] !== value
      );
      return different.length === 0 ? [] : [[trait, Object.fromEntries(different)] as const];
    });
    return changed.length === 0 ? [] : [{ id, traits: Object.fromEntries(changed) }];
  });
}
