import { messageOf } from "../../core/result.ts";
import type { WebContent } from "../content/mod.ts";

const MAX_FILE_BYTES = 32 * 1024 * 1024;
/**
 * Maximum length of a sound, in seconds: 20 minutes decode to 460 MB, and a small file may decode
 * to any size. One of unknown length is not decoded.
 */
const MAX_SECONDS = 1_200;
/** Maximum bytes of all decoded sounds; the last requested ones are kept beyond it. */
const MAX_DECODED_BYTES = 128 * 1024 * 1024;

/** The members of an `AudioBuffer` that determine its size. */
export interface DecodedSound {
  readonly length: number;
  readonly numberOfChannels: number;
}

/** The member of an audio context that decodes. */
export interface SoundDecoder<Sound> {
  decodeAudioData(file: ArrayBuffer): Promise<Sound>;
}

type SoundContent = Pick<WebContent, "asset" | "soundLength" | "readAsset">;

/** The sounds of the game, fetched and decoded once, within a bound. */
export class Clips<Sound extends DecodedSound> {
  readonly #content: SoundContent;
  readonly #context: SoundDecoder<Sound>;
  /** Least recently requested first; `null` while loading, and if it failed. */
  readonly #buffers = new Map<string, Sound | null>();
  readonly #loading = new Set<Promise<void>>();
  #bytes = 0;

  constructor(content: SoundContent, context: SoundDecoder<Sound>) {
    this.#content = content;
    this.#context = context;
  }

  /** A decoded sound; `null` until it is there. */
  of(clip: string): Sound | null {
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
  async whenLoaded(): Promise<void> {
    while (this.#loading.size > 0) await Promise.all(this.#loading);
  }

  async #load(clip: string): Promise<void> {
    const asset = this.#content.asset(clip);
    if (asset === undefined) return;
    try {
      const seconds = await this.#content.soundLength(asset);
      if (seconds === null || seconds > MAX_SECONDS) {
        throw new TypeError(`found ${seconds ?? "unknown"} s, expected at most ${MAX_SECONDS}`);
      }
      const bytes = await this.#content.readAsset(asset, MAX_FILE_BYTES);
      if (bytes === null) throw new TypeError("it cannot be read");
      this.#keep(clip, await this.#context.decodeAudioData(bytes.slice().buffer));
    } catch (thrown) {
      console.warn(`Cannot play "${asset.path}": ${messageOf(thrown)}`);
    }
  }

  #keep(clip: string, buffer: Sound): void {
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

function bytesOf({ length, numberOfChannels }: DecodedSound): number {
  return length * numberOfChannels * Float32Array.BYTES_PER_ELEMENT;
}
