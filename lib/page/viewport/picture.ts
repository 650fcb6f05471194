import { computed, effect, type Signal, signal } from "@preact/signals";
import type { SceneView } from "../../game-web/mod.ts";
import { messageOf } from "../../core/result.ts";
import type { Entity } from "../../editor/ports/mod.ts";
import { view as editorView } from "../model/editor.ts";
import { onChange } from "../model/following.ts";
import { type Preview, preview, withTried } from "../model/previews.ts";
import { byId, onScene, scene } from "../model/scene.ts";
import { flatLook, frames, grid, isGame, orbit, throughCamera } from "./look.ts";
import { rotate } from "../../game/geometry/mod.ts";
import { eyeOf, FOV } from "./orbit.ts";
import { offRecord, playAlong } from "./playing.ts";
import { poseValues } from "./posing.ts";

// The picture of the viewport: the view of the game's own runtime, updated by changes. It loads
// after the page, which works without it.

/** State of loading the picture. */
export type PictureState =
  | { readonly kind: "opening" }
  | { readonly kind: "open"; readonly view: SceneView }
  /** `why` is a sentence. */
  | { readonly kind: "failed"; readonly why: string };

/** The picture's state. */
export const picture: Signal<PictureState> = signal({ kind: "opening" });

/** Key of the shown scene and its screen. */
const screenNow = computed(() => {
  const { width, height } = editorView.value.viewport;
  return `${width} ${height} ${scene.value.path}`;
});

/** Opens the picture in an element, until the returned function is called. */
export function openPicture(host: HTMLElement): () => void {
  const ended = new AbortController();
  const { signal: end } = ended;
  picture.value = { kind: "opening" };
  host.addEventListener("webglcontextlost", () => {
    if (end.aborted) return;
    const why = "The picture was lost: the browser or the graphics driver took the canvas back.";
    picture.value = { kind: "failed", why };
  }, { capture: true, signal: end });
  void open(host, end);
  return () => ended.abort();
}

async function open(host: HTMLElement, end: AbortSignal): Promise<void> {
  try {
    const { openSceneView } = await import("../../game-web/mod.ts");
    if (end.aborted) return;
    const { viewport } = editorView.value;
    const view = await openSceneView({ base: "/api/content/", canvasHost: host, made: viewport });
    const stop = keepUp(view);
    const close = () => {
      stop();
      view.dispose();
    };
    if (end.aborted) return close();
    end.addEventListener("abort", close, { once: true });
    picture.value = { kind: "open", view };
  } catch (thrown) {
    host.replaceChildren();
    if (end.aborted) return;
    picture.value = { kind: "failed", why: `The scene cannot be drawn: ${sentence(thrown)}` };
  }
}

function sentence(thrown: unknown): string {
  const why = messageOf(thrown);
  return /webgl/i.test(why)
    ? "this browser has no WebGL, or has switched it off. Turn hardware acceleration on."
    : why;
}

/** Keeps a view current. @returns Stops it. */
function keepUp(view: SceneView): () => void {
  view.onFrame = () => {
    if (!isGame.peek()) frames.value++; // a game has no overlays
  };
  view.show(scene.value.playing ? [] : scene.value.entities, scene.value.rev);
  let shown: Preview = new Map();
  const ends = [
    onScene((changed, removed) => {
      const { entities, rev, playing } = scene.value;
      if (playing && !offRecord.value) return; // it is played along
      if (changed === null || playing) view.show(entities, rev);
      else view.update(changed, removed, rev);
    }),
    onChange(({ kind }) => {
      if (kind === "assets") void view.reload().catch(() => undefined); // until then the old assets are shown
    }),
    effect(() => {
      const now = merged(poseValues.value, preview.value);
      const ids = [...shown.keys(), ...now.keys()];
      const found = ids.map((id) => byId.value.get(id)).filter((entity) => entity !== undefined);
      shown = now;
      if (found.length > 0 && !scene.peek().playing) {
        view.preview(found.map((entity: Entity) => withTried(entity, now)));
      }
    }),
    effect(() => {
      view.made = editorView.value.viewport;
    }),
    effect(() => {
      void screenNow.value;
      flatLook.value = null; // another scene or screen starts with the default view
    }),
    effect(() => {
      view.flatLook = flatLook.value;
    }),
    effect(() => {
      view.mode = isGame.value ? "game" : editorView.value.mode;
    }),
    effect(() => {
      view.ground = grid.value;
    }),
    effect(() => {
      view.camera = isGame.value || throughCamera.value ? null : {
        position: eyeOf(orbit.value).offset,
        target: orbit.value.target,
        up: rotate(eyeOf(orbit.value).linear, [0, 1, 0]),
        fov: FOV,
        near: Math.max(0.01, orbit.value.distance / 500),
      };
    }),
    playAlong(view),
  ];
  return () => ends.forEach((end) => end());
}

function merged(a: Preview, b: Preview): Preview {
  const all = new Map(a);
  for (const [id, traits] of b) {
    const before = all.get(id) ?? {};
    const both = Object.entries(traits).map(([name, fields]) =>
      [name, { ...before[name], ...fields }] as const
    );
    all.set(id, { ...before, ...Object.fromEntries(both) });
  }
  return all;
}
