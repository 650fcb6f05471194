import { isJsonObject, type JsonObject } from "../../core/json.ts";
import type { Entity, Handle } from "../ports/mod.ts";
import { textIn } from "../../game/traits/mod.ts";
import type { GizmoScene, HandleDrag } from "../gizmos/mod.ts";
import type { TimelineHead } from "../../game/world/mod.ts";

// A timeline is laid out over the viewport: its length is the width, and each track has a row below
// the playhead's. Without a panel that shows it, this defines its pixels.

/** Height of a row, in pixels. */
const ROW = 20;

interface Grip {
  readonly id: string;
  readonly kind: "start" | "end";
  readonly entity: Entity;
  readonly timeline: string;
  readonly track: number;
  readonly item: number;
  /** Seconds. */
  readonly t: number;
  /** Seconds; `null` for an item without a duration. */
  readonly duration: number | null;
  /** Seconds of the timeline. */
  readonly length: number;
}

/**
 * Returns handles at the starts of selected timelines' items, and at the ends of items with a
 * duration: `start:<entity>:<track>:<item>`, both counted from 0 as in the file.
 *
 * @param contents The files, by guid.
 */
export function itemHandles(
  scene: GizmoScene,
  contents: ReadonlyMap<string, JsonObject>,
): readonly Handle[] {
  return gripsOf(scene, contents).map((grip) => {
    const { id, kind, entity, track, item, t, duration, length } = grip;
    const at = kind === "start" ? t : t + (duration ?? 0);
    const label = `${entity.name} track ${track} item ${item}`;
    return onStrip(scene, { id, kind, entity, label }, { at: at / length, row: track + 1 });
  });
}

/**
 * Moves one end of an item of a timeline; the other end stays. `null` for another handle.
 *
 * @returns The content to write, and its timeline.
 */
export function itemDrag(
  scene: GizmoScene,
  contents: ReadonlyMap<string, JsonObject>,
  { id, dx }: HandleDrag,
): { readonly entity: number; readonly timeline: string; readonly content: JsonObject } | null {
  const grip = gripsOf(scene, contents).find((one) => one.id === id);
  const content = contents.get(grip?.timeline ?? "");
  if (grip === undefined || content === undefined) return null;
  const { kind, t, duration, length, entity, timeline } = grip;
  const by = dx / scene.viewport.width * length;
  const end = duration === null ? length : t + duration;
  const start = kind === "start" ? rounded(Math.max(0, Math.min(end, t + by))) : t;
  const stop = kind === "end" ? Math.max(t, Math.min(length, end + by)) : end;
  const times = { t: start, ...(duration !== null && { duration: rounded(stop - start) }) };
  const tracks = recordsIn(content, "tracks").map((track, index) =>
    index !== grip.track ? track : {
      ...track,
      items: recordsIn(track, "items").map((item, place) =>
        place === grip.item ? { ...item, ...times } : item
      ),
    }
  );
  return { entity: entity.id, timeline, content: { ...content, tracks } };
}

/** Returns the playheads of running timelines: `playhead:<entity>`. */
export function playheadHandles(
  scene: GizmoScene,
  heads: readonly TimelineHead[],
): readonly Handle[] {
  const entities = new Map(scene.entities.map((entity) => [entity.id, entity]));
  return heads.flatMap(({ entity: id, time, length }) => {
    const entity = entities.get(id);
    if (entity === undefined) return [];
    const about = { id: playheadId(entity), kind: "playhead", entity, label: entity.name };
    return [onStrip(scene, about, { at: time / length, row: 0 })];
  });
}

/** Returns the time to which a playhead is dragged; `null` for another handle. */
export function playheadDrag(
  scene: GizmoScene,
  heads: readonly TimelineHead[],
  { id, dx }: HandleDrag,
): { readonly entity: number; readonly time: number } | null {
  for (const { entity, time, length } of heads) {
    const owner = scene.entities.find((one) => one.id === entity);
    if (owner === undefined || playheadId(owner) !== id) continue;
    const to = time + dx / scene.viewport.width * length;
    return { entity, time: Math.max(0, Math.min(length, to)) };
  }
  return null;
}

function playheadId({ guid }: Entity): string {
  return `playhead:${guid}`;
}

function onStrip(
  { viewport: { width, height } }: GizmoScene,
  { id, kind, entity, label }: {
    readonly id: string;
    readonly kind: string;
    readonly entity: Entity;
    readonly label: string;
  },
  { at, row }: { readonly at: number; readonly row: number },
): Handle {
  const [x, y] = [at * width, (row + 0.5) * ROW];
  const onScreen = x >= 0 && x <= width && y < height;
  return { id, editor: "timeline", kind, x, y, label, entity: entity.id, onScreen };
}

function gripsOf(
  { entities, view }: GizmoScene,
  contents: ReadonlyMap<string, JsonObject>,
): readonly Grip[] {
  return entities.flatMap((entity) => {
    const timeline = textIn(entity.traits["Timeline"], "timeline");
    const content = view.selection.includes(entity.id) ? contents.get(timeline) : undefined;
    const length = content?.["length"];
    if (content === undefined || typeof length !== "number" || !(length > 0)) return [];
    return recordsIn(content, "tracks").flatMap((one, track) =>
      recordsIn(one, "items").flatMap((own, item): readonly Grip[] => {
        const { t } = own;
        if (typeof t !== "number") return [];
        const duration = typeof own["duration"] === "number" ? own["duration"] : null;
        const about = { entity, timeline, track, item, t, duration, length };
        const place = `${entity.guid}:${track}:${item}`;
        const start: Grip = { id: `start:${place}`, kind: "start", ...about };
        return duration === null ? [start] : [start, { ...start, id: `end:${place}`, kind: "end" }];
      })
    );
  });
}

/** Microseconds are enough. */
function rounded(seconds: number): number {
  return Math.round(seconds * 1e6) / 1e6;
}

function recordsIn(record: JsonObject, name: string): readonly JsonObject[] {
  const list = record[name];
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}
