import { z } from "zod";
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Actor, Asset, AssetAuthoring, AssetType, Pose } from "../../editor/ports/mod.ts";
import { describeUndo, namedAsset } from "../scene/authoring.ts";
import {
  type ClipEdit,
  lastTime,
  numberOrZero,
  objectsIn,
  withItem,
  withKey,
  withLength,
  withoutKey,
} from "../scene/clip-edits.ts";
import { ADDS } from "../scene/edits.ts";
import { resolveAsset } from "../scene/entities.ts";
import { poseOf } from "../scene/poses.ts";
import { pageOf } from "../answer/lists.ts";
import {
  after,
  anyNumber,
  choice,
  flag,
  jsonObject,
  jsonValue,
  limit,
  text,
  wholeNumber,
} from "../declaration/parameters.ts";
import { callerOf, type Services } from "../declaration/services.ts";
import { refuseMissing } from "../declaration/arguments.ts";
import { defineTool, READ_ONLY, type Tool, type ToolAnnotations } from "../declaration/tool.ts";

const ITEM_LIMIT = 100;
/** Annotations of tools that replace the content of a file. */
const SETS: ToolAnnotations = { destructiveHint: true, idempotentHint: true, openWorldHint: false };

interface Clip {
  readonly authoring: AssetAuthoring;
  readonly asset: Asset;
  readonly content: JsonObject;
  readonly source: Actor;
}

/** Returns the clip that a call names, with its content. */
async function clipOf(
  services: Services,
  tool: string,
  { asset, types }: { readonly asset: string | undefined; readonly types: readonly AssetType[] },
): Promise<Result<Clip, Problem>> {
  const named = await namedAsset(services, tool, asset);
  if (!named.ok) return named;
  const { authoring, asset: { path, type } } = named.value;
  if (!types.includes(type)) {
    return refuse(
      422,
      "wrong-asset-type",
      `Cannot use "${path}" as ${types.join(" or ")}: it is of type ${type}`,
      `list_assets type=${types[0] ?? ""} lists those`,
    );
  }
  const read = await authoring.read(path);
  if (!read.ok) return read;
  const { content } = read.value;
  return ok({
    authoring,
    asset: read.value.asset,
    content: isJsonObject(content) ? content : {},
    source: callerOf(services),
  });
}

/** Returns whether a clip loops; animations do unless they say otherwise. */
function loops(type: AssetType, { loop }: JsonObject): boolean {
  return type === "animation" ? loop !== false : loop === true;
}

/** The result of a written clip. */
interface Written extends Omit<ClipEdit, "content"> {
  readonly path: string;
  /** Seconds, if the clip had to be extended. */
  readonly length?: number;
  readonly undo: number | null;
}

async function written(
  { authoring, asset: { path: name }, content: old, source }: Clip,
  edit: Result<ClipEdit, Problem>,
): Promise<Result<Written, Problem>> {
  if (!edit.ok) return edit;
  const { content, track, count } = edit.value;
  const asset = await authoring.write({ name, content, source });
  if (!asset.ok) return asset;
  const { path, undo } = asset.value;
  const length = numberOrZero(content, "length");
  const isLonger = length > numberOrZero(old, "length");
  return ok({ path, undo, track, count, ...(isLonger && { length }) });
}

/** Summarizes a changed clip; `parts` names the content of its tracks. */
function summaryOf(
  { path, undo, track, count, length }: Written,
  parts: "keys" | "items",
): Result<object, Problem> {
  return ok({
    ok: true,
    path,
    ...(track !== null && { track }),
    [parts]: count,
    // A longer clip plays and loops differently, so the answer says so.
    ...(length !== undefined && { length }),
    ...describeUndo(undo),
  });
}

/** Parses text that is a number: clients may send every argument as text. */
function fromText(value: JsonValue): JsonValue {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : NaN;
  if (Number.isFinite(number)) return number;
  return value === "true" ? true : value === "false" ? false : value;
}

/** Returns an item with the guid of its clip in place of a path or a guid prefix. */
async function withGuid(
  services: Services,
  item: JsonObject,
): Promise<Result<JsonObject, Problem>> {
  const { clip } = item;
  if (typeof clip !== "string") return ok(item);
  const asset = resolveAsset(await services.editor.assets(), clip);
  return asset.ok ? ok({ ...item, clip: asset.value.guid }) : asset;
}

