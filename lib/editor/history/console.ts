import { Ring } from "../../core/ring.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ConsoleEntry } from "../ports/mod.ts";

/** Entries that the console keeps (RING-2). */
export const CONSOLE_CAPACITY = 500;
/** Maximum length of one entry, in UTF-16 units; further characters are counted, not kept. */
export const MAX_CONSOLE_TEXT = 4_000;

/** The lines that the editor and the game print. */
export class Console {
  readonly #clock: Clock;
  readonly #ring = new Ring<Omit<ConsoleEntry, "seq">>(CONSOLE_CAPACITY);

  readonly #written: (seq: number) => void;

  /**
   * Creates an empty console; the clock stamps its lines. @param written Called with the number of
   * each line.
   */
  constructor(clock: Clock, written: (seq: number) => void = () => {}) {
    this.#clock = clock;
    this.#written = written;
  }

  /** Adds a line, dropping the oldest when the ring is full. */
  write(level: ConsoleEntry["level"], text: string): void {
    this.#written(this.#ring.push({ t: this.#clock.now(), level, text: bounded(text) }).seq);
  }

  /** Returns all kept lines, oldest first. */
  entries(): readonly ConsoleEntry[] {
    return this.#ring.all();
  }
}

function bounded(text: string): string {
  if (text.length <= MAX_CONSOLE_TEXT) return text;
  // A surrogate pair is not cut in two.
  const splitsPair = /[\ud800-\udbff]/.test(text.charAt(MAX_CONSOLE_TEXT - 1));
  const kept = MAX_CONSOLE_TEXT - (splitsPair ? 1 : 0);
  return `${text.slice(0, kept)}… (${text.length - kept} more characters)`;
}
