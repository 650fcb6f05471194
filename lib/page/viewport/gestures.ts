import { type Signal, signal } from "@preact/signals";
import type { SceneView } from "../../game-web/mod.ts";
import { select } from "../model/actions.ts";
import { isStopped, view as editorView } from "../model/editor.ts";
import { scene } from "../model/scene.ts";
import { flatGesture } from "./flat.ts";
import { dragged, type GizmoChange, type GizmoPart, snapped } from "./gizmo.ts";
import type { Gesture, ViewportPoint } from "./gesture.ts";
import { isPanning, isSelecting, snap } from "./look.ts";
import { lookDrag, pinch } from "./looking.ts";
import { selectPicked } from "./select.ts";
import { shapeGesture } from "./shaping.ts";
import { beginTransform, endTransform, tryTransform } from "./transforming.ts";
import { wayGesture } from "./ways.ts";

// Pointers in the viewport while no game receives them. A gesture starts with what is below the
// pointer, continues wherever the pointer goes, and ends once.

/** CSS pixels that a pointer moves before it drags. */
const SLACK = 4;

/** The rectangle being drawn to select its content, or `null`. */
export const marquee: Signal<{ readonly from: ViewportPoint; readonly to: ViewportPoint } | null> =
  signal(null);
/** Values of the gizmo drag as text; empty without a drag. */
export const telling: Signal<string> = signal("");
/** The parts of the gizmo as they are drawn. */
export const parts: Signal<readonly GizmoPart[]> = signal([]);
/** The part that is dragged, or below the pointer. */
export const hot: Signal<string | null> = signal(null);

/** The entity below a resting pointer; `null` for none, and while the pointer moves. */
export const hovered: Signal<{ readonly id: number; readonly at: ViewportPoint } | null> = signal(
  null,
);
/** How long a pointer must rest before the entity below it is named, in milliseconds. */
const REST_MS = 150;
let resting: ReturnType<typeof setTimeout> | undefined;

/** Handles a pointer that drags nothing; `null` when it has left. */
export function hover(view: SceneView, at: ViewportPoint | null, below: EventTarget | null): void {
  clearTimeout(resting);
  if (hovered.value !== null) hovered.value = null;
  const mark = below instanceof Element ? below.closest("[data-part], [data-entity]") : null;
  hot.value = mark?.getAttribute("data-part") ?? null;
  if (at === null || hot.value !== null) return;
  resting = setTimeout(() => {
    const marked = mark?.getAttribute("data-entity") ?? null;
    const id = marked === null ? view.measures.pick(at.x, at.y) : Number(marked);
    if (id !== null) hovered.value = { id, at };
  }, REST_MS);
}

let current: { readonly pointer: number; readonly gesture: Gesture } | null = null;
/** Fingers that are down. */
const fingers = new Map<number, ViewportPoint>();

/** Handles a pressed pointer. @returns Whether its gesture is followed. */
export function pointerDown(view: SceneView, event: PointerEvent, at: ViewportPoint): boolean {
  hover(view, null, null); // otherwise a shown name would stay
  if (event.pointerType === "touch") fingers.set(event.pointerId, at);
  if (current !== null && fingers.size !== 2) return false;
  if (fingers.size === 2) {
    cancelGesture();
    current = { pointer: -1, gesture: pinch(view, fingers) };
    return true;
  }
  const gesture = gestureAt(view, event, at);
  current = { pointer: event.pointerId, gesture };
  return true;
}

/** A pointer that is followed has moved. */
export function pointerMove(event: PointerEvent, at: ViewportPoint): void {
  if (fingers.has(event.pointerId)) fingers.set(event.pointerId, at);
  if (current === null) return;
  if (current.pointer === event.pointerId || current.pointer === -1) {
    current.gesture.move(at, event);
  }
}

