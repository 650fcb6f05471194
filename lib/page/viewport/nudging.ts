import type { SceneView } from "../../game-web/mod.ts";
import type { Vec3 } from "../../editor/ports/mod.ts";
import { play } from "../model/editor.ts";
import type { GizmoChange } from "./gizmo.ts";
import { orbit, snap } from "./look.ts";
import { beginTransform, endTransform, type Transformed, tryTransform } from "./transforming.ts";

// Arrow keys move what is selected: as long as one is held it is one gesture.

/** Metres of one press. */
const STEP = 0.1;
const SNAPPED = 0.5;
const FAR = 10;

let what: Transformed | null = null;
let by: Vec3 = [0, 0, 0];

/** A key went down, or goes on to be. @returns Whether it moves something. */
export function nudge(
  view: SceneView,
  key: string,
  { isFar }: { readonly isFar: boolean },
): boolean {
  const way = view.mode === "3d" && play.value.state === "stopped" ? wayOf(key) : null;
  if (way === null) return false;
  what ??= beginTransform(view);
  if (what === null) return false;
  const step = (snap.value ? SNAPPED : STEP) * (isFar ? FAR : 1);
  by = [by[0] + way[0] * step, by[1] + way[1] * step, by[2] + way[2] * step];
  tryTransform(what, { kind: "move", by });
  return true;
}

/** The keys are up: it is an edit. */
export function nudged(): void {
  if (what === null) return;
  const change: GizmoChange = { kind: "move", by };
  void endTransform(what, change);
  [what, by] = [null, [0, 0, 0]];
}

/** The axis of the world that is nearest to what the key says on the screen. */
function wayOf(key: string): Vec3 | null {
  switch (key) {
    case "PageUp":
      return [0, 1, 0];
    case "PageDown":
      return [0, -1, 0];
  }
  const quarter = ["ArrowRight", "ArrowUp", "ArrowLeft", "ArrowDown"].indexOf(key);
  if (quarter < 0) return null;
  const ways: readonly Vec3[] = [[1, 0, 0], [0, 0, -1], [-1, 0, 0], [0, 0, 1]];
  const turned = Math.round(orbit.value.yaw / 90);
  return ways[((quarter + turned) % 4 + 4) % 4] ?? null;
}
