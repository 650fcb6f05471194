import type { Yoga } from "yoga-layout/load";
import { eachOf, type Work } from "../../core/cooperative.ts";
import type { AssetDetails } from "../assets/details.ts";
import type {
  Entity,
  Layer,
  Layout,
  LayoutEntry,
  OverlapQuery,
  Rect,
  ScreenLayout,
  Viewport,
} from "../types/mod.ts";
import type { WorldPlace } from "../scene/transforms.ts";
import { isOn, numberIn } from "../traits/value.ts";
import { layoutView, rect2d } from "./layout2d.ts";
import type { LayoutMemory, Measured } from "./layout-memory.ts";
import { layoutUi } from "./layout-ui.ts";
import {
  Ancestry,
  countMatching,
  countOverlaps,
  hasArea,
  intersects,
  listOverlaps,
} from "./overlaps.ts";
import { renderableBounds } from "../assets/renderable-bounds.ts";
import { projectBounds, type Projection, projectionOf } from "./project3d.ts";

/** Request for overlapping rectangles. */
export interface OverlapOptions {
  /** Lists the pairs that overlap. */
  readonly overlaps?: boolean;
  /** The requested pairs among them. */
  readonly pairs?: OverlapQuery;
}

/** Everything from which the layout of a scene is derived. */
export interface LayoutInput {
  /** In document order. */
  readonly entities: readonly Entity[];
  readonly places: ReadonlyMap<number, WorldPlace>;
  readonly details: AssetDetails;
  readonly viewport: Viewport;
  readonly yoga: Yoga;
  /** Earlier measurements, for consecutive layouts of one scene. */
  readonly memory?: LayoutMemory;
}

/**
 * Returns the camera that draws a layer: the active one with the highest `priority`, then the first
 * in document order.
 */
export function activeCamera(entities: readonly Entity[], layer: Layer): Entity | undefined {
  let best: Entity | undefined;
  for (const entity of entities) {
    const camera = entity.layer === layer ? entity.traits["Camera"] : undefined;
    if (camera === undefined || !isOn(camera, "active")) continue;
    const isBetter = best === undefined ||
      numberIn(camera, "priority") > numberIn(best.traits["Camera"], "priority");
    if (isBetter) best = entity;
  }
  return best;
}

/**
 * Returns the screen positions of everything drawn: entities with a Renderable3D on the 3D layer,
 * with a Sprite or Text on the 2D layer, with a UIElement on the UI layer.
 */
export function* layoutWork(
  input: LayoutInput,
  { overlaps = false, pairs }: OverlapOptions = {},
): Work<Layout> {
  const { entities, viewport } = input;
  const entries = yield* measure(input);
  const ancestry = yield* Ancestry.of(entities);
  const counted = overlaps && pairs === undefined
    ? Infinity // the list itself gives the count
    : yield* countOverlaps(entries, ancestry);
  // Stops after the last existing pair.
  const limit = Math.min(pairs?.limit ?? Infinity, counted);
  const listed = overlaps ? yield* listOverlaps(entries, ancestry, { ...pairs, limit }) : undefined;
  const overlapsCount = counted === Infinity ? listed?.length ?? 0 : counted;
  const isCut = listed !== undefined && listed.length === pairs?.limit;
  const asksForAll = pairs?.layer === undefined && pairs?.ids === undefined;
  return {
    viewport: { width: viewport.width, height: viewport.height },
    entries,
    offScreen: entries.filter((entry) => !entry.onScreen).map(({ id }) => id),
    overlapsCount,
    ...(listed !== undefined && { overlaps: listed }),
    ...(isCut && {
      overlapsMatched: asksForAll ? overlapsCount : yield* countMatching(entries, ancestry, pairs),
    }),
  };
}

/** Lays out like {@linkcode layoutWork} without overlaps: sufficient for a frame of a game. */
export function* screenLayoutWork(input: LayoutInput): Work<ScreenLayout> {
  const { width, height } = input.viewport;
  return { viewport: { width, height }, entries: yield* measure(input) };
}

function* measure(input: LayoutInput): Work<readonly LayoutEntry[]> {
  const { entities, places, details, viewport, memory } = input;
  const camera3d = activeCamera(entities, "3d");
  const place3d = places.get(camera3d?.id ?? 0);
  const fields3d = camera3d?.traits["Camera"];
  const projection = fields3d === undefined || place3d === undefined
    ? null
    : projectionOf(fields3d, place3d);

  const camera2d = activeCamera(entities, "2d");
  const place2d = places.get(camera2d?.id ?? 0);
  const fields2d = camera2d?.traits["Camera"];
  const view = fields2d === undefined || place2d === undefined
    ? layoutView(viewport)
    : layoutView(viewport, { fields: fields2d, at: place2d });

  const uiRects = yield* layoutUi(entities, input, memory?.ui);
  const screen = { x: 0, y: 0, w: viewport.width, h: viewport.height };
  const found = new Map<number, Measured>();
  const entries: LayoutEntry[] = [];
  const seenFrom = [fields3d, place3d, fields2d, place2d, details, viewport];
  const known = memory?.of(seenFrom);
  yield* eachOf(entities, (entity) => {
    const { id, name, layer } = entity;
    const at = places.get(id);
    if (at === undefined) return;
    const before = known?.get(id);
    const box = layer === "ui" ? uiRects.get(id) : undefined;
    const isSame = before?.entity === entity && before.at === at;
    if (isSame && (layer !== "ui" || before.entry.rect === box)) {
      found.set(id, before);
      entries.push(before.entry);
      return;
    }
    const rect = layer === "ui"
      ? box
      : layer === "2d"
      ? rect2d(entity, at, { view, details })
      : rect3d(entity, at, { projection, details, viewport });
    if (rect === undefined) return;
    const entry = {
      id,
      name,
      layer,
      rect,
      onScreen: rect !== null && hasArea(rect) && intersects(rect, screen),
      zeroSize: rect !== null && !hasArea(rect),
    };
    entries.push(entry);
    if (memory !== undefined) found.set(id, { entity, at, entry });
  });
  memory?.keep(seenFrom, found);
  return entries;
}

/** Returns `undefined` if it is not drawn in 3D, `null` if it is invisible or has no size. */
function rect3d(
  entity: Entity,
  { affine }: WorldPlace,
  { projection, details, viewport }: {
    readonly projection: Projection | null;
    readonly details: AssetDetails;
    readonly viewport: Viewport;
  },
): Rect | null | undefined {
  const renderable = entity.traits["Renderable3D"];
  if (renderable === undefined) return undefined;
  const bounds = renderableBounds(renderable, details);
  if (projection === null || bounds === undefined || !isOn(renderable, "visible")) return null;
  return projectBounds({ bounds, affine }, projection, viewport);
}
