import { effect } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import type { SceneView } from "../../game-web/mod.ts";
import { play, view as editorView } from "../model/editor.ts";
import { byId, scene } from "../model/scene.ts";
import { Icon, IconButton } from "../parts/icon.tsx";
import { AxisCross } from "./axis-cross.tsx";
import {
  cancelGesture,
  hover,
  type Point,
  pointerDown,
  pointerMove,
  pointerUp,
  telling,
  wheel,
} from "./gestures.ts";
import { besideGame, grid, isGame, snap, throughCamera } from "./look.ts";
import { listenToPlayer } from "./play-input.ts";
import { nudge, nudged } from "./nudging.ts";
import { Overlay } from "./overlay.tsx";
import { openPicture, picture } from "./picture.ts";
import { offRecord } from "./playing.ts";
import { frame } from "./select.ts";

/** The picture of the scene, with what is done to it on top. */
export function Viewport() {
  const canvases = useRef<HTMLDivElement>(null);
  const main = useRef<HTMLElement>(null);
  const [attempt, setAttempt] = useState(0);
  const { value: state } = picture;
  const view = state.kind === "open" ? state.view : null;
  useEffect(() => canvases.current ? openPicture(canvases.current) : undefined, [attempt]);
  useEffect(() => view && main.current ? handle(view, main.current) : undefined, [view]);
  return (
    <main
      ref={main}
      class={`viewport ${isGame.value || editorView.value.mode !== "3d" ? "flat" : ""}`}
      aria-label="Scene"
      tabIndex={0}
    >
      <div ref={canvases} class="canvases" key={attempt} />
      {view !== null && <Overlay view={view} />}
      {view !== null && !isGame.value && editorView.value.mode === "3d" && <AxisCross />}
      {view !== null && <ViewBar view={view} />}
      <Said onRetry={() => setAttempt(attempt + 1)} />
    </main>
  );
}

/** What is said in the picture. */
function Said({ onRetry }: { readonly onRetry: () => void }) {
  const { value: state } = picture;
  if (state.kind === "opening") return <p class="said dim" role="status">Opening the scene…</p>;
  if (state.kind === "failed") {
    return (
      <div class="said" role="alert">
        <p>
          <Icon name="error" /> {state.why}
        </p>
        <button type="button" class="button" onClick={onRetry}>Try again</button>
      </div>
    );
  }
  return (
    <>
      {telling.value !== "" && <output class="telling">{telling.value}</output>}
      {offRecord.value && (
        <p class="telling">Not all of this game is on record: it is shown as told</p>
      )}
      {editorView.value.mode === "3d" && !isGame.value && scene.value.entities.length === 0 && (
        <p class="said dim">The scene is empty. Add an entity in the hierarchy.</p>
      )}
    </>
  );
}

/** How it is looked at. */
function ViewBar({ view }: { readonly view: SceneView }) {
  const is3d = editorView.value.mode === "3d" && !isGame.value;
  return (
    <div class="view-bar" role="toolbar" aria-label="View">
      {play.value.state !== "stopped" && (
        <IconButton
          icon="eye"
          label="Look around beside the game"
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
            icon="focus"
            label={editorView.value.selection.length > 0
              ? "Frame the selection"
              : "Frame the scene"}
            keys="F"
            kind="quiet"
            onClick={() => frame(view)}
          />
          <IconButton
            icon="camera"
            label="Through the scene's camera"
            kind="quiet"
            pressed={throughCamera.value}
            onClick={() => throughCamera.value = !throughCamera.value}
          />
        </>
      )}
    </div>
  );
}

/** Listens to pointers and keys, until the returned function is called. */
function handle(view: SceneView, main: HTMLElement): () => void {
  const ended = new AbortController();
  const { signal } = ended;
  const pointOf = ({ clientX, clientY }: MouseEvent): Point => {
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
  main.addEventListener("keydown", (event) => {
    if (isGame.value || event.target !== main || event.ctrlKey || event.metaKey) return;
    if (keyDown(view, event)) {
      event.preventDefault();
      event.stopPropagation();
    }
  }, { signal });
  main.addEventListener("keyup", () => nudged(), { signal });
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
    case "Escape":
      return cancelGesture();
    default:
      return nudge(view, key, { isFar: shiftKey });
  }
}

/** Whoever focuses on an entity, a person or an agent: it comes into sight. */
function frameWhatIsFocused(view: SceneView): void {
  const { focus } = editorView.value;
  if (focus === framedFocus) return;
  framedFocus = focus;
  if (focus !== null && byId.peek().has(focus)) frame(view, [focus]);
}

let framedFocus: number | null = null;
