import { computed, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { isJsonObject, isRecord, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Entity } from "../../editor/ports/mod.ts";
import { memberOf } from "../wire/read.ts";
import { callService, fetchProducer } from "../wire/service.ts";
import { act, said } from "./actions.ts";
import { assetByName, assetsStamp, type ProjectAsset } from "./assets.ts";
import {
  clipFrom,
  type ClipPart,
  type PageClip,
  type TimelineTrack,
  withKeyAt,
} from "./clip-tracks.ts";
import { gameState, selected, view } from "./editor.ts";
import { togglePlay } from "./game.ts";
import { oneAtATime } from "./one-at-a-time.ts";
import { posed } from "./pose.ts";
import { byId, scene } from "./scene.ts";

// The clip that the timeline shows, the entity that it is tried on, and the playhead.

/** The shown clip; it stays when something else is selected, so that keys can be set for that. */
const shownClip: Signal<string | null> = signal(null);
/** The entity that plays it, or `null`. */
export const player: Signal<number | null> = signal(null);
/** Time of the playhead in seconds; `null` while the current scene is shown. */
export const playhead: Signal<number | null> = signal(null);
/** The clip as its file has it; `null` while it is not known. */
export const clip: Signal<PageClip | null> = signal(null);
let content: JsonObject = {};

/** The asset that is shown. */
export const clipAsset: ReadonlySignal<ProjectAsset | undefined> = computed(() =>
  assetByName.value.get(shownClip.value ?? "")
);

/** The entities that play clips. */
export const players: ReadonlySignal<readonly Entity[]> = computed(() =>
  scene.value.entities.filter(({ traits }) =>
    traits["Animator"] !== undefined || traits["Timeline"] !== undefined
  )
);

/**
 * Follows the selection, and poses the scene at the playhead, while the panel is open. @returns
 * Stops it.
 */
export function showTimeline(): () => void {
  const ends = [
    effect(followSelection),
    effect(() => {
      void assetsStamp.value;
      void clipAsset.value;
      void load();
    }),
    effect(() => {
      const asset = clipAsset.value;
      const [entity, time] = [player.value, playhead.value];
      void clip.value; // repeats when a key has moved
      posed.value = entity === null || time === null || asset === undefined
        ? null
        : { entity, clip: asset.path, time };
    }),
  ];
  return () => {
    for (const end of ends) end();
    posed.value = null;
  };
}

function followSelection(): void {
  const asset = assetByName.value.get(view.value.asset ?? "");
  if (asset?.type === "animation" || asset?.type === "timeline") {
    show(asset.path, players.value.find((one) => clipsOf(one).includes(asset.guid))?.id ?? null);
    return;
  }
  const [entity] = selected.value;
  const [named] = entity === undefined ? [] : clipsOf(entity);
  const found = assetByName.value.get(named ?? "");
  if (entity !== undefined && found !== undefined) show(found.path, entity.id);
}

function show(path: string, entity: number | null): void {
  if (shownClip.peek() !== path) {
    playhead.value = null;
    clip.value = null;
  }
  shownClip.value = path;
  const before = player.peek();
  player.value = entity ?? (before !== null && byId.peek().has(before) ? before : null);
}

/** The clips that an entity names itself. */
function clipsOf({ traits }: Entity): readonly string[] {
  const named = [traits["Timeline"]?.["timeline"], traits["Animator"]?.["clip"]];
  return named.filter((guid) => typeof guid === "string" && guid !== "").map(String);
}

const load = oneAtATime(async () => {
  const asked = clipAsset.peek();
  const answer = asked === undefined ? null : await fetchProducer("asset", { asset: asked.path });
  if (asked?.path !== shownClip.peek()) return;
  const read = answer?.ok === true ? memberOf(answer.value, "content") : null;
  content = isJsonObject(read) ? read : {};
  clip.value = asked === undefined ? null : clipFrom(asked.type, read);
});

/** Moves the playhead, clamped to the clip. */
export function movePlayhead(time: number): void {
  playhead.value = Math.max(0, Math.min(clip.value?.length ?? 0, round(time)));
}

/** A time as it is edited: hundredths of a second. */
export function round(time: number): number {
  return Number(time.toFixed(2));
}

/** Moves a key or an item, or makes an item last longer: one step of undo. */
export async function movePart(
  track: TimelineTrack,
  { index }: ClipPart,
  to: { readonly t: number; readonly duration?: number },
): Promise<void> {
  const asset = shownClip.value;
  if (asset === null) return;
  const length = Math.max(clip.value?.length ?? 0, to.t);
  if (track.type !== "") {
    return void await act("set_timeline_item", { asset, track: track.index, index, item: to });
  }
  const tracks = withKeyAt(content, { track: track.index, index, t: to.t });
  if (tracks === null) return;
  await act("write_asset", { asset, merge: true, content: { tracks, length } });
}

/** Removes a key or an item. */
export async function removePart(track: TimelineTrack, { index, t }: ClipPart): Promise<void> {
  const asset = shownClip.value;
  await (track.type !== ""
    ? act("set_timeline_item", { asset, track: track.index, index, remove: true })
    : act("set_animation_key", {
      asset,
      field: track.field,
      t,
      remove: true,
      ...(track.target !== "" && { target: track.target }),
    }));
}

/** Sets a key of a track at a time. */
export async function setKey(
  { target, field }: Pick<TimelineTrack, "target" | "field">,
  key: { readonly t: number; readonly value: JsonValue; readonly ease?: string },
): Promise<void> {
  const asset = shownClip.value;
  await act("set_animation_key", { asset, field, ...key, ...(target !== "" && { target }) });
}

/** Sets a key of a track at the playhead, with the value that it has there. */
export async function keyThere(track: TimelineTrack): Promise<void> {
  const t = playhead.value ?? 0;
  const near = track.parts.findLast((part) => part.t <= t) ?? track.parts[0];
  const value = await posedValue(track, t) ?? near?.value;
  if (value !== undefined) await setKey(track, { t, value });
}

/** Adds an item of a timeline at the playhead, in a track of its type and target. */
export async function addItem(
  type: string,
  item: Readonly<Record<string, JsonValue>>,
): Promise<void> {
  const target = targetOfSelected() ?? "";
  const asks = type === "signal" || type === "audio" ? "" : target;
  const found = clip.value?.tracks.find((track) => track.type === type && track.target === asks);
  await act("set_timeline_item", {
    asset: shownClip.value,
    item: { t: playhead.value ?? 0, ...item },
    ...(found === undefined
      ? { type, ...(asks !== "" && { target: asks }) }
      : { track: found.index }),
  });
}

/** Changes length or looping. */
export async function setClip(
  change: { readonly length?: number; readonly loop?: boolean },
): Promise<void> {
  await act("set_animation_clip", { asset: shownClip.value, ...change });
}

/** Plays the clip on its entity in the game, and starts a game if none runs. */
export async function playClip(): Promise<void> {
  const [id, path] = [player.value, shownClip.value];
  if (id === null || path === null) return;
  if (gameState.value.state !== "playing" && !await togglePlay()) return;
  said(await callService("play_clip", { id, clip: path }));
}

/** The names on the way from the player to the selected entity; `null` when that is not below it. */
export function targetOfSelected(): string | null {
  const names: string[] = [];
  let entity = selected.value[0];
  while (entity !== undefined && entity.id !== player.value) {
    names.unshift(entity.name);
    entity = entity.parentId === null ? undefined : byId.value.get(entity.parentId);
  }
  return entity === undefined ? null : names.join("/");
}

/** Returns the value of a track's field at a time. */
async function posedValue(
  { target, field }: TimelineTrack,
  time: number,
): Promise<JsonValue | undefined> {
  const [trait = "", name = ""] = field.split(".");
  const entity = entityAt(target);
  if (entity === undefined || player.value === null) return undefined;
  const answer = await fetchProducer("pose", {
    entity: String(player.value),
    clip: shownClip.value ?? "",
    time: String(time),
  });
  const values = answer.ok ? memberOf(answer.value, "values") : null;
  const own: unknown = Array.isArray(values)
    ? values.find((one) => isRecord(one) && one["id"] === entity.id)
    : null;
  const value = memberOf(memberOf(memberOf(own, "traits"), trait), name);
  // A value that the pose does not change is that of the scene.
  return typeof value === "number" || typeof value === "string" || typeof value === "boolean"
    ? value
    : entity.traits[trait]?.[name];
}

function entityAt(target: string): Entity | undefined {
  let entity = byId.value.get(player.value ?? -1);
  for (const name of target === "" ? [] : target.split("/")) {
    const parent = entity?.id;
    entity = scene.value.entities.find((one) => one.parentId === parent && one.name === name);
  }
  return entity;
}
