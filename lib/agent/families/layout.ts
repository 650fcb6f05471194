import { z } from "zod";
import { ok } from "../../core/result.ts";
import type { Layout } from "../../editor/ports.ts";
import { countBy, firstOf } from "../lists.ts";
import { choice, flag, ids, limit } from "../parameters.ts";
import { defineTool, READ_ONLY, type Tool } from "../tool.ts";

const LIST_LIMIT = 200;
/** Ids shown of those off the screen and of those without size (CONTRACTS §2). */
const SHOWN_IDS = 50;
const LAYERS = ["ui", "2d", "3d"] as const;

const parameters = z.object({
  ids: ids("rectangles of these entities"),
  layer: choice(LAYERS, "rectangles of this layer"),
  overlaps: flag("pairs of one layer that overlap"),
  limit: limit(`${LIST_LIMIT} of each list`),
});

type Arguments = z.output<typeof parameters>;

/** `svc_get_layout_bounds` (spec §2.2, CONTRACTS §2). */
export const getLayoutBounds: Tool = defineTool({
  name: "svc_get_layout_bounds",
  route: "/api/layout-bounds",
  purpose: "Where entities lie on the screen: rectangles, off-screen, overlapping, zero-size",
  defaultShape: `counts only, at most ${SHOWN_IDS} off-screen ids`,
  parameters,
  drillDown: { ids: "rects", layer: "rects", overlaps: "pairs" },
  sizeWarning: `a whole layer can be large; lists stop at ${LIST_LIMIT} unless limit= says more`,
  annotations: READ_ONLY,

  async produce({ editor }, args, { signal }) {
    const { overlaps = false, layer, ids, limit = LIST_LIMIT } = args;
    const pairs = overlaps ? { overlaps, pairs: { layer, ids, limit } } : {};
    return ok(await editor.layoutBounds({ ...pairs, signal }));
  },

  summarize(layout, args) {
    const { entries } = layout;
    const offScreen = firstOf(layout.offScreen, SHOWN_IDS);
    const empty = entries.filter((entry) => entry.zeroSize).map((entry) => entry.id);
    const zeroSize = firstOf(empty, SHOWN_IDS);
    const rects = rectsOf(layout, args);
    const pairs = pairsOf(layout, args);
    return ok({
      count: entries.length,
      layerCounts: { ui: 0, "2d": 0, "3d": 0, ...countBy(entries, (entry) => entry.layer) },
      offScreen: offScreen.shown,
      ...(offScreen.truncated && { offScreenTruncated: true }),
      offScreenCount: layout.offScreen.length,
      overlapsCount: layout.overlapsCount,
      zeroSize: {
        count: empty.length,
        ids: zeroSize.shown,
        ...(zeroSize.truncated && { truncated: true }),
      },
      ...rects,
      ...pairs,
      ...(rects === null && pairs === null &&
        { hint: "Counts only: ids= or layer= for rects, overlaps=1 for pairs" }),
    });
  },
});

function rectsOf({ entries }: Layout, { ids, layer, limit }: Arguments): object | null {
  if (ids === undefined && layer === undefined) return null;
  const wanted = ids && new Set(ids);
  const matched = entries.filter((entry) =>
    (wanted?.has(entry.id) ?? true) && (layer === undefined || entry.layer === layer)
  );
  const { shown, truncated } = firstOf(matched, limit ?? LIST_LIMIT);
  const measured = new Set(entries.map((entry) => entry.id));
  const unmeasured = [...wanted ?? []].filter((id) => !measured.has(id)).length;
  return {
    matched: matched.length,
    truncated,
    entities: shown,
    ...(unmeasured > 0 && { unmeasured }),
  };
}

function pairsOf(
  { overlaps, overlapsMatched }: Layout,
  args: Arguments,
): object | null {
  if (!args.overlaps) return null;
  const wanted = args.ids && new Set(args.ids);
  // An editor may list all pairs, whatever it was asked for.
  const listed = (overlaps ?? []).filter(({ a, b, layer }) =>
    (args.layer === undefined || layer === args.layer) &&
    (wanted === undefined || wanted.has(a) || wanted.has(b))
  );
  const { shown } = firstOf(listed, args.limit ?? LIST_LIMIT);
  const matched = overlapsMatched ?? listed.length;
  return {
    overlaps: shown,
    overlapsMatched: matched,
    overlapsTruncated: matched > shown.length,
  };
}

/** The tools of this family. */
export const LAYOUT_TOOLS: readonly Tool[] = [getLayoutBounds];
