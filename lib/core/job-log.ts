import type { JsonObject } from "./json.ts";
import type { Problem } from "./problem.ts";
import type { Sequenced } from "./ring.ts";

/** The progress of a job's work. */
export interface JobProgress {
  /** In `unit`s. */
  readonly done: number;
  /** 0 means unknown. */
  readonly total: number;
  /** In words: `files`, `bytes`. */
  readonly unit: string;
  /** Current stage. */
  readonly label: string;
}

/** A job's progress or end. */
export type JobEvent =
  | { readonly event: "log"; readonly data: { line: string; stream: "stdout" | "stderr" } }
  | { readonly event: "progress"; readonly data: JobProgress }
  | { readonly event: "done"; readonly data: JsonObject & { ok: true } }
  | { readonly event: "problem"; readonly data: Problem };

/** Bounds of a log. */
export interface LogBounds {
  /** Events. */
  readonly events: number;
  /** Characters of all events together; the newest event stays however long it is. */
  readonly characters: number;
}

/** The newest events of a job, within bounds. Numbers start at 1 and are never reused. */
export class JobLog {
  readonly #bounds: LogBounds;
  readonly #kept: { readonly event: Sequenced<JobEvent>; readonly characters: number }[] = [];
  #first = 0; // index of the oldest kept event
  #characters = 0;
  #lastSeq = 0;

  /** An empty log. */
  constructor(bounds: LogBounds) {
    this.#bounds = bounds;
  }

  /** Characters of the kept events. */
  get characters(): number {
    return this.#characters;
  }

  /** The number of the newest event; 0 before the first. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Adds an event, dropping the oldest beyond the bounds. */
  push(event: JobEvent): void {
    const characters = charactersOf(event);
    this.#kept.push({ event: { ...event, seq: ++this.#lastSeq }, characters });
    this.#characters += characters;
    const { events, characters: most } = this.#bounds;
    while (this.#size > 1 && (this.#size > events || this.#characters > most)) {
      this.#characters -= this.#kept[this.#first++]?.characters ?? 0;
    }
    // Moved together only when half of the list is dropped, so that a push costs the same on average.
    if (this.#first * 2 > this.#kept.length) {
      this.#kept.splice(0, this.#first);
      this.#first = 0;
    }
  }

  /** Returns the events after number `seq`, oldest first, without discarded ones. */
  after(seq: number): Sequenced<JobEvent>[] {
    const oldest = this.#lastSeq - this.#size + 1;
    const from = this.#first + Math.max(0, seq + 1 - oldest);
    return this.#kept.slice(from).map(({ event }) => event);
  }

  get #size(): number {
    return this.#kept.length - this.#first;
  }
}

function charactersOf({ event, data }: JobEvent): number {
  return event === "log" ? data.line.length : JSON.stringify(data).length;
}
