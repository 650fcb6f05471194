/**
 * Work that runs once for all callers, and again after an unsuccessful run: a rejection reaches
 * only the callers that waited for it.
 */
export class Once<T> {
  readonly #work: () => Promise<T>;
  readonly #isDone: (value: T) => boolean;
  #begun: Promise<T> | null = null;

  /** @param isDone Whether an outcome is kept; default: every one. */
  constructor(work: () => Promise<T>, isDone: (value: T) => boolean = () => true) {
    this.#work = work;
    this.#isDone = isDone;
  }

  /** The outcome, or that of the running work; `null` without either. */
  get begun(): Promise<T> | null {
    return this.#begun;
  }

  /** Returns the outcome; starts the work if there is none. */
  get(): Promise<T> {
    return this.#begun ?? this.again();
  }

  /** Replaces the outcome by that of a new run. */
  again(): Promise<T> {
    const begun = this.#work();
    this.#begun = begun;
    const forget = () => {
      if (this.#begun === begun) this.#begun = null;
    };
    begun.then((value) => this.#isDone(value) || forget(), forget);
    return begun;
  }

  /** Forgets the outcome. */
  forget(): void {
    this.#begun = null;
  }
}
