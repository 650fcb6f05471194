import { loadYoga } from "yoga-layout/load";
import { encodeUtf8 } from "../core/bytes.ts";
import { EntityDocument, parseScene } from "../game/scene/mod.ts";
import type { DrawTask } from "../game/types/mod.ts";
import { LiveWorld } from "../game/world/mod.ts";
import { openContent, type SeenMoment, type WebContent } from "./content/mod.ts";
import { createPicture, type Picture } from "./picture/mod.ts";
import { canvasOf } from "./render-pixels.ts";
import { PageLayout } from "./screen-layout.ts";
import { createSurface, type Surface } from "./surface/mod.ts";

/** Draws scenes with the views of a game. */
export class SceneDrawing {
  readonly #content: WebContent;
  readonly #layout: PageLayout;
  readonly #canvases: { readonly picture: HTMLCanvasElement; readonly surface: HTMLCanvasElement };
  readonly #picture: Picture;
  readonly #surface: Surface;
  readonly #warnings = new Set<string>();

  private constructor(content: WebContent, layout: PageLayout) {
    this.#content = content;
    this.#layout = layout;
    const [picture, surface] = [
      document.createElement("canvas"),
      document.createElement("canvas"),
    ];
    this.#canvases = { picture, surface };
    const warn = (text: string) => void this.#warnings.add(text);
    this.#picture = createPicture(picture, content, { warn });
    this.#surface = createSurface(surface, content, warn);
  }

  /** Opens the project as it is now. @param base The folder of its content, as a URL. */
  static async open(base: string): Promise<SceneDrawing> {
    const [opened, yoga] = await Promise.all([
      openContent(base, (url) => fetch(url)),
      loadYoga(),
    ]);
    if (!opened.ok) throw new TypeError(opened.error.detail);
    const { content } = opened.value;
    return new SceneDrawing(content, new PageLayout(yoga, content.details));
  }

  /** Parts that could not be drawn, a sentence each. */
  get warnings(): readonly string[] {
    return [...this.#warnings];
  }

  /** Draws a scene once everything visible in it has loaded. */
  async draw(
    { scene, live, tick, sequence, screen, region }: DrawTask,
  ): Promise<HTMLCanvasElement> {
    const read = parseScene("the scene", encodeUtf8(scene), this.#content);
    if (!read.ok) throw new TypeError(read.error.message);
    const entities = new EntityDocument(read.value.entities, undefined, this.#content).entities();
    const world = new LiveWorld(entities, 0);
    for (const { guid, trait, fields } of live) {
      const entity = world.byGuid(guid);
      if (entity === undefined) continue;
      for (const [name, value] of Object.entries(fields)) world.set(entity, [trait, name], value);
    }
    const moment: SeenMoment = {
      game: { world, tick, ...(sequence !== undefined && { sequence }) },
      layout: this.#layout.of(world, screen),
      screen: { ...screen, pixelRatio: 1 },
      elapsed: 0,
      pressed: [],
    };
    this.#show(moment);
    await Promise.all([this.#picture.whenLoaded(), this.#surface.whenLoaded()]);
    this.#show(moment);
    // In the same turn: WebGL's picture is discarded after it.
    const { x, y, w, h } = region ?? { x: 0, y: 0, w: screen.width, h: screen.height };
    const { canvas, context } = canvasOf({ width: w, height: h });
    context.drawImage(this.#canvases.picture, -x, -y);
    context.drawImage(this.#canvases.surface, -x, -y);
    return canvas;
  }

  dispose(): void {
    this.#picture.dispose();
    this.#surface.dispose();
  }

  #show(moment: SeenMoment): void {
    this.#picture.show(moment);
    this.#surface.show(moment);
  }
}
