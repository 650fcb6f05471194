import { add, type Affine, rotate } from "../../game/geometry/mod.ts";
import type { SceneView } from "../../game-web/mod.ts";
import type { Vec3, WorldBounds } from "../../editor/ports/mod.ts";
import { select, setView, toggleSelected } from "../model/actions.ts";
import { view as editorView } from "../model/editor.ts";
import { byId, childrenByParent, scene } from "../model/scene.ts";
import { showing } from "./flat-look.ts";
import { flatLook, orbit, throughCamera } from "./look.ts";
import { framed } from "./orbit.ts";
import { shapesNow } from "./shaping.ts";

// Selection in the viewport, and framing.

/** Selects the clicked entity, or nothing. @param options.adds Adds it to the selection. */
export function selectPicked(id: number | null, { adds }: { readonly adds: boolean }): void {
  if (!adds) return select(id === null ? [] : [id]);
  if (id !== null) toggleSelected(id);
}

/**
 * Returns the corners of a placed box: bits 1, 2 and 4 of the index select the far side of x, y and
 * z.
 */
export function cornersOf({ bounds: { min, max }, affine: { linear, offset } }: {
  readonly bounds: WorldBounds;
  readonly affine: Affine;
}): readonly Vec3[] {
  return [0, 1, 2, 3, 4, 5, 6, 7].map((n) => {
    const corner: Vec3 = [
      (n & 1) === 0 ? min[0] : max[0],
      (n & 2) === 0 ? min[1] : max[1],
      (n & 4) === 0 ? min[2] : max[2],
    ];
    return add(offset, rotate(linear, corner));
  });
}

/** Returns the box around entities and their descendants; `null` if none has bounds. */
function boundsOf(view: SceneView, ids: readonly number[]): WorldBounds | null {
  const points: Vec3[] = [];
  for (const id of withAllBelow(ids)) {
    const box = view.measures.box(id);
    if (box !== null) points.push(...cornersOf(box));
  }
  if (points.length === 0) { // an invisible entity is framed by its range, unless it is a camera
    const shapes = ids.flatMap((id) => shapesNow(view, id)).filter(({ kind }) => kind !== "camera");
    points.push(...shapes.flatMap(({ lines }) => lines.flat()));
    const places = ids.map((id) => view.measures.places(id)?.own).filter((own) =>
      own?.placed === true
    );
    points.push(...places.flatMap((own) => own === undefined ? [] : [own.affine.offset]));
  }
  return around(points);
}

/** Entities and all below them, however deep. */
function withAllBelow(ids: readonly number[]): ReadonlySet<number> {
  const all = new Set(ids);
  for (const id of all) {
    for (const child of childrenByParent.value.get(id) ?? []) all.add(child.id); // the loop also visits it
  }
  return all;
}

function around(points: readonly Vec3[]): WorldBounds | null {
  const [first] = points;
  if (first === undefined) return null;
  const least = (n: 0 | 1 | 2) =>
    points.reduce((least, point) => Math.min(least, point[n]), first[n]);
  const most = (n: 0 | 1 | 2) => points.reduce((most, point) => Math.max(most, point[n]), first[n]);
  return { min: [least(0), least(1), least(2)], max: [most(0), most(1), most(2)] };
}

/** Frames entities: by default the selection or, without one, the scene. */
export function frame(view: SceneView, ids = editorView.value.selection): void {
  const layer = byId.value.get(ids[0] ?? NaN)?.layer ?? editorView.value.mode;
  if (layer !== "3d") return frameFlat(view, ids, layer);
  const box = ids.length === 0 ? boundsOfScene(view) : boundsOf(view, ids);
  if (box === null) return;
  if (layer !== editorView.value.mode) setView({ mode: layer });
  throughCamera.value = false;
  orbit.value = framed(orbit.value, box);
}

/** Frames the whole screen, or entities and their descendants. */
function frameFlat(view: SceneView, ids: readonly number[], layer: "2d" | "ui"): void {
  if (layer !== editorView.value.mode) setView({ mode: layer });
  const framedIds = withAllBelow(ids);
  const bounds = around(
    view.measures.flat.layout.entries.flatMap(({ id, rect }): readonly Vec3[] =>
      rect === null || !framedIds.has(id)
        ? []
        : [[rect.x, rect.y, 0], [rect.x + rect.w, rect.y + rect.h, 0]]
    ),
  );
  flatLook.value = bounds && showing(bounds, view.size);
}

/**
 * Entities larger than most by this factor, such as a sea or a sky, are ignored when framing the
 * scene.
 */
const HUGE = 12;

function boundsOfScene(view: SceneView): WorldBounds | null {
  const boxes = scene.value.entities.flatMap(({ id }) => {
    const box = view.measures.box(id);
    const bounds = box === null ? null : around(cornersOf(box));
    return bounds === null ? [] : [{ bounds, size: sizeOf(bounds) }];
  }).sort((a, b) => a.size - b.size);
  const usual = boxes[Math.floor(boxes.length * 0.75)]?.size ?? 0;
  const within = boxes.filter(({ size }) => size <= usual * HUGE);
  return around(within.flatMap(({ bounds: { min, max } }) => [min, max]));
}

function sizeOf({ min, max }: WorldBounds): number {
  return Math.hypot(max[0] - min[0], max[1] - min[1], max[2] - min[2]);
}
