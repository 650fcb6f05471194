import { isRecord } from "../../core/json.ts";
import { parseJson } from "../../core/json-text.ts";
import { messageOf } from "../../core/result.ts";
import { flatBytes } from "../../game/assets/mod.ts";
import type { HeldImage, WebContent } from "../content/mod.ts";
import type { Rect } from "../../game/types/mod.ts";

const MAX_SPRITE_BYTES = 64 * 1024;
const MAX_IMAGE_BYTES = 64 * 1024 * 1024;

/** A part of a decoded picture. */
export interface Image {
  readonly bitmap: ImageBitmap;
  /** The part, in pixels of the picture. */
  readonly part: Rect;
  /** Whether it is enlarged without smoothing. */
  readonly pixelArt: boolean;
}

/** The picture of a sprite, and its settings. */
interface Sprite {
  readonly texture: string;
  /** `null` for the whole picture. */
  readonly part: Rect | null;
  /** `null` if the texture decides. */
  readonly pixelArt: boolean | null;
}

interface Entry {
  /** `null` until it is loaded, and if it cannot be shown. */
  image: Image | null;
  /** The texture that contains it; `null` until known. */
  texture: string | null;
  /** The last scene that requested it. */
  scene: number;
}

/**
 * The images of the game, fetched and decoded on first use. An image used by consecutive scenes
 * stays; one that a scene did not use is freed at the end of that scene.
 */
export class Images {
  readonly #content: WebContent;
  readonly #warn: (text: string) => void;
  readonly #entries = new Map<string, Entry>();
  /** Sprites share their texture. */
  readonly #held = new Map<string, Promise<HeldImage | null>>();
  readonly #loading = new Set<Promise<void>>();
  #scene = 0;
  #revision = 0;

  constructor(content: WebContent, warn: (text: string) => void) {
    this.#content = content;
    this.#warn = warn;
  }

  /** Increases whenever another image is loaded. */
  get revision(): number {
    return this.#revision;
  }

  /** The image of a sprite or texture; `null` until it is loaded. */
  of(guid: string): Image | null {
    let entry = this.#entries.get(guid);
    if (entry === undefined) {
      entry = { image: null, texture: null, scene: this.#scene };
      this.#entries.set(guid, entry);
      const loading = this.#load(guid, entry).finally(() => this.#loading.delete(loading));
      this.#loading.add(loading);
    }
    entry.scene = this.#scene;
    return entry.image;
  }

  /** Resolves once every requested image is loaded or has failed. */
  async whenLoaded(): Promise<void> {
    while (this.#loading.size > 0) await Promise.all(this.#loading);
  }

  /** Begins another scene. */
  enterScene(): void {
    this.#forget((entry) => entry.scene < this.#scene);
    this.#scene++;
  }

  dispose(): void {
    this.#forget(() => true);
  }

  #forget(isSpare: (entry: Entry) => boolean): void {
    for (const [guid, entry] of this.#entries) if (isSpare(entry)) this.#entries.delete(guid);
    const kept = new Set([...this.#entries.values()].map(({ texture }) => texture));
    for (const [texture, loading] of this.#held) {
      if (kept.has(texture)) continue;
      this.#held.delete(texture);
      void loading.then((held) => held?.free());
    }
  }

  async #load(guid: string, entry: Entry): Promise<void> {
    const sprite = await this.#spriteOf(guid);
    if (sprite === null || this.#entries.get(guid) !== entry) return; // dropped while its sprite was read
    entry.texture = sprite.texture;
    const held = await this.#heldOf(sprite.texture);
    if (held === null) return;
    const bitmap = held.image;
    const { filter } = this.#content.settingsOf(sprite.texture);
    const fullImage = { x: 0, y: 0, w: bitmap.width, h: bitmap.height };
    const pixelArt = sprite.pixelArt ?? filter === "nearest";
    entry.image = { bitmap, part: sprite.part ?? fullImage, pixelArt };
    this.#revision++;
  }

  /** Reads a `*.sprite.json`; any other image shows itself, or the part that its sidecar names. */
  async #spriteOf(guid: string): Promise<Sprite | null> {
    const asset = this.#content.asset(guid);
    if (asset === undefined) return null;
    if (!asset.path.endsWith(".json")) {
      const part = rectIn(this.#content.settingsOf(guid)["rect"]);
      return { texture: guid, part, pixelArt: null };
    }
    const file = parseJson(await this.#content.readAsset(asset, MAX_SPRITE_BYTES));
    const part = rectIn(file);
    const texture = isRecord(file) ? file["image"] : undefined;
    if (isRecord(file) && typeof texture === "string" && part !== null) {
      return { texture, part, pixelArt: file["pixelArt"] !== false };
    }
    this.#warn(`Cannot show "${asset.path}": expected a sprite with image, x, y, w and h`);
    return null;
  }

  #heldOf(texture: string): Promise<HeldImage | null> {
    let loading = this.#held.get(texture);
    if (loading === undefined) {
      loading = this.#decode(texture);
      this.#held.set(texture, loading);
    }
    return loading;
  }

  async #decode(texture: string): Promise<HeldImage | null> {
    const asset = this.#content.asset(texture);
    if (asset === undefined) return null;
    const bytes = await this.#content.readAsset(asset, MAX_IMAGE_BYTES);
    try {
      if (bytes === null) throw new TypeError("it cannot be read");
      return await this.#content.pictures.decode(new Uint8Array(bytes), flatBytes);
    } catch (thrown) {
      this.#warn(`Cannot show "${asset.path}": ${messageOf(thrown)}`);
      return null;
    }
  }
}

function rectIn(value: unknown): Rect | null {
  if (!isRecord(value)) return null;
  const { x = 0, y = 0, w, h } = value;
  const isRect = typeof x === "number" && typeof y === "number" && x >= 0 && y >= 0 &&
    typeof w === "number" && typeof h === "number" && w > 0 && h > 0;
  return isRect ? { x, y, w, h } : null;
}
