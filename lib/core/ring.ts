/** An entry of a {@linkcode Ring}: what was pushed, plus a number that is never reused. */
export type Sequenced<T> = T & { readonly seq: number };

/**
 * The newest `capacity` entries of an endless sequence (RING-1). Sequence numbers start at 1 and
 * only grow, so a reader knows which entries it has not seen, and which were discarded.
 */
export class Ring<T extends object> {
  readonly capacity: number;
  #entries: Sequenced<T>[] = [];
  #start = 0; // index of the oldest entry, once the ring is full
  #nextSeq = 1;

  constructor(capacity: number) {
    if (!Number.isSafeInteger(capacity) || capacity < 1) {
      throw new RangeError(
        `Cannot create a ring of capacity ${capacity}: expected a whole number >= 1`,
      );
    }
    this.capacity = capacity;
  }

  /** Entries held now. */
  get size(): number {
    return this.#entries.length;
  }

  /** The number that the next entry will get. */
  get nextSeq(): number {
    return this.#nextSeq;
  }

  /** Adds an entry, dropping the oldest when full. */
  push(entry: T): Sequenced<T> {
    const sequenced = { ...entry, seq: this.#nextSeq++ };
    if (this.#entries.length < this.capacity) {
      this.#entries.push(sequenced);
    } else {
      this.#entries[this.#start] = sequenced;
      this.#start = (this.#start + 1) % this.capacity;
    }
    return sequenced;
  }

  /** All entries held, oldest first. */
  all(): Sequenced<T>[] {
    return this.after(0);
  }

  /** Returns the entries after number `seq`, oldest first, without discarded ones. */
  after(seq: number): Sequenced<T>[] {
    const oldest = this.#nextSeq - this.size;
    const skipped = Math.min(Math.max(seq + 1 - oldest, 0), this.size);
    const from = this.#start + skipped;
    if (from >= this.size) return this.#entries.slice(from - this.size, this.#start);
    return [...this.#entries.slice(from), ...this.#entries.slice(0, this.#start)];
  }
}
