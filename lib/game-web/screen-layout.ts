import type { Yoga } from "yoga-layout/load";
import { runAtOnce } from "../core/cooperative.ts";
import type { AssetDetails } from "../game/assets/mod.ts";
import { LayoutMemory, screenLayoutWork } from "../game/layout/mod.ts";
import { type FoundPlace, worldPlaces } from "../game/scene/mod.ts";
import type { Entity, ScreenLayout, Viewport } from "../game/types/mod.ts";
import type { LiveWorld } from "../game/world/mod.ts";

/**
 * The screen positions of a running world's 2D and UI layers, measured when something has changed.
 */
export class PageLayout {
  readonly #yoga: Yoga;
  readonly #details: AssetDetails;
  readonly #memory = new LayoutMemory();
  #places: ReadonlyMap<number, FoundPlace> | undefined;
  #drawn: readonly Entity[] = [];
  /** The same object while the size is the same, because measurements are cached by it. */
  #viewport: Viewport = { width: 0, height: 0 };
  #layout: ScreenLayout = { viewport: this.#viewport, entries: [] };

  constructor(yoga: Yoga, details: AssetDetails) {
    this.#yoga = yoga;
    this.#details = details;
  }

  /** Returns the current layout: the same object while nothing has changed. */
  of(world: LiveWorld, { width, height }: Viewport): ScreenLayout {
    const before = this.#viewport;
    const drawn = world.flatEntities();
    if (width !== before.width || height !== before.height) this.#viewport = { width, height };
    else if (drawn === this.#drawn) return this.#layout;
    this.#drawn = drawn;
    this.#places = worldPlaces(drawn, this.#places);
    this.#layout = runAtOnce(screenLayoutWork({
      entities: drawn,
      places: this.#places,
      details: this.#details,
      viewport: this.#viewport,
      yoga: this.#yoga,
      memory: this.#memory,
    }));
    return this.#layout;
  }
}
