import { messageOf, type Result } from "../../core/result.ts";

/** Everything that is being loaded. */
export class Loading {
  #open = 0;
  #waiting: (() => void)[] = [];

  /** Counts work until it ends. */
  async count<T>(work: Promise<T>): Promise<T> {
    this.#open++;
    try {
      return await work;
    } finally {
      this.#open--;
      if (this.#open === 0) {
        for (const go of this.#waiting) go();
        this.#waiting = [];
      }
    }
  }

  /** Whether nothing is being loaded. */
  get isIdle(): boolean {
    return this.#open === 0;
  }

  /** Resolves when nothing is being loaded. */
  settled(): Promise<void> {
    return this.isIdle ? Promise.resolve() : new Promise((go) => this.#waiting.push(go));
  }
}

/** Listeners of loading. */
export interface LoadNotes {
  readonly loading: Loading;
  /** Called once for each asset that cannot be drawn. */
  readonly warn: (text: string) => void;
  /** The name of an asset for people. */
  readonly pathOf: (guid: string) => string;
}

interface Entry<T> {
  readonly whenLoaded: Promise<T | null>;
  /** `undefined` while loading, `null` if it failed. */
  value: T | null | undefined;
}

/** Loaded assets of one kind by guid, each loaded once. */
export class Loaded<T> {
  readonly #entries = new Map<string, Entry<T>>();
  readonly #load: (guid: string) => Promise<Result<T, string>>;
  readonly #notes: LoadNotes;

  /** @param load Resolves to a sentence if it fails, which is passed to `warn` once. */
  constructor(load: (guid: string) => Promise<Result<T, string>>, notes: LoadNotes) {
    this.#load = load;
    this.#notes = notes;
  }

  /** Returns the current state: `undefined` while loading, `null` if it failed. */
  get(guid: string): T | null | undefined {
    return this.#entry(guid).value;
  }

  /** The same, once it is there. */
  whenLoaded(guid: string): Promise<T | null> {
    return this.#entry(guid).whenLoaded;
  }

  /** Disposes of values that are not kept. Those being loaded stay. */
  keep(isKept: (value: T) => boolean, dispose: (value: T) => void): void {
    for (const [guid, { value }] of this.#entries) {
      if (value === undefined || value !== null && isKept(value)) continue;
      this.#entries.delete(guid);
      if (value !== null) dispose(value);
    }
  }

  /** Returns all loaded values. */
  values(): readonly T[] {
    return [...this.#entries.values()].flatMap(({ value }) => value ?? []);
  }

  #entry(guid: string): Entry<T> {
    const known = this.#entries.get(guid);
    if (known !== undefined) return known;
    const made: Entry<T> = {
      whenLoaded: this.#notes.loading.count(
        this.#attempt(guid).then((value) => made.value = value),
      ),
      value: undefined,
    };
    this.#entries.set(guid, made);
    return made;
  }

  async #attempt(guid: string): Promise<T | null> {
    try {
      const loaded = await this.#load(guid);
      if (loaded.ok) return loaded.value;
      this.#notes.warn(loaded.error);
    } catch (thrown) { // decoders throw on damaged files
      const path = this.#notes.pathOf(guid);
      this.#notes.warn(`Asset "${path}" cannot be drawn: ${messageOf(thrown)}`);
    }
    return null;
  }
}
