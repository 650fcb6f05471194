import type { Yoga } from "yoga-layout/load";
import type { GameAsset } from "../game/assets/mod.ts";
import type { AssetType, Layer } from "../game/types/mod.ts";
import type { GameView, WebContent } from "./content/mod.ts";
import { GameViews } from "./game-views.ts";
import { createGround, createPicture, type Ground } from "./picture/mod.ts";
import { PageLayout } from "./screen-layout.ts";
import { createSurface } from "./surface/mod.ts";
import type { ViewPlace } from "./view-place.ts";

// The canvases of an editor's view: new ones are created next to the old ones when visible assets
// have changed.

/** The layer that is shown: one of them, or all of them as a game has them. */
export type ViewMode = Layer | "game";

/** Assets that are played, heard or named, and never drawn. */
const UNSEEN: ReadonlySet<AssetType> = new Set([
  "prefab",
  "scene",
  "animation",
  "animset",
  "audio",
  "script",
  "timeline",
]);

/** Returns whether all drawable assets are unchanged. */
export function looksSame(before: WebContent, after: WebContent): boolean {
  const stamps = ({ assets }: WebContent) =>
    new Map(assets.flatMap((asset) => UNSEEN.has(asset.type) ? [] : [[asset.guid, textOf(asset)]]));
  const [old, now] = [stamps(before), stamps(after)];
  return old.size === now.size && [...now].every(([guid, text]) => old.get(guid) === text);
}

function textOf({ path, type, stamp }: GameAsset): string {
  return JSON.stringify([path, type, stamp]);
}

/** The canvases of a content, and the views that draw on them. */
export interface Shown {
  readonly content: WebContent;
  readonly canvases: readonly HTMLCanvasElement[];
  readonly views: GameViews;
  readonly ground: Ground;
  /** While a game is followed. */
  sound: GameView | null;
  /** Moves the canvases to the place of the screen. */
  readonly lay: (place: ViewPlace, mode: ViewMode) => void;
  dispose(): void;
}

/** Canvases for a content, in no page yet. */
export function drawnFrom(content: WebContent, yoga: Yoga): Shown {
  const canvases = [document.createElement("canvas"), document.createElement("canvas")] as const;
  const [picture, surface] = canvases;
  const ground = createGround();
  let laid = "";
  const views = new GameViews({
    picture: createPicture(picture, content, { beside: ground.object }),
    surface: createSurface(surface, content),
    layout: new PageLayout(yoga, content.details),
  });
  return {
    content,
    canvases,
    views,
    ground,
    sound: null,
    lay({ screen, left, top, scale }, mode) {
      const now = [screen.width, screen.height, left, top, scale, mode].join(" ");
      if (now === laid) return;
      laid = now;
      for (const canvas of canvases) {
        Object.assign(canvas.style, {
          position: "absolute",
          left: `${left}px`,
          top: `${top}px`,
          width: `${screen.width * scale}px`,
          height: `${screen.height * scale}px`,
        });
      }
      picture.hidden = mode === "2d" || mode === "ui";
      surface.hidden = mode === "3d";
    },
    dispose() {
      this.sound?.dispose();
      ground.dispose();
      views.dispose();
      for (const canvas of canvases) canvas.remove();
    },
  };
}
