import type { Entity, WatchSeries } from "../ports/mod.ts";

/** A watched number: exact statistics over all samples, and the last samples themselves. */
export class Series {
  readonly guid: string;
  readonly name: string;
  readonly field: string;
  readonly round: number;
  readonly #capacity: number;
  #samples: { readonly tick: number; readonly value: number }[] = [];
  #oldest = 0;
  #count = 0;
  #first = 0;
  #last = 0;
  #min = Infinity;
  #max = -Infinity;
  #mean = 0;
  #changes = 0;

  constructor(
    { guid, name }: Entity,
    { field, round, capacity }: {
      readonly field: string;
      readonly round: number;
      readonly capacity: number;
    },
  ) {
    this.guid = guid;
    this.name = name;
    this.field = field;
    this.round = round;
    this.#capacity = capacity;
  }

  /** Takes a sample. */
  add(tick: number, value: number): void {
    if (this.#count === 0) this.#first = value;
    else if (value !== this.#last) this.#changes++;
    this.#count++;
    this.#last = value;
    this.#min = Math.min(this.#min, value);
    this.#max = Math.max(this.#max, value);
    // A running mean: a sum would lose its last digits over a long game.
    this.#mean += (value - this.#mean) / this.#count;
    if (this.#samples.length < this.#capacity) this.#samples.push({ tick, value });
    else {
      this.#samples[this.#oldest] = { tick, value };
      this.#oldest = (this.#oldest + 1) % this.#capacity;
    }
  }

  /** The series as it is now. */
  read(): WatchSeries {
    const samples = this.#samples;
    return {
      guid: this.guid,
      name: this.name,
      field: this.field,
      round: this.round,
      stats: {
        count: this.#count,
        first: this.#first,
        last: this.#last,
        min: this.#min,
        max: this.#max,
        mean: this.#mean,
        delta: this.#last - this.#first,
        changes: this.#changes,
      },
      samples: [...samples.slice(this.#oldest), ...samples.slice(0, this.#oldest)],
    };
  }
}
