/**
 * Work that is done once for all who ask for it, and done again for who asks after it came to nothing:
 * a rejection is nobody's answer but of those who waited for it.
 */
export class Once<T> {
  readonly #work: () => Promise<T>;
  readonly #isDone: (value: T) => boolean;
  #begun: Promise<T> | null = null;

  /** @param isDone Whether an outcome is kept; every one unless given. */
  constructor(work: () => Promise<T>, isDone: (value: T) => boolean = () => true) {
    this.#work = work;
    this.#isDone = isDone;
  }

  /** What is done or under way; `null` for nothing. */
  get begun(): Promise<T> | null {
    return this.#begun;
  }

  /** The outcome, of a new run where there is none. */
  get(): Promise<T> {
    return this.#begun ?? this.again();
  }

  /** The outcome of a new run, in the place of what there is. */
  again(): Promise<T> {
    const begun = this.#work();
    this.#begun = begun;
    const forget = () => {
      if (this.#begun === begun) this.#begun = null;
    };
    begun.then((value) => this.#isDone(value) || forget(), forget);
    return begun;
  }

  /** Lets go of what there is. */
  forget(): void {
    this.#begun = null;
  }
}