/** `set_animation_key`. */
const setAnimationKey: Tool = defineTool({
  name: "set_animation_key",
  route: "/api/animation/key",
  routeKind: "body",
  purpose: "Sets, replaces or removes one keyframe of an animation",
  defaultShape: "track, number of keys; needs asset=, field=, t=, value=",
  parameters: z.object({
    asset: text("path or guid of an animation"),
    target: text("path of names below the Animator; itself when absent"),
    field: text("<Trait>.<field>"),
    t: anyNumber("seconds", { min: 0 }),
    value: jsonValue("of the field"),
    ease: choice(["linear", "step", "in", "out", "inOut"], "towards the next key"),
    remove: flag("removes the key"),
  }),
  drillDown: {
    target: "Child/Path",
    field: "Transform.y",
    remove: "removes it",
  },
  annotations: SETS,
  undoable: true,

  async produce(services, { asset, target, field, t, value, ease, remove = false }) {
    const tool = "set_animation_key";
    const clip = await clipOf(services, tool, { asset, types: ["animation"] });
    if (!clip.ok) return clip;
    if (field === undefined) return refuseMissing(tool, "field", "A field like Transform.y");
    if (t === undefined) return refuseMissing(tool, "t", "A time in seconds");
    const place = { target, field, t };
    const { content } = clip.value;
    if (remove) return await written(clip.value, withoutKey(content, place));
    if (value === undefined) return refuseMissing(tool, "value", "The field's value, or remove=1");
    return await written(clip.value, ok(withKey(content, place, { value: fromText(value), ease })));
  },

  summarize: (edit) => summaryOf(edit, "keys"),
});

/** `set_animation_clip`. */
const setAnimationClip: Tool = defineTool({
  name: "set_animation_clip",
  route: "/api/animation/clip",
  routeKind: "body",
  purpose: "Sets length, speed and looping of an animation or timeline",
  defaultShape: "length, loop; needs asset=",
  parameters: z.object({
    asset: text("path or guid"),
    length: anyNumber("seconds", { min: 0.001 }),
    stretch: flag("keys move with the length"),
    loop: flag("begins again at its end"),
  }),
  drillDown: { length: "seconds", stretch: "keys too" },
  annotations: SETS,
  undoable: true,

  async produce(services, { asset, length, stretch = false, loop }) {
    const tool = "set_animation_clip";
    const clip = await clipOf(services, tool, { asset, types: ["animation", "timeline"] });
    if (!clip.ok) return clip;
    if (length === undefined && loop === undefined) {
      return refuseMissing(tool, "length or loop", "Say what to set");
    }
    const { authoring, asset: { path: name, type }, content: old, source } = clip.value;
    if (stretch && type === "timeline") {
      return refuse(
        422,
        "wrong-asset-type",
        `Cannot stretch "${name}": it is a timeline, whose clips have lengths of their own`,
        "Leave stretch out, or move its items with set_timeline_item",
      );
    }
    const last = lastTime(old);
    if (length !== undefined && length < last && !stretch) {
      return refuse(
        422,
        "asset-invalid",
        `Cannot set the length of "${name}" to ${length} s: it has keys or items until ${last} s`,
        type === "timeline"
          ? "Move or remove them with set_timeline_item"
          : "stretch=1 moves them along; set_animation_key remove=1 takes them away",
      );
    }
    const sized = length === undefined ? old : withLength(old, length, { stretch });
    const content: JsonObject = { ...sized, ...(loop !== undefined && { loop }) };
    const done = await authoring.write({ name, content, source });
    return done.ok ? ok({ path: name, type, content, undo: done.value.undo }) : done;
  },

  summarize: ({ path, type, content, undo }) =>
    ok({
      ok: true,
      path,
      length: content["length"],
      loop: loops(type, content),
      ...describeUndo(undo),
    }),
});

/** `get_timeline`. */
const getTimeline: Tool = defineTool({
  name: "get_timeline",
  route: "/api/timeline",
  purpose: "Tracks of a timeline or animation, with their items or keys; its values at a time",
  defaultShape: "targets and counts; needs asset=, or t= and id= or guid=",
  parameters: z.object({
    asset: text("path or guid"),
    track: wholeNumber("the items of this track, from 0", { min: 0 }),
    t: anyNumber("seconds: the values of the scene then, on an entity", { min: 0 }),
    id: wholeNumber("t=: the entity", { min: 0 }),
    guid: text("t=: the entity"),
    limit: limit(`${ITEM_LIMIT}`),
    after: after(),
  }),
  drillDown: { track: "its items", t: "values then" },
  annotations: READ_ONLY,
  fills: ({ track, t }) => t !== undefined ? "values" : track !== undefined ? "items" : null,

  async produce(services, { asset, t, id, guid }): Promise<Result<Clip | Pose, Problem>> {
    if (t !== undefined) return await poseOf(services, { asset, t, id, guid });
    return await clipOf(services, "get_timeline", { asset, types: ["timeline", "animation"] });
  },

  summarize(produced, { track, limit = ITEM_LIMIT, after }) {
    if ("values" in produced) return shownPose(produced, { limit, after });
    const { asset: { path, guid, type }, content } = produced;
    const tracks = objectsIn(content["tracks"]);
    const partsOf = (one: JsonObject) => [...objectsIn(one["items"]), ...objectsIn(one["keys"])];
    if (track !== undefined) {
      const one = tracks[track];
      if (one === undefined) {
        return refuse(
          404,
          "no-such-track",
          `There is no track ${track}: found ${tracks.length} of them, counted from 0`,
          "Call without track= to list them",
        );
      }
      const { items: _items, keys: _keys, ...about } = one;
      const parts = partsOf(one);
      const { shown, cut } = pageOf(parts, { limit, after });
      return ok({ track, ...about, count: parts.length, items: shown, ...cut });
    }
    const { shown, cut } = pageOf(tracks, { limit, after });
    return ok({
      path,
      guid,
      length: numberOrZero(content, "length"),
      loop: loops(type, content),
      count: tracks.length,
      tracks: shown.map((one) => {
        const { items: _items, keys: _keys, ...about } = one;
        return { ...about, count: partsOf(one).length };
      }),
      ...cut,
    });
  },
});

