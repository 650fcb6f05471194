import { NeutralToneMapping, Scene, SRGBColorSpace, WebGLRenderer } from "three";
import type { GameScreen, Moment, View, WebContent } from "../content/mod.ts";
import { Eye } from "./eye.ts";
import { Figures } from "./figures.ts";
import { Lights } from "./lights.ts";
import { Loading } from "./loaded.ts";
import { Materials } from "./materials.ts";
import { SeenParticles } from "./particles.ts";
import { Quality } from "./quality.ts";
import { Shapes } from "./shapes.ts";
import { Skies } from "./sky.ts";
import { Stage } from "./stage.ts";
import { Textures } from "./textures.ts";

/** The picture of the 3D layer. */
export interface Picture extends View {
  /** Ends when everything that was shown last is loaded: the next frame has all of it. */
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
  readonly #quality: Quality;
  readonly #lights: Lights;
  readonly #textures: Textures;
  readonly #shapes: Shapes;
  readonly #skies: Skies;
  readonly #figures: Figures;
  readonly #particles: SeenParticles;
  #shown: Moment | null = null;
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
    this.#quality = new Quality(warn);
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

  show(moment: Moment): void {
    const { game, screen } = moment;
    this.#isSwept &&= game === this.#shown?.game;
    this.#quality.note(moment.elapsed);
    this.#fit(screen);
    const isWhole = this.#update(moment);
    const camera = this.#eye.of(game.world, screen);
    this.#lights.update(game.world, camera, this.#quality.level);
    if (camera === null) this.#renderer.clear();
    else {
      this.#particles.face(camera.matrixWorld);
      this.#renderer.render(this.#scene, camera);
    }
    if (!this.#isSwept && isWhole) this.#sweep();
  }

  async whole(): Promise<void> {
    // What is there names what else is needed: a mesh its materials.
    while (this.#shown !== null && !this.#update(this.#shown) && !this.#loading.isIdle) {
      await this.#loading.settled();
    }
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

  /** Puts everything where the world has it. @returns Whether all of it is there. */
  #update(moment: Moment): boolean {
    this.#shown = moment;
    const { game } = moment;
    const hasFigures = this.#figures.update(game.world);
    const hasSky = this.#skies.update(game.world);
    const hasParticles = this.#particles.update(game);
    return hasFigures && hasSky && hasParticles;
  }

  /** What both scenes use has stayed; what the new one does not use goes, now that it is all there. */
  #sweep(): void {
    this.#isSwept = true;
    this.#figures.keepUsed(this.#textures, this.#particles.textures());
  }

  #fit({ width, height, pixelRatio }: GameScreen): void {
    const ratio = pixelRatio * this.#quality.level.scale;
    const size = `${width} ${height} ${ratio}`;
    if (size === this.#size) return;
    this.#size = size;
    this.#renderer.setPixelRatio(ratio);
    this.#renderer.setSize(width, height, false);
  }
}
