import { z } from "zod";
import { ok } from "../../core/result.ts";
import type { Layout, LayoutEntry } from "../../editor/ports/mod.ts";
import { countBy, pageOf } from "../answer/lists.ts";
import { resolveEntity } from "../scene/entities.ts";
import { after, choice, flag, ids, limit } from "../declaration/parameters.ts";
import { defineTool, READ_ONLY, type Tool } from "../declaration/tool.ts";

const LIST_LIMIT = 200;
/** Default ids listed for entities off the screen and for those without size (SCENE-4). */
const SHOWN_IDS = 10;
/** In this order: entities laid out on the screen are expected to be visible. */
const LAYERS = ["ui", "2d", "3d"] as const;

const parameters = z.object({
  ids: ids("rectangles of these entities"),
  layer: choice(LAYERS, "rectangles of this layer"),
  overlaps: flag("pairs of one layer that overlap"),
  offScreen: flag("ids of all that is off the screen or has no size"),
  limit: limit(`${LIST_LIMIT} of each list`),
  after: after(),
});

type Arguments = z.output<typeof parameters>;

/** `svc_get_layout_bounds` (SCENE-4). */
const getLayoutBounds: Tool = defineTool({
  name: "svc_get_layout_bounds",
  route: "/api/layout-bounds",
  purpose: "Screen layout of entities: rectangles, off-screen, overlapping, zero-size",
  defaultShape: `counts, ${SHOWN_IDS} off-screen ids at most`,
  parameters,
  drillDown: { ids: "rects", layer: "rects", overlaps: "pairs", offScreen: "ids" },
  sizeWarning: `layer=; ${LIST_LIMIT}, or limit=`,
  annotations: READ_ONLY,
  // Explicitly requested rectangles can be continued; next to them every other list has its own
  // end.
  fills: ({ ids, layer, overlaps, offScreen }) =>
    (ids !== undefined || layer !== undefined) && overlaps !== true && offScreen !== true
      ? "entities"
      : null,

  async produce({ editor }, args, { signal }) {
    const { overlaps = false, layer, ids, limit = LIST_LIMIT, after = 0 } = args;
    const pairs = overlaps ? { overlaps, pairs: { layer, ids, limit: limit + after } } : {};
    const { entities } = ids === undefined ? { entities: [] } : await editor.sceneState();
    const there = new Set(entities.map(({ id }) => id));
    const [first] = ids ?? [];
    // Like id= of the scene state: naming no existing entity is an error, unlike a filter without
    // hits.
    if (first !== undefined && ids?.every((id) => !there.has(id))) {
      const none = resolveEntity(entities, { id: first });
      if (!none.ok) return none;
    }
    return ok({ layout: await editor.layoutBounds({ ...pairs, signal }), there });
  },

  summarize({ layout, there }, args) {
    const { entries } = layout;
    const { offScreen: asked = false, limit = LIST_LIMIT, after } = args;
    const part = asked ? { limit, after } : { limit: SHOWN_IDS };
    const off = new Set(layout.offScreen);
    const offScreen = pageOf(idsByLayer(entries, ({ id }) => off.has(id)), part);
    const empty = idsByLayer(entries, (entry) => entry.zeroSize);
    const zeroSize = pageOf(empty, part);
    const rects = rectsOf(layout, there, args);
    const pairs = pairsOf(layout, args);
    const next = (asked ? [offScreen.cut.next, zeroSize.cut.next] : [])
      .concat(rects?.next, pairs?.next).find((one) => one !== undefined);
    return ok({
      count: entries.length,
      layerCounts: { ui: 0, "2d": 0, "3d": 0, ...countBy(entries, (entry) => entry.layer) },
      offScreen: offScreen.shown,
      ...(offScreen.cut.truncated && { offScreenTruncated: true }),
      offScreenCount: layout.offScreen.length,
      overlapsCount: layout.overlapsCount,
      zeroSize: {
        count: empty.length,
        ids: zeroSize.shown,
        ...(zeroSize.cut.truncated && { truncated: true }),
      },
      ...rects?.fields,
      ...pairs?.fields,
      // `next` continues every requested list.
      ...(next !== undefined && { next }),
      // Kept short: the description documents each parameter.
      ...(rects === null && pairs === null && { hint: "Counts only: ids=, layer=, overlaps=1" }),
    });
  },
});

/** Returns the ids of the matching entries, UI and 2D first. */
function idsByLayer(
  entries: readonly LayoutEntry[],
  isMeant: (entry: LayoutEntry) => boolean,
): readonly number[] {
  const meant = entries.filter(isMeant);
  return LAYERS.flatMap((layer) =>
    meant.filter((entry) => entry.layer === layer).map(({ id }) => id)
  );
}

/** The members of an answer for one requested list, and where it continues. */
interface ListAnswer {
  readonly fields: object;
  readonly next: number | undefined;
}

/** @param there Ids of all entities, if specific ones were requested. */
function rectsOf(
  { entries }: Layout,
  there: ReadonlySet<number>,
  args: Arguments,
): ListAnswer | null {
  const { ids, layer, limit = LIST_LIMIT, after } = args;
  if (ids === undefined && layer === undefined) return null;
  const chosenIds = ids && new Set(ids);
  const matched = entries.filter((entry) =>
    (chosenIds?.has(entry.id) ?? true) && (layer === undefined || entry.layer === layer)
  );
  const { shown, cut: { truncated, next } } = pageOf(matched, { limit, after });
  const measured = new Set(entries.map((entry) => entry.id));
  const unmeasured = [...chosenIds ?? []].filter((id) => !measured.has(id));
  return {
    fields: {
      matched: matched.length,
      truncated,
      entities: shown,
      ...(unmeasured.length > 0 && {
        unmeasured: unmeasured.length,
        unmeasuredHint: whyUnmeasured(unmeasured, there),
      }),
    },
    next,
  };
}

/** Explains why requested entities have no rectangle. */
function whyUnmeasured(ids: readonly number[], there: ReadonlySet<number>): string {
  const placeless = ids.filter((id) => there.has(id));
  const unknown = ids.filter((id) => !there.has(id));
  return [
    ...(placeless.length > 0 ? [`${firstIds(placeless)} draw nothing on the screen`] : []),
    ...(unknown.length > 0 ? [`${firstIds(unknown)} are not in the scene`] : []),
  ].join("; ");
}

function firstIds(ids: readonly number[]): string {
  const { shown, cut: { truncated } } = pageOf(ids, { limit: SHOWN_IDS });
  return `ids ${shown.join(", ")}${truncated ? ", …" : ""}`;
}

function pairsOf({ overlaps, overlapsMatched }: Layout, args: Arguments): ListAnswer | null {
  const { ids, layer, limit = LIST_LIMIT, after } = args;
  if (!args.overlaps) return null;
  const chosenIds = ids && new Set(ids);
  // An editor may list all pairs, regardless of the request.
  const listed = (overlaps ?? []).filter((pair) =>
    (layer === undefined || pair.layer === layer) &&
    (chosenIds === undefined || chosenIds.has(pair.a) || chosenIds.has(pair.b))
  );
  const matched = overlapsMatched ?? listed.length;
  const { shown } = pageOf(listed, { limit, after });
  const end = (after ?? 0) + shown.length;
  const truncated = matched > end;
  return {
    fields: { overlaps: shown, overlapsMatched: matched, overlapsTruncated: truncated },
    next: truncated ? end : undefined,
  };
}

export const LAYOUT_TOOLS: readonly Tool[] = [getLayoutBounds];
