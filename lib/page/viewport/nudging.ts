import type { SceneView } from "../../game-web/mod.ts";
import type { Vec3 } from "../../editor/ports/mod.ts";
import { isStopped } from "../model/editor.ts";
import { flatGesture } from "./flat.ts";
import { orbit, snap } from "./look.ts";
import { beginTransform, endTransform, tryTransform } from "./transforming.ts";

// Arrow keys move the selection: holding a key is one gesture.

/** Metres of one press. */
const STEP = 0.1;
const SNAPPED = 0.5;
const FAR = 10;

/** The running move; `null` while no key is down. */
let moving: { by(way: Vec3, isFar: boolean): void; end(): void } | null = null;

/** Handles a pressed or repeating key. @returns Whether it moves something. */
export function nudge(
  view: SceneView,
  key: string,
  { isFar }: { readonly isFar: boolean },
): boolean {
  if (!isStopped.value) return false;
  const way = view.mode === "3d" ? turned(wayOf(key)) : wayOf(key);
  if (way === null) return false;
  moving ??= view.mode === "3d" ? inSpace(view) : onScreen(view);
  moving?.by(way, isFar);
  return moving !== null;
}

/** The keys are up: it is an edit. */
export function nudged(): void {
  moving?.end();
  moving = null;
}

function inSpace(view: SceneView): typeof moving {
  const what = beginTransform(view);
  let by: Vec3 = [0, 0, 0];
  return what && {
    by(way, isFar) {
      const step = (snap.value ? SNAPPED : STEP) * (isFar ? FAR : 1);
      by = [by[0] + way[0] * step, by[1] + way[1] * step, by[2] + way[2] * step];
      tryTransform(what, { kind: "move", by });
    },
    end: () => void endTransform(what, { kind: "move", by }),
  };
}

function onScreen(view: SceneView): typeof moving {
  const gesture = flatGesture(view, null);
  const scale = view.screenRect.w / view.measures.flat.viewport.width;
  let [dx, dy] = [0, 0];
  return gesture && {
    by([x, , z], isFar) {
      const step = scale * (isFar ? FAR : 1);
      [dx, dy] = [dx + x * step, dy + z * step];
      gesture.move(dx, dy);
    },
    end: () => gesture.end(true),
  };
}

/** Returns the direction of a key: right, up, or towards the viewer. */
function wayOf(key: string): Vec3 | null {
  switch (key) {
    case "ArrowRight":
      return [1, 0, 0];
    case "ArrowLeft":
      return [-1, 0, 0];
    case "ArrowUp":
      return [0, 0, -1];
    case "ArrowDown":
      return [0, 0, 1];
    case "PageUp":
      return [0, 1, 0];
    case "PageDown":
      return [0, -1, 0];
    default:
      return null;
  }
}

/** The axis of the world that is nearest to it on the screen. */
function turned(way: Vec3 | null): Vec3 | null {
  if (way === null) return null;
  const quarters = ((Math.round(orbit.value.yaw / 90) % 4) + 4) % 4;
  let [x, y, z] = way;
  for (let n = 0; n < quarters; n++) [x, z] = [z, -x];
  return [x, y, z];
}
