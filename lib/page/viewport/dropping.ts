import { renderableBounds } from "../../game/assets/mod.ts";
import { activeCamera, fromViewport, layoutView } from "../../game/layout/mod.ts";
import type { SceneView } from "../../game-web/mod.ts";
import type { Layer, TraitValues, Vec3 } from "../../editor/ports/mod.ts";
import { setView } from "../model/actions.ts";
import { paint, placeAsset } from "../model/asset-actions.ts";
import { assetByName } from "../model/assets.ts";
import { view as editorView } from "../model/editor.ts";
import { byId, scene } from "../model/scene.ts";
import type { ViewportPoint } from "./gesture.ts";
import { orbit } from "./look.ts";

// Places dropped things where the pointer is.

/** Beyond this multiple of the camera's distance, the ground is not a useful place. */
const FAR = 10;

/** Whether something is dragged that can be dropped here. */
export function canDrop({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes("text/plain") === true;
}

/**
 * Places a dropped asset at the pointer; a material dropped on a mesh is assigned to it.
 *
 * @returns Whether an asset was dropped.
 */
export function dropAsset(
  view: SceneView,
  { dataTransfer }: DragEvent,
  point: ViewportPoint,
): boolean {
  const asset = assetByName.value.get(dataTransfer?.getData("text/plain") ?? "");
  if (asset === undefined) return false;
  const { mode } = editorView.value;
  const below = asset.type === "material" && mode === "3d"
    ? view.measures.pick(point.x, point.y)
    : null;
  if (below !== null && byId.value.get(below)?.traits["Renderable3D"] !== undefined) {
    void paint(below, asset);
    return true;
  }
  void placeAsset(asset, {
    layer: mode,
    at(layer, traits = {}) {
      if (layer !== mode) setView({ mode: layer }); // otherwise it would be invisible
      const at = layer === mode ? placeOf(view, layer, point) : null;
      return at && layer === "3d" ? raised(at, traits) : at;
    },
  });
  return true;
}

/** Raises a position so that a primitive stands on it; a model stands at its own origin. */
function raised([x, y, z]: Vec3, { Renderable3D = {} }: TraitValues): Vec3 {
  return [x, y - (renderableBounds(Renderable3D, new Map())?.min[1] ?? 0), z];
}

/** Converts a point of the viewport to a position: metres on the 3D layer, otherwise pixels. */
function placeOf(view: SceneView, layer: Layer, point: ViewportPoint): Vec3 | null {
  if (layer === "3d") return roundedTo(1e3, inSpace(view, point));
  const { x, y, w } = view.screenRect;
  const { viewport } = view.measures.flat;
  const scale = w / viewport.width;
  const [left, top] = [(point.x - x) / scale, (point.y - y) / scale];
  if (layer === "ui") return roundedTo(1, [left, top, 0]);
  const camera = activeCamera(scene.value.entities, "2d");
  const [fields, at] = [camera?.traits["Camera"], view.measures.places(camera?.id ?? NaN)?.own];
  const seen = layoutView(viewport, fields && at && { fields, at });
  return roundedTo(1, [...fromViewport(left, top, seen), 0]);
}

/**
 * Returns the surface at the pointer, otherwise the ground, otherwise a point at the camera's
 * distance.
 */
function inSpace(view: SceneView, { x, y }: ViewportPoint): Vec3 | null {
  const surface = view.measures.surfaceAt(x, y);
  if (surface !== null) return surface;
  const ray = view.measures.ray(x, y);
  if (ray === null) return null;
  const { origin, direction } = ray;
  const { distance } = orbit.value;
  const toGround = -origin[1] / direction[1];
  const isNear = toGround > 0 && toGround < distance * FAR;
  const along = isNear ? toGround : distance;
  return [
    origin[0] + direction[0] * along,
    isNear ? 0 : origin[1] + direction[1] * along,
    origin[2] + direction[2] * along,
  ];
}

function roundedTo(parts: number, at: Vec3 | null): Vec3 | null {
  const rounded = (value: number) => Math.round(value * parts) / parts + 0; // no −0
  return at && [rounded(at[0]), rounded(at[1]), rounded(at[2])];
}
