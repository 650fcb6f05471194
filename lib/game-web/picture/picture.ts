import {
  NeutralToneMapping,
  type Object3D,
  Raycaster,
  Scene,
  SRGBColorSpace,
  Vector2,
  WebGLRenderer,
} from "three";
import { textIn } from "../../game/traits/mod.ts";
import type { GameScreen, GameView, SeenMoment, WebContent } from "../content/mod.ts";
import { Eye, projectionIn } from "./eye.ts";
import { Figures } from "./figures.ts";
import { Lights } from "./lights.ts";
import { Loading } from "./loaded.ts";
import { type LookNames, Looks, namesIn } from "./looks.ts";
import { Materials } from "./materials.ts";
import { SeenParticles } from "./particles.ts";
import { Quality } from "./quality.ts";
import { DrawnShapes } from "./shapes.ts";
import { Skies } from "./sky.ts";
import { spawnedTraits } from "./spawned.ts";
import { type Picked, Stage } from "./stage.ts";
import { Textures } from "./textures.ts";

/** The picture of the 3D layer. Its pixels can be read from the canvas in the task that showed it. */
export interface Picture extends GameView {
  show(moment: SeenMoment): void;
  /**
   * Returns the nearest drawn entity at a point of the last frame, or `null`.
   *
   * @param x From the left edge of the screen. @param y From its top.
   */
  pick(x: number, y: number): Picked | null;
  /**
   * Resolves when everything in the last frame has loaded, so that the next frame is complete.
   *
   * @returns Whether that frame differs: something was still being loaded.
   */
  whenLoaded(): Promise<boolean>;
}

/** Options of a picture. */
export interface PictureOptions {
  /** Called once for each thing that cannot be drawn; the browser's console when absent. */
  readonly warn?: (text: string) => void;
  /** Drawn with every scene, but not part of it and never picked. */
  readonly beside?: Object3D;
}

/** Draws the 3D layer on a canvas, at the place in the layout. */
export function createPicture(
  canvas: HTMLCanvasElement,
  content: WebContent,
  { warn = (text) => console.warn(text), beside }: PictureOptions = {},
): Picture {
  const picture = new WebGLPicture(canvas, content, warn);
  if (beside !== undefined) picture.add(beside);
  return picture;
}

const at = new Vector2();
const ray = new Raycaster();
ray.params.Line.threshold = ray.params.Points.threshold = 0.05; // metres

class WebGLPicture implements Picture {
  readonly #renderer: WebGLRenderer;
  readonly #scene = new Scene();
  readonly #loading = new Loading();
  readonly #eye = new Eye();
  readonly #quality: Quality;
  readonly #lights: Lights;
  readonly #textures: Textures;
  readonly #shapes: DrawnShapes;
  readonly #looks: Looks;
  readonly #skies: Skies;
  readonly #stage: Stage;
  readonly #figures: Figures;
  readonly #particles: SeenParticles;
  #shown: SeenMoment | null = null;
  #prepared: readonly LookNames[] = [];
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
    this.#scene.matrixWorldAutoUpdate = false; // world matrices are written directly
    this.#quality = new Quality(warn);
    const pathOf = (guid: string) => content.asset(guid)?.path ?? guid;
    const notes = { loading: this.#loading, warn, pathOf };
    this.#textures = new Textures(content, notes);
    this.#shapes = new DrawnShapes(content, notes);
    this.#looks = new Looks(this.#shapes, new Materials(content, this.#textures, notes));
    this.#lights = new Lights(this.#scene);
    this.#skies = new Skies(this.#scene, content, notes);
    const particles = { content, textures: this.#textures };
    this.#particles = new SeenParticles(this.#scene, particles, notes);
    this.#stage = new Stage(this.#scene);
    this.#figures = new Figures({ stage: this.#stage, looks: this.#looks });
  }

  add(beside: Object3D): void {
    this.#scene.add(beside);
  }

  show(moment: SeenMoment): void {
    const { game, screen } = moment;
    if (game !== this.#shown?.game) this.#begin(game);
    this.#quality.note(moment.elapsed);
    this.#fit(screen);
    const isWhole = this.#update(moment);
    const projection = moment.eye ?? projectionIn(game.world);
    const camera = projection === null ? null : this.#eye.of(projection, screen);
    this.#lights.update(game.world, camera, this.#quality.level);
    if (camera === null) this.#renderer.clear();
    else {
      this.#particles.face(camera.matrixWorld);
      this.#renderer.render(this.#scene, camera);
    }
    if (!this.#isSwept && isWhole && this.#loading.isIdle) this.#sweep();
  }

  pick(x: number, y: number): Picked | null {
    if (this.#shown === null) return null;
    const { game, screen } = this.#shown;
    const projection = this.#shown.eye ?? projectionIn(game.world);
    if (projection === null) return null;
    const { width, height } = screen;
    at.set(x / width * 2 - 1, 1 - y / height * 2);
    ray.setFromCamera(at, this.#eye.of(projection, screen));
    return this.#stage.pick(ray);
  }

  async whenLoaded(): Promise<boolean> {
    let differs = false;
    // A loaded asset may reference others: a mesh its materials.
    while (this.#shown !== null && !this.#update(this.#shown) && !this.#loading.isIdle) {
      differs = true;
      await this.#loading.settled();
    }
    return differs;
  }

  dispose(): void {
    this.#figures.clear();
    this.#lights.clear();
    this.#particles.clear();
    this.#skies.dispose();
    this.#prepared = [];
    this.#sweep();
    this.#shapes.dispose();
    this.#renderer.dispose();
    this.#renderer.forceContextLoss(); // a browser has few contexts, and collects them late
  }

  /** Loads everything that a scene may spawn later, with the scene. */
  #begin(game: SeenMoment["game"]): void {
    this.#isSwept = false;
    const spawned = spawnedTraits(game);
    this.#prepared = spawned.flatMap((traits) => {
      const renderable = traits["Renderable3D"];
      return renderable === undefined ? [] : [namesIn(renderable)];
    });
    for (const traits of spawned) {
      this.#particles.prepare(textIn(traits["ParticleEmitter"], "particle"));
    }
  }

  /** Places everything as in the world. @returns Whether all of it has loaded. */
  #update(moment: SeenMoment): boolean {
    this.#shown = moment;
    const { game } = moment;
    if (!this.#isSwept) { for (const names of this.#prepared) this.#looks.get(names); }
    const hasFigures = this.#figures.update(game.world);
    const hasSky = this.#skies.update(game.world);
    const hasParticles = this.#particles.update(game);
    return hasFigures && hasSky && hasParticles;
  }

  /**
   * Disposes of everything that the new scene does not use, once all of it has loaded; common
   * assets have stayed.
   */
  #sweep(): void {
    this.#isSwept = true;
    const names = [...this.#figures.names(), ...this.#prepared];
    this.#looks.keep(names, this.#textures, this.#particles.textures());
    this.#skies.keep();
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
