import type { SceneView } from "../../game-web/mod.ts";
import { fitting, type FlatView, shifted, zoomed } from "./flat-look.ts";
import type { Gesture, ViewportPoint } from "./gesture.ts";
import { flatLook, orbit, throughCamera } from "./look.ts";
import { dollied, lookingAlong, panned, turned } from "./orbit.ts";

// Gestures that change the view, never the scene.

/** Fraction of a doubling per pixel of a wheel. */
const PER_PIXEL = 0.0015;

/** Returns the current view of the 2D layers. */
export function lookOf(view: SceneView): FlatView {
  return flatLook.value ?? fitting(view.size, view.measures.flat.viewport);
}

/** Orbits around the centre, or pans; the 2D layers are only panned. */
export function lookDrag(
  view: SceneView,
  from: ViewportPoint,
  { isPan }: { readonly isPan: boolean },
): Gesture {
  let before = from;
  return {
    move(at) {
      const [dx, dy] = [at.x - before.x, at.y - before.y];
      before = at;
      if (view.mode === "3d") leaveCamera(view);
      if (view.mode === "3d" && !isPan) orbit.value = turned(orbit.value, dx, dy);
      else pan(view, dx, dy);
    },
    end: () => undefined,
  };
}

/**
 * Zooms by two fingers: moving them apart zooms in. @param fingers Their positions, updated by the
 * caller.
 */
export function pinch(view: SceneView, fingers: ReadonlyMap<number, ViewportPoint>): Gesture {
  const now = () => {
    const [a = { x: 0, y: 0 }, b = a] = [...fingers.values()];
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, apart: Math.hypot(a.x - b.x, a.y - b.y) };
  };
  let before = now();
  return {
    move() {
      const at = now();
      if (before.apart > 0 && at.apart > 0) {
        pan(view, at.x - before.x, at.y - before.y);
        const wheel = Math.log(before.apart / at.apart) / PER_PIXEL;
        if (view.mode === "3d") orbit.value = dollied(orbit.value, wheel);
        else zoom(view, at, wheel);
      }
      before = at;
    },
    end: () => undefined,
  };
}

/** Zooms towards the point below the pointer, or away from it. */
export function wheel(view: SceneView, event: WheelEvent, at: ViewportPoint): void {
  const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
  // A touchpad pinch arrives as a wheel event with the Ctrl key.
  const by = event.deltaY * lines * (event.ctrlKey ? 6 : 1);
  if (view.mode !== "3d") return zoom(view, at, by);
  leaveCamera(view);
  const { width, height } = view.size;
  const before = orbit.value;
  const after = dollied(before, by);
  // Keeps the point below the pointer in place.
  const kept = 1 - after.distance / before.distance;
  const [dx, dy] = [(at.x - width / 2) * kept, (at.y - height / 2) * kept];
  orbit.value = { ...after, target: panned(before, { width, height }, -dx, -dy).target };
}

function pan(view: SceneView, dx: number, dy: number): void {
  if (view.mode === "3d") orbit.value = panned(orbit.value, view.size, dx, dy);
  else flatLook.value = shifted(lookOf(view), view.measures.flat.viewport, dx, dy);
}

function zoom(view: SceneView, at: ViewportPoint, wheel: number): void {
  flatLook.value = zoomed(lookOf(view), view.size, at, Math.exp(-wheel * PER_PIXEL));
}

/** Leaves the scene's camera: the orbit continues from its view. */
function leaveCamera(view: SceneView): void {
  if (!throughCamera.value) return;
  const { width, height } = view.size;
  const ahead = view.measures.ray(width / 2, height / 2);
  if (ahead !== null) orbit.value = lookingAlong(ahead, orbit.value.distance);
  throughCamera.value = false;
}
