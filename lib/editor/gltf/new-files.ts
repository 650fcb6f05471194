import type { Work } from "../../core/cooperative.ts";
import type { JsonObject } from "../../core/json.ts";
import { assetBytes } from "../files/asset-text.ts";
import { MODEL_LIMITS } from "./limits.ts";
import { UniqueNames } from "./names.ts";

/** A file that an import makes. */
export interface NewFile {
  /** Relative to the folder of the import. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Its sidecar; `null` if it is not an asset. */
  readonly meta: JsonObject | null;
}

/** Collects the files of one import: each at a path of its own, all of their JSON within a bound. */
export class NewFiles {
  readonly #newGuid: () => string;
  readonly #files: NewFile[] = [];
  readonly #paths = new UniqueNames();
  /** JSON that may still be made, in bytes; below 0 when there was more. */
  #textLeft = 0;

  /** @param newGuid Gives each new asset its guid. */
  constructor(newGuid: () => string) {
    this.#newGuid = newGuid;
  }

  /** In insertion order. */
  get all(): readonly NewFile[] {
    return this.#files;
  }

  /** Whether more JSON was made than may be, in one file or in all. */
  get isTooMuch(): boolean {
    return this.#textLeft < 0;
  }

  /** Sets the remaining bytes of JSON. */
  allowText(bytes: number): void {
    this.#textLeft = bytes;
  }

  /** Takes a path as it is. @returns Whether it was free, also in other letters' case. */
  take(path: string): boolean {
    return this.#paths.take(path) === path;
  }

  /** Returns a free path. @param folder `""` for that of the import. */
  free(folder: string, name: string, ending: string): string {
    const prefix = folder === "" ? "" : `${folder}/`;
    // The number precedes the ending, and the ending counts: `a.mesh.json` and `a.material.json`
    // are different names.
    return this.#paths.take(`${prefix}${name}`, { separator: "-", ending });
  }

  /** Adds a file that is not an asset. */
  addPlain(path: string, bytes: Uint8Array): void {
    this.#files.push({ path, bytes, meta: null });
  }

  /** Adds an asset. @returns Its guid: that of `meta` if it has one. */
  add(path: string, bytes: Uint8Array, meta: JsonObject = {}): string {
    const { guid } = meta;
    const own = typeof guid === "string" ? guid : this.#newGuid();
    this.#files.push({ path, bytes, meta: { ...meta, guid: own } });
    return own;
  }

  /** Adds an authored asset. @returns Its guid. */
  *addJson(path: string, content: JsonObject, meta: JsonObject = {}): Work<string> {
    yield;
    const bytes = yield* assetBytes(content, Math.min(this.#textLeft, MODEL_LIMITS.fileText));
    this.#textLeft = bytes === null ? -1 : this.#textLeft - bytes.length;
    return this.add(path, bytes ?? new Uint8Array(), meta);
  }
}
