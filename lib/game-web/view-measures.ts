import { type AssetDetails, renderableBounds } from "../game/assets/mod.ts";
import type { Affine } from "../game/geometry/mod.ts";
import type { Projection } from "../game/layout/mod.ts";
import type { WorldPlace } from "../game/scene/mod.ts";
import type { Rect, ScreenLayout, Vec3, Viewport, WorldBounds } from "../game/types/mod.ts";
import type { SeenGame } from "./content/mod.ts";
import type { GameViews } from "./game-views.ts";
import { pickFlat } from "./pick-flat.ts";
import { projectionIn } from "./picture/mod.ts";
import type { ViewMode } from "./shown.ts";
import {
  projectionFrom,
  projectPoint,
  type Ray,
  rayThrough,
  type ScreenPoint,
  type ViewCamera,
} from "./view-camera.ts";
import {
  fittingPlace,
  pointInBox,
  pointOnScreen,
  rectInBox,
  type ViewPlace,
  type ViewPoint,
} from "./view-place.ts";

/** A view at one moment. */
interface MeasuredView {
  readonly game: SeenGame;
  readonly details: AssetDetails;
  readonly views: GameViews;
  readonly mode: ViewMode;
  /** The camera of the 3D layer; `null` for the scene's own. */
  readonly camera: ViewCamera | null;
  /** Place of the screen in the host. */
  readonly place: ViewPlace;
  /** Size of the host, in CSS pixels. */
  readonly size: Viewport;
  /** Pixels of the game's screen. */
  readonly viewport: Viewport;
}

/**
 * Measures of what a view shows now. All pixels are CSS pixels of the host, from its top left
 * corner.
 */
export class ViewMeasures {
  readonly #seen: () => MeasuredView;

  /** @param seen Returns the view as it is now. */
  constructor(seen: () => MeasuredView) {
    this.#seen = seen;
  }

  /** Returns the topmost visible entity at a point, or `null`. */
  pick(x: number, y: number): number | null {
    const { game: { world }, mode } = this.#seen();
    const point = this.#toScreen(x, y);
    const flat = (layer: "2d" | "ui") =>
      pickFlat(layer, point, { world, layout: this.flat.layout, seenOnly: mode === "game" });
    switch (mode) {
      case "3d":
        return this.#solidAt(point)?.id ?? null;
      case "game":
        return flat("ui") ?? flat("2d") ?? this.#solidAt(point)?.id ?? null;
      default:
        return flat(mode);
    }
  }

  /** Returns the world position of the 3D surface under a point, or `null`. */
  surfaceAt(x: number, y: number): Vec3 | null {
    return this.#solidAt(this.#toScreen(x, y))?.at ?? null;
  }

  /** Returns the position of a 3D point in the view; `null` if it is not in front of the camera. */
  project(point: Vec3): ScreenPoint | null {
    const { place } = this.#seen();
    const projection = this.#projection();
    const at = projection && projectPoint(projection, place.screen, point);
    return at && { ...pointInBox(place, at), depth: at.depth };
  }

  /** Returns the ray of the 3D layer through a point; `null` without a camera. */
  ray(x: number, y: number): Ray | null {
    const projection = this.#projection();
    return projection && rayThrough(projection, this.#seen().place.screen, this.#toScreen(x, y));
  }

  /** Returns the metres per pixel at a distance in front of the camera; 0 without a camera. */
  metresPerPixel(depth: number): number {
    const projection = this.#projection();
    if (projection === null) return 0;
    const { perspective, halfHeight } = projection;
    const { screen: { height }, scale } = this.#seen().place;
    return 2 * halfHeight * (perspective ? depth : 1) / (height * scale);
  }

  /**
   * Returns the box around a 3D entity's mesh in its own space, and the transform of that space;
   * `null` if it draws nothing.
   */
  box(id: number): { readonly bounds: WorldBounds; readonly affine: Affine } | null {
    const { game: { world }, details } = this.#seen();
    const entity = world.get(id);
    const renderable = entity?.layer === "3d" ? entity.traits["Renderable3D"] : undefined;
    if (entity === undefined || renderable === undefined) return null;
    const bounds = renderableBounds(renderable, details);
    return bounds === undefined ? null : { bounds, affine: world.placeOf(entity).affine };
  }

  /**
   * Returns the places of an entity and its parent in the layer's world; `null` if the entity does
   * not exist.
   */
  places(id: number): { readonly own: WorldPlace; readonly parent: WorldPlace | null } | null {
    const { world } = this.#seen().game;
    const entity = world.get(id);
    if (entity === undefined) return null;
    const parent = entity.parentId === null ? undefined : world.get(entity.parentId);
    const isInside = parent !== undefined && parent.layer === entity.layer;
    return { own: world.placeOf(entity), parent: isInside ? world.placeOf(parent) : null };
  }

  /** Returns the rectangle of a 2D or UI entity; `null` if it has none. */
  rect(id: number): Rect | null {
    const rect = this.flat.layout.entries.find((entry) => entry.id === id)?.rect ?? null;
    return rect && rectInBox(this.#seen().place, rect);
  }

  /** The inputs of the layout of the 2D and UI layers, and its result in the game's pixels. */
  get flat(): {
    readonly layout: ScreenLayout;
    readonly details: AssetDetails;
    readonly viewport: Viewport;
  } {
    const { game, views, details, viewport } = this.#seen();
    return { layout: views.layoutOf(game.world, viewport), details, viewport };
  }

  /** Returns a point in the game's pixels, in which a game's input counts. */
  toGame(x: number, y: number): ViewPoint {
    const { size, viewport } = this.#seen();
    return pointOnScreen(fittingPlace(size, viewport, devicePixelRatio), { x, y });
  }

  #toScreen(x: number, y: number): ViewPoint {
    return pointOnScreen(this.#seen().place, { x, y });
  }

  #solidAt({ x, y }: ViewPoint): ReturnType<GameViews["picture"]["pick"]> {
    return this.#seen().views.picture.pick(x, y);
  }

  #projection(): Projection | null {
    const { game, camera } = this.#seen();
    return camera === null ? projectionIn(game.world) : projectionFrom(camera);
  }
}
