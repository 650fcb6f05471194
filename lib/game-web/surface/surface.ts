import { textIn } from "../../game/traits/mod.ts";
import { STEP } from "../../game/world/mod.ts";
import type { GameScreen, GameView, SeenMoment, WebContent } from "../content/mod.ts";
import type { Brush } from "./brush.ts";
import { draw } from "./draw.ts";
import { Faces } from "./faces.ts";
import { Images } from "./images.ts";
import type { Paint } from "./paint.ts";
import { Paints2d } from "./paint-2d.ts";
import { PaintsUi } from "./paint-ui.ts";
import { changedBoxes } from "./region.ts";
import { Tints } from "./tints.ts";

/** Fraction of the canvas beyond which all of it is redrawn. */
const MOST = 0.5;

/** Canvas pixels by which a moving thing may be off, invisibly. */
const UNSEEN = 0.25;

/**
 * Seconds without movement after which a thing is at rest: about a step, because a 120 Hz screen
 * shows each step twice.
 */
const LONGEST_REST = 0.9 * STEP;

/** Shows the 2D layer and the UI layer above it. */
export interface Surface extends GameView {
  show(moment: SeenMoment): void;
  /**
   * Returns whether the last layout is still good enough for this moment. A thing that only moves
   * may be a quarter of a pixel off until it rests.
   */
  isRight(moment: Omit<SeenMoment, "layout">): boolean;
  /**
   * Resolves once everything shown so far has loaded or failed, and has been drawn.
   *
   * @returns Whether the picture has changed.
   */
  whenLoaded(): Promise<boolean>;
}

/**
 * Creates a surface that draws on `canvas` and sizes it to the screen's pixels. It draws only after
 * changes.
 *
 * @param warn Called with a sentence for each thing that cannot be shown; the console when absent.
 * @throws When the canvas has a context of another kind.
 */
export function createSurface(
  canvas: HTMLCanvasElement,
  content: WebContent,
  warn: (text: string) => void = (text) => console.warn(text),
): Surface {
  const context = canvas.getContext("2d");
  if (context === null) {
    throw new TypeError("Cannot draw the surface: expected a canvas with a 2D context");
  }
  return new CanvasSurface(context, content, warn);
}

class CanvasSurface implements Surface {
  readonly #canvas: HTMLCanvasElement;
  readonly #content: WebContent;
  readonly #brush: Brush;
  readonly #flat: Paints2d;
  readonly #ui: PaintsUi;
  #moment: SeenMoment | null = null;
  #paints: readonly Paint[] = [];
  /** The paints on the canvas. */
  #drawn: readonly Paint[] = [];
  /** Version of the images and fonts on the canvas; -1 if nothing is drawn. */
  #drawnWith = -1;
  readonly #restored = () => this.#drawnWith = -1;
  /** The buttons that were held when it was painted, and how much of the world had changed and moved. */
  #pressed = "";
  #changes = -1;
  #moves = -1;
  /** Sum of move counters at the last moment. */
  #movesBefore = -1;
  /** Seconds since that has grown, at the last moment. */
  #rest = 0;

  constructor(
    context: CanvasRenderingContext2D,
    content: WebContent,
    warn: (text: string) => void,
  ) {
    this.#canvas = context.canvas;
    this.#content = content;
    this.#brush = {
      context,
      details: content.details,
      images: new Images(content, warn),
      faces: new Faces(content, warn),
      tints: new Tints(),
    };
    this.#flat = new Paints2d(content.details);
    this.#ui = new PaintsUi(content.details);
    this.#canvas.addEventListener("contextrestored", this.#restored);
  }

  isRight({ game, screen, pressed, elapsed }: Omit<SeenMoment, "layout">): boolean {
    const before = this.#moment;
    if (before === null || !sameScreen(before.screen, screen)) return false;
    if (before.game !== game || this.#pressed !== pressed.join()) return false;
    const { flatMoves, flatChanges } = game.world;
    if (flatChanges !== this.#changes) return false;
    if (flatMoves === this.#moves) return true;
    const isStill = elapsed === 0 || this.#rest > LONGEST_REST;
    return !isStill && this.#flat.isWithin(game.world, UNSEEN / screen.pixelRatio);
  }

  show(moment: SeenMoment): void {
    const { game, layout, screen, pressed } = moment;
    const before = this.#moment;
    if (before?.game !== game) this.#enter(game);
    this.#moment = moment;
    this.#resize(screen);
    const { flatMoves, flatChanges } = game.world;
    this.#rest = flatMoves === this.#movesBefore ? this.#rest + moment.elapsed : 0;
    this.#movesBefore = flatMoves;
    const held = pressed.join();
    if (before?.game !== game || before.layout !== layout || this.#pressed !== held) {
      this.#paints = [...this.#flat.of(game, layout), ...this.#ui.of(game, layout, pressed)];
      [this.#pressed, this.#changes, this.#moves] = [held, flatChanges, flatMoves];
    }
    const { images, faces } = this.#brush;
    const loaded = images.revision + faces.revision;
    const { pixelRatio } = screen;
    if (this.#drawnWith !== loaded) {
      this.#drawnWith = loaded;
      draw(this.#brush, this.#paints, { pixelRatio });
    } else if (this.#drawn === this.#paints) return;
    else this.#redraw(pixelRatio);
    this.#drawn = this.#paints;
  }

  /** Redraws the changes. */
  #redraw(pixelRatio: number): void {
    const boxes = changedBoxes(this.#drawn, this.#paints, pixelRatio);
    if (boxes.length === 0) return;
    const { width, height } = this.#canvas;
    const pixels = boxes.reduce((sum, { w, h }) => sum + w * h, 0);
    const isMuch = pixels > width * height * MOST;
    draw(this.#brush, this.#paints, { pixelRatio, ...(!isMuch && { boxes }) });
  }

  async whenLoaded(): Promise<boolean> {
    const { images, faces } = this.#brush;
    await Promise.all([images.whenLoaded(), faces.whenLoaded()]);
    if (this.#moment === null) return false;
    const differs = this.#drawnWith !== images.revision + faces.revision;
    this.show(this.#moment);
    return differs;
  }

  dispose(): void {
    this.#canvas.removeEventListener("contextrestored", this.#restored);
    const { images, faces, tints } = this.#brush;
    images.dispose();
    faces.dispose();
    tints.dispose();
  }

  /** Requests the images of a scene, including hidden ones, which must be visible immediately. */
  #enter({ world }: SeenMoment["game"]): void {
    const { images } = this.#brush;
    if (this.#moment !== null) images.enterScene();
    for (const { traits: { Sprite: sprite } } of world.withTrait("Sprite")) {
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

function sameScreen(one: GameScreen, other: GameScreen): boolean {
  return one.width === other.width && one.height === other.height &&
    one.pixelRatio === other.pixelRatio;
}