function shownPose(
  { path, time, length, values, lost }: Pose,
  page: { readonly limit: number; readonly after: number | undefined },
): Result<object, Problem> {
  const { shown, cut } = pageOf(values, page);
  return ok({
    path,
    t: time,
    length,
    count: values.length,
    values: shown,
    ...cut,
    ...(lost.length > 0 && { lost }),
  });
}

/** `set_timeline_item`. */
const setTimelineItem: Tool = defineTool({
  name: "set_timeline_item",
  route: "/api/timeline/item",
  routeKind: "body",
  purpose: "Adds, changes or removes an item (clip, signal, sound, activation) of a timeline",
  defaultShape: "track, number of items; needs asset=, item=",
  parameters: z.object({
    asset: text("path or guid"),
    track: wholeNumber("from 0", { min: 0 }),
    type: text("animation, signal, activation, audio"),
    target: text("path of names"),
    index: wholeNumber("of the item, from 0", { min: 0 }),
    item: jsonObject("{t, duration?, clip | signal | active}, seconds"),
    remove: flag("removes the item"),
  }),
  drillDown: {
    track: "from 0; absent: a new one by type=, target=",
    type: "animation, signal, activation, audio",
    target: "Child/Path",
    index: "absent: a new one",
    remove: "removes it",
  },
  annotations: { ...ADDS, destructiveHint: true },
  undoable: true,

  async produce(services, { asset, track, type, target, index, item: given = {}, remove = false }) {
    const tool = "set_timeline_item";
    const clip = await clipOf(services, tool, { asset, types: ["timeline"] });
    if (!clip.ok) return clip;
    if (remove && (track === undefined || index === undefined)) {
      return refuseMissing(tool, "track or index", "get_timeline lists tracks; with track= items");
    }
    if (track === undefined && type === undefined) {
      return refuseMissing(tool, "track or type", "An existing track=, or the type= of a new one");
    }
    const item = Object.fromEntries(Object.entries(given).filter(([, member]) => member !== null));
    if (!remove && Object.keys(item).length === 0) {
      return refuseMissing(tool, "item", "An object like {t: 1.5, signal: start}");
    }
    const named = await withGuid(services, item);
    if (!named.ok) return named;
    const other = otherTrack(clip.value.content, track, { type, target });
    if (other !== null) return other;
    const edit = withItem(clip.value.content, { track, item: index }, {
      fresh: { ...(type !== undefined && { type }), ...(target !== undefined && { target }) },
      members: remove ? null : named.value,
    });
    return await written(clip.value, edit);
  },

  summarize: (edit) => summaryOf(edit, "items"),
});

/** An existing track keeps its type and target: different ones are refused instead of ignored. */
function otherTrack(
  content: JsonObject,
  track: number | undefined,
  asked: { readonly type: string | undefined; readonly target: string | undefined },
): Result<never, Problem> | null {
  const found = track === undefined ? undefined : objectsIn(content["tracks"])[track];
  if (found === undefined) return null;
  const names = ["type", "target"] as const;
  const name = names.find((one) => asked[one] !== undefined && asked[one] !== (found[one] ?? ""));
  return name === undefined ? null : refuse(
    409,
    "other-track",
    `Track ${track} has the ${name} ${JSON.stringify(found[name] ?? "")}, ` +
      `not ${JSON.stringify(asked[name])}`,
    "Leave track out for a new one of that type and target",
  );
}

export const ANIMATION_TOOLS: readonly Tool[] = [
  setAnimationKey,
  setAnimationClip,
  getTimeline,
  setTimelineItem,
];
