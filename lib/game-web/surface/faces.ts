import { messageOf } from "../../core/result.ts";
import type { WebContent } from "../content/mod.ts";

const MAX_FONT_BYTES = 16 * 1024 * 1024;

/** The fonts of the game that a browser draws itself (TrueType, OpenType, WOFF2), loaded once. */
export class Faces {
  readonly #content: WebContent;
  readonly #warn: (text: string) => void;
  /** `null` while loading, and for files that are not fonts. */
  readonly #faces = new Map<string, FontFace | null>();
  readonly #loading = new Set<Promise<void>>();
  #revision = 0;

  constructor(content: WebContent, warn: (text: string) => void) {
    this.#content = content;
    this.#warn = warn;
  }

  /** Grows whenever a font is there that was not. */
  get revision(): number {
    return this.#revision;
  }

  /** The family of a font as a canvas names it; `null` until it is there. */
  of(guid: string): string | null {
    const face = this.#faces.get(guid);
    if (face === undefined) {
      this.#faces.set(guid, null);
      const loading = this.#load(guid).finally(() => this.#loading.delete(loading));
      this.#loading.add(loading);
    }
    return face?.family ?? null;
  }

  /** Resolves once all requested fonts have loaded or failed. */
  async whenLoaded(): Promise<void> {
    while (this.#loading.size > 0) await Promise.all(this.#loading);
  }

  dispose(): void {
    for (const face of this.#faces.values()) if (face !== null) document.fonts.delete(face);
    this.#faces.clear();
  }

  async #load(guid: string): Promise<void> {
    const asset = this.#content.asset(guid);
    if (asset?.type !== "font" || asset.path.endsWith(".json")) return;
    const bytes = await this.#content.readAsset(asset, MAX_FONT_BYTES);
    try {
      if (bytes === null) throw new TypeError("it cannot be read");
      const face = await new FontFace(`font-${guid}`, bytes.slice().buffer).load();
      document.fonts.add(face);
      this.#faces.set(guid, face);
      this.#revision++;
    } catch (thrown) {
      this.#warn(`Cannot show "${asset.path}": ${messageOf(thrown)}`);
    }
  }
}
