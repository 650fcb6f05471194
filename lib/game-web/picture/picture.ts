import { NeutralToneMapping, Scene, SRGBColorSpace, WebGLRenderer } from "three";
import type { Game } from "../../game/world/mod.ts";
import type { GameScreen, Moment, View, WebContent } from "../content/mod.ts";
import { Eye } from "./eye.ts";
import { Figures } from "./figures.ts";
import { Lights } from "./lights.ts";
import { Loading } from "./loaded.ts";
import { Materials } from "./materials.ts";
import { SeenParticles } from "./particles.ts";
import { Shapes } from "./shapes.ts";
import { Skies } from "./sky.ts";
import { Stage } from "./stage.ts";
import { Textures } from "./textures.ts";

/** The picture of the 3D layer. */
export interface Picture extends View {
  /** Ends when everything that was shown so far is loaded: the next frame has all of it. */
  whole(): Promise<void>;
}

/** What a picture tells whom. */
export interface PictureOptions {
  /** Told once of each thing that cannot be drawn; the browser's console when absent. */
  readonly warn?: (text: string) => void;
}

/** Draws the 3D layer on a canvas, where the layout says that it is. */
export function createPicture(
  canvas: HTMLCanvasElement,
  content: WebContent,
  { warn = (text) => console.warn(text) }: PictureOptions = {},
): Picture {
  return new WebGLPicture(canvas, content, warn);
}

class WebGLPicture implements Picture {
  readonly #renderer: WebGLRenderer;
  readonly #scene = new Scene();
  readonly #loading = new Loading();
  readonly #eye = new Eye();
  readonly #lights: Lights;
  readonly #textures: Textures;
  readonly #shapes: Shapes;
  readonly #skies: Skies;
  readonly #figures: Figures;
  readonly #particles: SeenParticles;
  #game: Game | null = null;
  #isSwept = true;
  #size = "";

  constructor(canvas: HTMLCanvasElement, content: WebContent, warn: (text: string) => void) {
    this.#renderer = new WebGLRenderer({
      canvas,
      antialias: true,
      powerPreference: "high-performance",
    });
    this.#renderer.toneMapping = NeutralToneMapping;
    this.#renderer.outputColorSpace = SRGBColorSpace;
    this.#renderer.shadowMap.enabled = true;
    this.#scene.matrixWorldAutoUpdate = false; // each thing is put where the world has it
    const notes = { loading: this.#loading, warn };
    this.#textures = new Textures(content, notes);
    this.#shapes = new Shapes(content, notes);
    const materials = new Materials(content, this.#textures, notes);
    this.#lights = new Lights(this.#scene);
    this.#skies = new Skies(this.#scene, content, notes);
    const particles = { content, textures: this.#textures };
    this.#particles = new SeenParticles(this.#scene, particles, notes);
    this.#figures = new Figures({ stage: new Stage(this.#scene), shapes: this.#shapes, materials });
  }

  show({ game, screen }: Moment): void {
    const { world } = game;
    this.#isSwept &&= game === this.#game;
    this.#game = game;
    this.#fit(screen);
    const isWhole = this.#figures.update(world);
    const hasSky = this.#skies.update(world);
    const camera = this.#eye.of(world, screen);
    this.#lights.update(world, camera);
    const hasParticles = camera === null || this.#particles.update(game, camera.matrixWorld);
    if (camera === null) this.#renderer.clear();
    else this.#renderer.render(this.#scene, camera);
    if (!this.#isSwept && isWhole && hasSky && hasParticles) this.#sweep();
  }

  whole(): Promise<void> {
    return this.#loading.settled();
  }

  dispose(): void {
    this.#figures.clear();
    this.#lights.clear();
    this.#particles.clear();
    this.#skies.dispose();
    this.#sweep();
    this.#shapes.dispose();
    this.#renderer.dispose();
    this.#renderer.forceContextLoss(); // a browser has few contexts, and collects them late
  }

  /** What both scenes use has stayed; what the new one does not use goes, now that it is all there. */
  #sweep(): void {
    this.#isSwept = true;
    this.#figures.keepUsed(this.#textures, this.#particles.textures());
  }

  #fit({ width, height, pixelRatio }: GameScreen): void {
    const size = `${width} ${height} ${pixelRatio}`;
    if (size === this.#size) return;
    this.#size = size;
    this.#renderer.setPixelRatio(pixelRatio);
    this.#renderer.setSize(width, height, false);
  }
}
