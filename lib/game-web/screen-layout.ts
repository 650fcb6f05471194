import type { Yoga } from "yoga-layout/load";
import { runAtOnce } from "../core/cooperative.ts";
import type { AssetDetails } from "../game/assets/mod.ts";
import { LayoutMemory, screenLayoutWork } from "../game/layout/mod.ts";
import { type FoundPlace, type World, worldPlaces } from "../game/scene/mod.ts";
import type { Entity, ScreenLayout, Viewport } from "../game/types/mod.ts";

/** Where the 2D and UI layers of a playing world lie on the screen, measured where something changed. */
export class PageLayout {
  readonly #yoga: Yoga;
  readonly #details: AssetDetails;
  readonly #memory = new LayoutMemory();
  #places: ReadonlyMap<number, FoundPlace> | undefined;
  #seen: { readonly world: World; readonly rev: number } | null = null;
  #drawn: readonly Entity[] = [];
  #layout: ScreenLayout = { viewport: { width: 0, height: 0 }, entries: [] };

  constructor(yoga: Yoga, details: AssetDetails) {
    this.#yoga = yoga;
    this.#details = details;
  }

  /** The layout now: the same object as long as nothing of it has changed. */
  of(world: World, viewport: Viewport): ScreenLayout {
    const { width, height } = this.#layout.viewport;
    const isSameScreen = width === viewport.width && height === viewport.height;
    if (isSameScreen && this.#seen?.world === world && this.#seen.rev === world.rev) {
      return this.#layout;
    }
    this.#seen = { world, rev: world.rev };
    const drawn = world.entities().filter(({ layer }) => layer !== "3d");
    // An entity that has not changed is the same value.
    const isSame = isSameScreen && drawn.length === this.#drawn.length &&
      drawn.every((entity, index) => entity === this.#drawn[index]);
    if (isSame) return this.#layout;
    this.#drawn = drawn;
    this.#places = worldPlaces(drawn, this.#places);
    this.#layout = runAtOnce(screenLayoutWork({
      entities: drawn,
      places: this.#places,
      details: this.#details,
      viewport,
      yoga: this.#yoga,
      memory: this.#memory,
    }));
    return this.#layout;
  }
}
