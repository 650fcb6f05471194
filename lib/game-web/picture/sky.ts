import {
  ClampToEdgeWrapping,
  Color,
  DataTexture,
  EquirectangularReflectionMapping,
  FloatType,
  Fog,
  LinearFilter,
  type Scene,
  SRGBColorSpace,
  Texture,
} from "three";
import { imageSize } from "../../core/image-size.ts";
import { ok, type Result } from "../../core/result.ts";
import { panoramaBytes } from "../../game/assets/mod.ts";
import { numberIn, textIn } from "../../game/traits/mod.ts";
import type { LiveWorld } from "../../game/world/mod.ts";
import type { WebContent } from "../content/mod.ts";
import { readFile, readJsonFile } from "./asset-file.ts";
import { colorOf } from "./color.ts";
import { Loaded, type LoadNotes } from "./loaded.ts";
import { readRadiance } from "./radiance.ts";

const MAX_PANORAMA_BYTES = 64 * 1024 * 1024;
/** Rows of a gradient, from straight down to straight up. */
const ROWS = 128;

/** The environment of a scene. */
interface Surroundings {
  readonly texture: Texture;
  readonly intensity: number;
  /** Colour of the horizon, to which fog fades. */
  readonly horizon: string | null;
}

/** Background, ambient light and fog of a scene. */
export class Skies {
  readonly #scene: Scene;
  readonly #surroundings: Loaded<Surroundings>;
  readonly #color = new Color();
  readonly #fog = new Fog(0);
  /** The inputs of the current colours. */
  #read: readonly [color: string | null, around: Surroundings | null] = [null, null];

  constructor(
    scene: Scene,
    content: WebContent,
    notes: LoadNotes,
  ) {
    this.#scene = scene;
    this.#surroundings = new Loaded((guid) => loadSurroundings(content, guid), notes);
  }

  /** @returns Whether all of it is there. */
  update(world: LiveWorld): boolean {
    const scene = this.#scene;
    const fields = world.withTrait("Sky").find(({ layer }) => layer === "3d")?.traits["Sky"];
    const environment = textIn(fields, "environment");
    const around = environment === "" ? null : this.#surroundings.get(environment);
    const color = fields === undefined ? "#000000" : textIn(fields, "color");
    this.#readColors(color, around ?? null);
    scene.background = around?.texture ?? this.#color;
    scene.environment = around?.texture ?? null;
    scene.backgroundIntensity = scene.environmentIntensity = around?.intensity ?? 1;
    const fogEnd = numberIn(fields, "fogEnd");
    this.#fog.near = numberIn(fields, "fogStart");
    this.#fog.far = fogEnd;
    scene.fog = fogEnd > 0 ? this.#fog : null;
    return around !== undefined;
  }

  /**
   * Reads the colours only after a change, because that takes longer than everything else about a
   * sky.
   */
  #readColors(color: string, around: Surroundings | null): void {
    if (this.#read[0] === color && this.#read[1] === around) return;
    this.#read = [color, around];
    this.#color.set(colorOf(color, "#87b5d9").rgb);
    this.#fog.color.set(around?.horizon ?? this.#color);
    if (around !== null && around.horizon !== null) {
      this.#fog.color.multiplyScalar(around.intensity);
    }
  }

  /** Disposes of everything except the current environment. */
  keep(): void {
    const { environment } = this.#scene;
    this.#surroundings.keep(({ texture }) => texture === environment, ({ texture }) => {
      texture.dispose();
    });
  }

  dispose(): void {
    this.#scene.environment = this.#scene.background = null;
    this.keep();
  }
}

async function loadSurroundings(
  content: WebContent,
  guid: string,
): Promise<Result<Surroundings, string>> {
  const path = content.asset(guid)?.path ?? "";
  if (!path.endsWith(".json")) {
    const panorama = await loadPanorama(content, guid);
    return panorama.ok ? ok({ texture: panorama.value, intensity: 1, horizon: null }) : panorama;
  }
  const read = await readJsonFile(content, guid);
  if (!read.ok) return read;
  const fields = read.value.content;
  const intensity = Math.max(0, numberIn(fields, "intensity", 1));
  const image = textIn(fields, "image");
  if (image !== "") {
    const panorama = await loadPanorama(content, image);
    return panorama.ok ? ok({ texture: panorama.value, intensity, horizon: null }) : panorama;
  }
  const horizon = colorOf(textIn(fields, "horizon"), "#d9e4ec").rgb;
  const sky = colorOf(textIn(fields, "sky"), "#87b5d9").rgb;
  const ground = colorOf(textIn(fields, "ground"), "#5b5b52").rgb;
  return ok({ texture: gradient({ ground, horizon, sky }), intensity, horizon });
}

/** A panorama of three colours, one row for each height. */
function gradient(colors: Readonly<Record<"ground" | "horizon" | "sky", string>>): Texture {
  const [ground, horizon, sky] = [colors.ground, colors.horizon, colors.sky].map((rgb) =>
    new Color(rgb)
  );
  const width = 4;
  const numbers = new Float32Array(width * ROWS * 4);
  const mixed = new Color();
  for (let row = 0; row < ROWS; row++) {
    const height = (row + 0.5) / ROWS * 2 - 1; // straight down is -1
    const end = height < 0 ? ground : sky;
    mixed.copy(horizon ?? mixed).lerp(end ?? mixed, Math.sqrt(Math.abs(height)));
    for (let column = 0; column < width; column++) {
      numbers.set([mixed.r, mixed.g, mixed.b, 1], (row * width + column) * 4);
    }
  }
  return panoramaOf(new DataTexture(numbers, width, ROWS, undefined, FloatType));
}

async function loadPanorama(content: WebContent, guid: string): Promise<Result<Texture, string>> {
  const read = await readFile(content, guid, MAX_PANORAMA_BYTES);
  if (!read.ok) return read;
  const { asset, bytes } = read.value;
  if (/\.hdr$/i.test(asset.path)) {
    const free = content.pictures.take(imageSize(bytes), (size) => panoramaBytes(size, 8));
    try {
      const texture = await readRadiance(bytes);
      texture.addEventListener("dispose", free);
      return ok(panoramaOf(texture));
    } catch (thrown) {
      free();
      throw thrown;
    }
  }
  const { image, free } = await content.pictures.decode(bytes, panoramaBytes, {
    imageOrientation: "flipY",
    colorSpaceConversion: "none",
  });
  const texture = new Texture(image);
  texture.addEventListener("dispose", free);
  texture.colorSpace = SRGBColorSpace;
  texture.flipY = false;
  return ok(panoramaOf(texture));
}

function panoramaOf<T extends Texture>(texture: T): T {
  texture.mapping = EquirectangularReflectionMapping;
  texture.magFilter = texture.minFilter = LinearFilter;
  texture.wrapT = ClampToEdgeWrapping;
  texture.generateMipmaps = false;
  texture.needsUpdate = true;
  return texture;
}