/** A pointer that is followed is up, or lost. */
export function pointerUp(event: PointerEvent, isDone: boolean): void {
  fingers.delete(event.pointerId);
  if (current === null) return;
  if (current.pointer !== event.pointerId && current.pointer !== -1) return;
  const { gesture } = current;
  current = null;
  gesture.end(isDone);
}

/** Cancels the running gesture. @returns Whether there was one. */
export function cancelGesture(): boolean {
  if (current === null) return false;
  const { gesture } = current;
  current = null;
  gesture.end(false);
  return true;
}

function gestureAt(view: SceneView, event: PointerEvent, at: ViewportPoint): Gesture {
  const { target, button, shiftKey, altKey } = event;
  const below = target instanceof Element
    ? target.closest("[data-part], [data-entity], [data-grip], [data-shape], [data-way]")
    : null;
  const part = parts.value.find(({ kind }) => kind === below?.getAttribute("data-part"));
  const is3d = view.mode === "3d";
  const isPan = button !== 0 || isPanning.value || shiftKey && !altKey;
  const look = lookDrag(view, at, { isPan });
  if (button !== 0 || altKey || isPanning.value) return look;
  const isPlain = !shiftKey;
  if (isPlain && part !== undefined) return gizmoDrag(view, part, at) ?? NOTHING;
  const grip = below?.getAttribute("data-grip") ?? null;
  if (isPlain && grip !== null) return flatDrag(view, grip, at) ?? NOTHING;
  const shape = below?.getAttribute("data-shape") ?? null;
  if (isPlain && shape !== null) return shapeDrag(view, shape, at) ?? NOTHING;
  const way = below?.getAttribute("data-way") ?? null;
  if (isPlain && way !== null) {
    const id = Number(way);
    return clickOr(wayDrag(view, id, at) ?? NOTHING, at, () => selectPicked(id, { adds: false }));
  }
  const adds = event.ctrlKey || event.metaKey || is3d && isSelecting.value;
  const isBox = adds || !is3d;
  const marked = below?.getAttribute("data-entity") ?? null;
  const held = isPlain && !is3d && isOnSelected(view, at) ? flatDrag(view, null, at) : null;
  return clickOr(held ?? (isBox && !shiftKey ? boxDrag(view, at) : look), at, () => {
    const id = marked === null ? view.measures.pick(at.x, at.y) : Number(marked);
    selectPicked(id, { adds: adds || shiftKey });
  });
}

const NOTHING: Gesture = { move: () => undefined, end: () => undefined };

/** Returns a gesture that is a click if the pointer stays, and otherwise a drag. */
function clickOr(drag: Gesture, from: ViewportPoint, click: () => void): Gesture {
  let isDrag = false;
  return {
    move(at, event) {
      isDrag ||= Math.hypot(at.x - from.x, at.y - from.y) > SLACK;
      if (isDrag) drag.move(at, event);
    },
    end(isDone) {
      if (isDrag) drag.end(isDone);
      else if (isDone) click();
    },
  };
}

function gizmoDrag(view: SceneView, part: GizmoPart, start: ViewportPoint): Gesture | null {
  const what = beginTransform(view);
  const from = view.measures.ray(start.x, start.y);
  if (what === null || from === null || !isStopped.value) return null;
  let change: GizmoChange | null = null;
  hot.value = part.kind;
  return {
    move(at, { ctrlKey, metaKey }) {
      const to = view.measures.ray(at.x, at.y);
      if (to === null) return;
      const pixels = at.x - start.x + start.y - at.y;
      const found = dragged(part, what.middle, { from, to, pixels });
      if (found === null) return;
      change = snap.value !== (ctrlKey || metaKey) ? snapped(found) : found;
      telling.value = wordsOf(change);
      tryTransform(what, change);
    },
    end(isDone) {
      hot.value = null;
      telling.value = "";
      void endTransform(what, isDone ? change : null);
    },
  };
}

/** Grid spacing of drags that snap, in pixels of the game. */
const FLAT_STEP = 8;

