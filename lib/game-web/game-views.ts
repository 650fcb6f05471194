import type { Layer, ScreenLayout, Viewport } from "../game/types/mod.ts";
import type { LiveWorld } from "../game/world/mod.ts";
import type { SeenMoment } from "./content/mod.ts";
import type { Picture } from "./picture/mod.ts";
import type { PageLayout } from "./screen-layout.ts";
import type { Surface } from "./surface/mod.ts";

/** The 3D layer follows from no layout. */
const NOTHING: ScreenLayout = { viewport: { width: 0, height: 0 }, entries: [] };

/** The views of a game, and their common layout. */
export class GameViews {
  readonly picture: Picture;
  readonly #surface: Surface;
  readonly #layout: PageLayout;
  /** The last state shown on the 2D and UI layers. */
  #shown: { readonly world: LiveWorld; readonly layout: ScreenLayout } | null = null;
  /** The part of a layout that is one layer. */
  #part:
    | { readonly of: ScreenLayout; readonly layer: Layer; readonly layout: ScreenLayout }
    | null = null;

  constructor({ picture, surface, layout }: {
    readonly picture: Picture;
    readonly surface: Surface;
    readonly layout: PageLayout;
  }) {
    this.picture = picture;
    this.#surface = surface;
    this.#layout = layout;
  }

  /** Returns the layout of the 2D and UI layers. */
  layoutOf(world: LiveWorld, viewport: Viewport): ScreenLayout {
    return this.#layout.of(world, viewport);
  }

  /** Shows a moment: all of it, or one layer. @returns It, with its layout. */
  show(moment: Omit<SeenMoment, "layout">, only: Layer | null = null): SeenMoment {
    const layout = only === "3d" ? NOTHING : this.#shownLayout(moment);
    const seen = { ...moment, layout };
    if (only === null || only === "3d") this.picture.show(seen);
    if (only === null) this.#surface.show(seen);
    else if (only !== "3d") this.#surface.show({ ...seen, layout: this.#partOf(layout, only) });
    return seen;
  }

  /**
   * Resolves when everything in the last frame has loaded, so that another frame is complete.
   *
   * @returns Whether another frame differs: something was still being loaded.
   */
  async whenLoaded(): Promise<boolean> {
    const differ = await Promise.all([this.picture.whenLoaded(), this.#surface.whenLoaded()]);
    return differ.includes(true);
  }

  dispose(): void {
    this.picture.dispose();
    this.#surface.dispose();
  }

  /**
   * Returns the last layout while no difference is visible, so that it is not measured in each
   * frame.
   */
  #shownLayout(moment: Omit<SeenMoment, "layout">): ScreenLayout {
    const { game: { world }, screen } = moment;
    const isRight = this.#surface.isRight(moment);
    if (this.#shown?.world !== world || !isRight) {
      this.#shown = { world, layout: this.layoutOf(world, screen) };
    }
    return this.#shown.layout;
  }

  /**
   * Returns the layout of one layer, the same object for the same layout, because a new one is
   * redrawn.
   */
  #partOf(layout: ScreenLayout, layer: Layer): ScreenLayout {
    if (this.#part?.of !== layout || this.#part.layer !== layer) {
      const entries = layout.entries.filter((entry) => entry.layer === layer);
      this.#part = { of: layout, layer, layout: { ...layout, entries } };
    }
    return this.#part.layout;
  }
}
