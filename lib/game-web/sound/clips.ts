import { messageOf } from "../../core/result.ts";
import type { WebContent } from "../content/mod.ts";

const MAX_FILE_BYTES = 32 * 1024 * 1024;
/** Maximum bytes of all decoded sounds; the last requested ones are kept beyond it. */
const MAX_DECODED_BYTES = 128 * 1024 * 1024;

/** The sounds of the game, fetched and decoded once, within a bound. */
export class Clips {
  readonly #content: WebContent;
  readonly #context: BaseAudioContext;
  /** Least recently requested first; `null` while loading, and if it failed. */
  readonly #buffers = new Map<string, AudioBuffer | null>();
  readonly #loading = new Set<Promise<void>>();
  #bytes = 0;

  constructor(content: WebContent, context: BaseAudioContext) {
    this.#content = content;
    this.#context = context;
  }

  /** A decoded sound; `null` until it is there. */
  of(clip: string): AudioBuffer | null {
    const buffer = this.#buffers.get(clip);
    if (buffer === undefined) {
      const loading = this.#load(clip).finally(() => this.#loading.delete(loading));
      this.#loading.add(loading);
    }
    this.#buffers.delete(clip);
    this.#buffers.set(clip, buffer ?? null);
    return buffer ?? null;
  }

  /** Resolves once all requested sounds have loaded or failed. */
  async whole(): Promise<void> {
    while (this.#loading.size > 0) await Promise.all(this.#loading);
  }

  async #load(clip: string): Promise<void> {
    const asset = this.#content.asset(clip);
    if (asset === undefined) return;
    const bytes = await this.#content.readAsset(asset, MAX_FILE_BYTES);
    try {
      if (bytes === null) throw new TypeError("it cannot be read");
      this.#keep(clip, await this.#context.decodeAudioData(bytes.slice().buffer));
    } catch (thrown) {
      console.warn(`Cannot play "${asset.path}": ${messageOf(thrown)}`);
    }
  }

  #keep(clip: string, buffer: AudioBuffer): void {
    this.#buffers.set(clip, buffer);
    this.#bytes += bytesOf(buffer);
    for (const [oldest, spare] of this.#buffers) {
      if (this.#bytes <= MAX_DECODED_BYTES || oldest === clip) break;
      if (spare === null) continue; // asking for it again would load it again
      this.#buffers.delete(oldest);
      this.#bytes -= bytesOf(spare);
    }
  }
}

function bytesOf({ length, numberOfChannels }: AudioBuffer): number {
  return length * numberOfChannels * Float32Array.BYTES_PER_ELEMENT;
}
