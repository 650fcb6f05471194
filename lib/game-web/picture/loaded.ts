import { messageOf, type Result } from "../../core/result.ts";

/** Everything that is on its way, whatever it is. */
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

  /** Whether nothing is on its way. */
  get isIdle(): boolean {
    return this.#open === 0;
  }

  /** Ends when nothing is on its way. */
  settled(): Promise<void> {
    return this.isIdle ? Promise.resolve() : new Promise((go) => this.#waiting.push(go));
  }
}

/** What loading tells whom. */
export interface LoadNotes {
  readonly loading: Loading;
  /** Told once of each asset that cannot be drawn. */
  readonly warn: (text: string) => void;
  /** The name of an asset for people. */
  readonly pathOf: (guid: string) => string;
}

interface Entry<T> {
  readonly whole: Promise<T | null>;
  /** `undefined` while it is on its way, `null` where it cannot be had. */
  value: T | null | undefined;
}

/** What is loaded of one kind of asset, by guid: each once. */
export class Loaded<T> {
  readonly #entries = new Map<string, Entry<T>>();
  readonly #load: (guid: string) => Promise<Result<T, string>>;
  readonly #notes: LoadNotes;

  /** @param load Answers a sentence where it fails, which goes to `warn` once. */
  constructor(load: (guid: string) => Promise<Result<T, string>>, notes: LoadNotes) {
    this.#load = load;
    this.#notes = notes;
  }

  /** What is there now: `undefined` while it is on its way, `null` where it cannot be had. */
  get(guid: string): T | null | undefined {
    return this.#entry(guid).value;
  }

  /** The same, once it is there. */
  whole(guid: string): Promise<T | null> {
    return this.#entry(guid).whole;
  }

  /** Lets go what is not kept. What is on its way stays. */
  keep(isKept: (value: T) => boolean, dispose: (value: T) => void): void {
    for (const [guid, { value }] of this.#entries) {
      if (value === undefined || value !== null && isKept(value)) continue;
      this.#entries.delete(guid);
      if (value !== null) dispose(value);
    }
  }

  /** All that is there. */
  values(): readonly T[] {
    return [...this.#entries.values()].flatMap(({ value }) => value ?? []);
  }

  #entry(guid: string): Entry<T> {
    const known = this.#entries.get(guid);
    if (known !== undefined) return known;
    const made: Entry<T> = {
      whole: this.#notes.loading.count(this.#attempt(guid).then((value) => made.value = value)),
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
    } catch (thrown) { // decoders throw at what is damaged
      const path = this.#notes.pathOf(guid);
      this.#notes.warn(`Asset "${path}" cannot be drawn: ${messageOf(thrown)}`);
    }
    return null;
  }
}
