import { renderableBounds } from "../../game/assets/mod.ts";
import { activeCamera, fromViewport, viewOf } from "../../game/layout/mod.ts";
import type { SceneView } from "../../game-web/mod.ts";
import type { Layer, TraitValues, Vec3 } from "../../editor/ports/mod.ts";
import { setView } from "../model/actions.ts";
import { paint, placeAsset } from "../model/asset-actions.ts";
import { assetByName } from "../model/assets.ts";
import { view as editorView } from "../model/editor.ts";
import { byId, scene } from "../model/scene.ts";
import type { Point } from "./gesture.ts";
import { orbit } from "./look.ts";

// What is dropped on the picture lies where it was pointed at.

/** So many times as far as what is looked at: the ground is no place to put something any more. */
const FAR = 10;

/** Whether something is dragged that can be dropped here. */
export function canDrop({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes("text/plain") === true;
}

/**
 * Puts the asset that was dropped where the pointer is; a material that is dropped on a mesh paints that.
 *
 * @returns Whether one was dropped.
 */
export function dropAsset(view: SceneView, { dataTransfer }: DragEvent, point: Point): boolean {
  const asset = assetByName.value.get(dataTransfer?.getData("text/plain") ?? "");
  if (asset === undefined) return false;
  const { mode } = editorView.value;
  const below = asset.type === "material" && mode === "3d" ? view.pick(point.x, point.y) : null;
  if (below !== null && byId.value.get(below)?.traits["Renderable3D"] !== undefined) {
    void paint(below, asset);
    return true;
  }
  void placeAsset(asset, {
    layer: mode,
    at(layer, traits = {}) {
      if (layer !== mode) setView({ mode: layer }); // else it is not seen
      const at = layer === mode ? placeOf(view, layer, point) : null;
      return at && layer === "3d" ? raised(at, traits) : at;
    },
  });
  return true;
}

/** A place raised so that a primitive stands on it; a model stands as its author had it. */
function raised([x, y, z]: Vec3, { Renderable3D = {} }: TraitValues): Vec3 {
  return [x, y - (renderableBounds(Renderable3D, new Map())?.min[1] ?? 0), z];
}

/** What a point of the picture means: metres of the 3D layer, else pixels. */
function placeOf(view: SceneView, layer: Layer, point: Point): Vec3 | null {
  if (layer === "3d") return roundedTo(1e3, inSpace(view, point));
  const { x, y, w } = view.screenRect;
  const { viewport } = view.flat;
  const scale = w / viewport.width;
  const [left, top] = [(point.x - x) / scale, (point.y - y) / scale];
  if (layer === "ui") return roundedTo(1, [left, top, 0]);
  const camera = activeCamera(scene.value.entities, "2d");
  const [fields, at] = [camera?.traits["Camera"], view.places(camera?.id ?? NaN)?.own];
  const seen = viewOf(viewport, fields && at && { fields, at });
  return roundedTo(1, [...fromViewport(left, top, seen), 0]);
}

/** On what is drawn there, else on the ground, else as far as what is looked at. */
function inSpace(view: SceneView, { x, y }: Point): Vec3 | null {
  const surface = view.surfaceAt(x, y);
  if (surface !== null) return surface;
  const ray = view.ray(x, y);
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
