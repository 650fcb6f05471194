import { effect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { SceneView } from "../../game-web/mod.ts";
import { isStopped, view as editorView } from "../model/editor.ts";
import { byId } from "../model/scene.ts";
import { IconButton } from "../parts/icon.tsx";
import { AxisCross } from "./axis-cross.tsx";
import { canDrop, dropAsset } from "./dropping.ts";
import type { ViewportPoint } from "./gesture.ts";
import { cancelGesture, hover, pointerDown, pointerMove, pointerUp, telling } from "./gestures.ts";
import {
  besideGame,
  flatLook,
  frames,
  grid,
  isGame,
  isPanning,
  isSelecting,
  snap,
  throughCamera,
} from "./look.ts";
import { lookOf, wheel } from "./looking.ts";
import { nudge, nudged } from "./nudging.ts";
import { Overlay } from "./overlay.tsx";
import { listenToPlayer } from "./play-input.ts";
import { frame } from "./select.ts";

/** Overlays of the viewport, and its pointer and key handlers. */
export function OverPicture({ view, main }: {
  readonly view: SceneView;
  /** Is listened to. */
  readonly main: HTMLElement;
}) {
  useEffect(() => handle(view, main), [view, main]);
  return (
    <>
      <Overlay view={view} />
      {!isGame.value && editorView.value.mode === "3d" && <AxisCross />}
      <ViewBar view={view} />
      {telling.value !== "" && <output class="telling">{telling.value}</output>}
    </>
  );
}

/** Controls of the view. */
function ViewBar({ view }: { readonly view: SceneView }) {
  const is3d = editorView.value.mode === "3d" && !isGame.value;
  return (
    <div class="view-bar" role="toolbar" aria-label="View">
      {!isStopped.value && (
        <IconButton
          icon="eye"
          label="Look around next to the game"
          pressed={besideGame.value}
          onClick={() => besideGame.value = !besideGame.value}
        />
      )}
      {is3d && (
        <>
          <IconButton
            icon="grid"
            label="Grid"
            kind="quiet"
            pressed={grid.value}
            onClick={() => grid.value = !grid.value}
          />
          <IconButton
            icon="snap"
            label="Snap to 0.5 m, 15° and tenths"
            keys="hold Ctrl"
            kind="quiet"
            pressed={snap.value}
            onClick={() => snap.value = !snap.value}
          />
          <IconButton
            icon="select"
            label="Multi-select: drag a box around entities, or tap them one after another"
            keys="B"
            kind="quiet"
            pressed={isSelecting.value}
            onClick={() => isSelecting.value = !isSelecting.value}
          />
          <FrameButton view={view} what="scene" />
          <IconButton
            icon="camera"
            label="Through the scene's camera"
            kind="quiet"
            pressed={throughCamera.value}
            onClick={() => throughCamera.value = !throughCamera.value}
          />
        </>
      )}
      {!isGame.value && !is3d && (
        <>
          <FrameButton view={view} what="screen" />
          <button
            type="button"
            class="button quiet"
            title="All of the screen (0)"
            onClick={() => flatLook.value = null}
          >
            Fit
          </button>
          <Percent view={view} />
        </>
      )}
    </div>
  );
}

function FrameButton({ view, what }: { readonly view: SceneView; readonly what: string }) {
  return (
    <IconButton
      icon="focus"
      label={`Frame the ${editorView.value.selection.length > 0 ? "selection" : what}`}
      keys="F"
      kind="quiet"
      onClick={() => frame(view)}
    />
  );
}

/** Scale of the 2D layers; clicking it resets to 100 %. */
function Percent({ view }: { readonly view: SceneView }) {
  void frames.value;
  const percent = Math.round(lookOf(view).scale * 100);
  return (
    <button
      type="button"
      class="button quiet percent"
      aria-label={`Shown at ${percent} %: show at 100 %`}
      title="At 100 % (1)"
      onClick={() => flatLook.value = { ...lookOf(view), scale: 1 }}
    >
      {percent} %
    </button>
  );
}

/** Listens to pointers and keys, until the returned function is called. */
function handle(view: SceneView, main: HTMLElement): () => void {
  const ended = new AbortController();
  const { signal } = ended;
  const pointOf = ({ clientX, clientY }: MouseEvent): ViewportPoint => {
    const { left, top } = main.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  };
  const isPages = ({ target }: Event) =>
    target instanceof Element && target.closest(".view-bar, .axis-cross, .said") !== null;
  main.addEventListener("pointerdown", (event) => {
    if (isPages(event) || isGame.value) return;
    main.focus({ preventScroll: true });
    event.preventDefault();
    if (pointerDown(view, event, pointOf(event))) main.setPointerCapture(event.pointerId);
  }, { signal });
  main.addEventListener("pointermove", (event) => {
    if (isGame.value) return;
    if (event.buttons !== 0) return pointerMove(event, pointOf(event));
    hover(view, isPages(event) ? null : pointOf(event), event.target);
  }, { signal });
  main.addEventListener("pointerleave", () => hover(view, null, null), { signal });
  main.addEventListener("pointerup", (event) => pointerUp(event, true), { signal });
  main.addEventListener("pointercancel", (event) => pointerUp(event, false), { signal });
  main.addEventListener("lostpointercapture", (event) => pointerUp(event, true), { signal });
  main.addEventListener("contextmenu", (event) => event.preventDefault(), { signal });
  main.addEventListener("dblclick", (event) => {
    if (!isPages(event) && !isGame.value && view.mode === "3d") frame(view);
  }, { signal });
  main.addEventListener("wheel", (event) => {
    if (isGame.value) return;
    event.preventDefault();
    wheel(view, event, pointOf(event));
  }, { signal, passive: false });
  main.addEventListener("dragover", (event) => {
    if (canDrop(event)) event.preventDefault();
  }, { signal });
  main.addEventListener("drop", (event) => {
    if (dropAsset(view, event, pointOf(event))) event.preventDefault();
  }, { signal });
  main.addEventListener("keydown", (event) => {
    if (isGame.value || event.target !== main || event.ctrlKey || event.metaKey) return;
    if (keyDown(view, event)) {
      event.preventDefault();
      event.stopPropagation();
    }
  }, { signal });
  main.addEventListener("keyup", ({ key }) => {
    nudged();
    if (key === " ") isPanning.value = false;
  }, { signal });
  main.addEventListener("blur", () => isPanning.value = false, { signal });
  const ends = [
    effect(() => frameWhatIsFocused(view)),
    listenToPlayer(view, main, pointOf),
  ];
  return () => {
    ended.abort();
    ends.forEach((end) => end());
  };
}

function keyDown(view: SceneView, { key, shiftKey }: KeyboardEvent): boolean {
  switch (key) {
    case "f":
    case "F":
      frame(view);
      return true;
    case "b":
    case "B":
      if (view.mode !== "3d") return false;
      isSelecting.value = !isSelecting.value;
      return true;
    case "Escape":
      if (cancelGesture()) return true;
      if (!isSelecting.value) return false;
      isSelecting.value = false;
      return true;
    case " ":
      return isPanning.value = true;
    case "0":
    case "1":
      if (view.mode === "3d") return false;
      flatLook.value = key === "0" ? null : { ...lookOf(view), scale: 1 };
      return true;
    default:
      return nudge(view, key, { isFar: shiftKey });
  }
}

/** Frames the entity on which a user or an agent focuses. */
function frameWhatIsFocused(view: SceneView): void {
  const { focus } = editorView.value;
  if (focus === framedFocus) return;
  framedFocus = focus;
  if (focus !== null && byId.peek().has(focus)) frame(view, [focus]);
}

let framedFocus: number | null = null;