function flatDrag(view: SceneView, grip: string | null, start: ViewportPoint): Gesture | null {
  const gesture = flatGesture(view, grip);
  const step = FLAT_STEP * view.screenRect.w / view.measures.flat.viewport.width;
  return gesture && {
    move(at, { ctrlKey, metaKey }) {
      const isStepped = snap.value !== (ctrlKey || metaKey);
      const to = (by: number) => isStepped ? Math.round(by / step) * step : by;
      gesture.move(to(at.x - start.x), to(at.y - start.y));
    },
    end: (isDone) => gesture.end(isDone),
  };
}

function shapeDrag(view: SceneView, name: string, start: ViewportPoint): Gesture | null {
  const gesture = shapeGesture(view, name);
  const from = view.measures.ray(start.x, start.y);
  if (gesture === null || from === null) return null;
  return {
    move(at) {
      const to = view.measures.ray(at.x, at.y);
      const value = to && gesture.move(from, to);
      if (value !== null) telling.value = `${name.split(".")[1]} ${value}`;
    },
    end(isDone) {
      telling.value = "";
      gesture.end(isDone);
    },
  };
}

function wayDrag(view: SceneView, id: number, start: ViewportPoint): Gesture | null {
  const gesture = wayGesture(view, id);
  const from = view.measures.ray(start.x, start.y);
  if (gesture === null || from === null) return null;
  return {
    move(at, { ctrlKey, metaKey }) {
      const to = view.measures.ray(at.x, at.y);
      const isSnapped = snap.value !== (ctrlKey || metaKey);
      const change = to && gesture.move(from, to, { isSnapped });
      if (change !== null) telling.value = wordsOf(change);
    },
    end(isDone) {
      telling.value = "";
      gesture.end(isDone);
    },
  };
}

function isOnSelected(view: SceneView, { x, y }: ViewportPoint): boolean {
  return editorView.value.selection.some((id) => {
    const rect = view.measures.rect(id);
    return rect !== null && x >= rect.x && y >= rect.y && x < rect.x + rect.w &&
      y < rect.y + rect.h;
  });
}

function wordsOf(change: GizmoChange): string {
  const short = (value: number) => String(Math.round(value * 1_000) / 1_000 + 0);
  switch (change.kind) {
    case "move":
      return change.by.map((by, n) => `${"xyz"[n]} ${short(by)}`).join("  ") + " m";
    case "turn":
      return `${short(change.degrees)}°`;
    case "scale":
      return change.by.map((by) => `× ${short(by)}`).join("  ");
  }
}

/** Selects all entities whose centre is in a rectangle. */
function boxDrag(view: SceneView, from: ViewportPoint): Gesture {
  return {
    move(at) {
      marquee.value = { from, to: at };
    },
    end(isDone) {
      const box = marquee.value;
      marquee.value = null;
      if (!isDone || box === null) return;
      const [left, right] = [box.from.x, box.to.x].sort((a, b) => a - b);
      const [top, bottom] = [box.from.y, box.to.y].sort((a, b) => a - b);
      const { mode } = editorView.value;
      const within = scene.value.entities.filter(({ id, layer }) => {
        if (layer !== mode) return false;
        const at = middleOf(view, id);
        return at !== null && at.x >= (left ?? 0) && at.x <= (right ?? 0) && at.y >= (top ?? 0) &&
          at.y <= (bottom ?? 0);
      });
      select(within.map(({ id }) => id));
    },
  };
}

/** Returns where the centre of an entity is visible; `null` if it is not. */
function middleOf(view: SceneView, id: number): ViewportPoint | null {
  if (view.mode !== "3d") {
    const rect = view.measures.rect(id);
    return rect && { x: rect.x + rect.w / 2, y: rect.y + rect.h / 2 };
  }
  const places = view.measures.places(id);
  return places?.own.placed === true ? view.measures.project(places.own.affine.offset) : null;
}
