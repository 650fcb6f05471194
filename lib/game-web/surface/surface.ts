import { textIn } from "../../game/traits/mod.ts";
import type { SeenMoment, View, WebContent } from "../content/mod.ts";
import type { Brush } from "./brush.ts";
import { draw } from "./draw.ts";
import { Faces } from "./faces.ts";
import { Images } from "./images.ts";
import { type Paint, shiftOf } from "./paint.ts";
import { Paints2d } from "./paint-2d.ts";
import { PaintsUi } from "./paint-ui.ts";
import { changedBoxes } from "./region.ts";
import { Tints } from "./tints.ts";

/** The share of the canvas from which on all of it is drawn. */
const MOST = 0.5;

/** Pixels of the canvas by which something may lie beside its place while it moves: nobody sees less. */
const UNSEEN = 0.25;

/** Shows the 2D layer and the UI layer above it. */
export interface Surface extends View {
  show(moment: SeenMoment): void;
  /** Settles once everything that was shown so far is loaded, or cannot be: it is drawn then. */
  whole(): Promise<void>;
}

/**
 * A surface that draws on `canvas`, whose size in pixels it keeps to that of the screen. It draws
 * only when something on it has changed. What cannot be shown is said in the console.
 *
 * @throws When the canvas has a context of another kind.
 */
export function createSurface(canvas: HTMLCanvasElement, content: WebContent): Surface {
  const context = canvas.getContext("2d");
  if (context === null) {
    throw new TypeError("Cannot draw the surface: expected a canvas with a 2D context");
  }
  return new CanvasSurface(canvas, content, context);
}

class CanvasSurface implements Surface {
  readonly #canvas: HTMLCanvasElement;
  readonly #content: WebContent;
  readonly #brush: Brush;
  readonly #flat: Paints2d;
  readonly #ui: PaintsUi;
  #seen: readonly unknown[] = [];
  #moment: SeenMoment | null = null;
  #paints: readonly Paint[] = [];
  /** What is on the canvas. */
  #drawn: readonly Paint[] = [];
  /** The images and fonts that it was drawn with; -1 for a canvas on which nothing is drawn. */
  #drawnWith = -1;
  readonly #restored = () => this.#drawnWith = -1;

  constructor(canvas: HTMLCanvasElement, content: WebContent, context: CanvasRenderingContext2D) {
    this.#canvas = canvas;
    this.#content = content;
    this.#brush = {
      context,
      details: content.details,
      images: new Images(content),
      faces: new Faces(content),
      tints: new Tints(),
    };
    this.#flat = new Paints2d(content.details);
    this.#ui = new PaintsUi(content.details);
    canvas.addEventListener("contextrestored", this.#restored);
  }

  show(moment: SeenMoment): void {
    const { game, layout, screen, pressed, elapsed } = moment;
    if (this.#moment?.game !== game) this.#enter(game);
    this.#moment = moment;
    this.#resize(screen);
    const seen = [game, layout, pressed.join()];
    const isStill = elapsed === 0 || seen.every((value, i) => value === this.#seen[i]);
    if (seen.some((value, i) => value !== this.#seen[i])) {
      this.#seen = seen;
      this.#paints = [...this.#flat.of(game, layout), ...this.#ui.of(game, layout, pressed)];
    }
    const { images, faces } = this.#brush;
    const loaded = images.revision + faces.revision;
    const { pixelRatio } = screen;
    if (this.#drawnWith !== loaded) {
      this.#drawnWith = loaded;
      draw(this.#brush, this.#paints, { pixelRatio });
    } else if (this.#drawn === this.#paints || !isStill && !this.#hasMoved(pixelRatio)) return;
    else this.#redraw(pixelRatio);
    this.#drawn = this.#paints;
  }

  /** Whether one sees that the canvas is not as it is to be. */
  #hasMoved(pixelRatio: number): boolean {
    const [before, now] = [this.#drawn, this.#paints];
    return before.length !== now.length || now.some((paint, n) => {
      const was = before[n];
      return was === undefined || shiftOf(was, paint) * pixelRatio > UNSEEN;
    });
  }

  /** Draws what has changed. */
  #redraw(pixelRatio: number): void {
    const boxes = changedBoxes(this.#drawn, this.#paints, pixelRatio);
    if (boxes.length === 0) return;
    const { width, height } = this.#canvas;
    const pixels = boxes.reduce((sum, { w, h }) => sum + w * h, 0);
    const isMuch = pixels > width * height * MOST;
    draw(this.#brush, this.#paints, { pixelRatio, ...(!isMuch && { boxes }) });
  }

  async whole(): Promise<void> {
    const { images, faces } = this.#brush;
    await Promise.all([images.whole(), faces.whole()]);
    if (this.#moment !== null) this.show(this.#moment);
  }

  dispose(): void {
    this.#canvas.removeEventListener("contextrestored", this.#restored);
    const { images, faces, tints } = this.#brush;
    images.dispose();
    faces.dispose();
    tints.dispose();
  }

  /** Asks for the images of a scene, what is hidden yet too: it is to be seen at once. */
  #enter({ world }: SeenMoment["game"]): void {
    const { images } = this.#brush;
    if (this.#moment !== null) images.enterScene();
    for (const { traits: { Sprite: sprite } } of world.having("Sprite")) {
      images.of(textIn(sprite, "image"));
    }
  }

  /** Makes the canvas as large as the screen; that empties it. */
  #resize({ width, height, pixelRatio }: SeenMoment["screen"]): void {
    const [w, h] = [Math.round(width * pixelRatio), Math.round(height * pixelRatio)];
    if (this.#canvas.width === w && this.#canvas.height === h) return;
    this.#canvas.width = w;
    this.#canvas.height = h;
    this.#drawnWith = -1;
  }
}
