import { Ring, type Sequenced } from "../../core/ring.ts";
import { LOG_LEVELS, type LogLevel } from "../../device-bridge/mod.ts";

/** Lines that are kept of a device (RING-1). */
const CAPACITY = 2_000;

/** A line of a device's log. */
export interface LogLine {
  /** Milliseconds since the epoch, by the device's clock. */
  readonly t: number;
  /** How much it matters. */
  readonly level: LogLevel;
  /** What is told. */
  readonly text: string;
  /** Who tells it, in a log of the system. */
  readonly tag?: string;
}

export { LOG_LEVELS, type LogLevel };

/** The newest lines of a log that is read again and again: each is kept once (DEV-45). */
export class DeviceLog {
  readonly #ring = new Ring<LogLine>(CAPACITY);
  #last = -Infinity;
  /** Lines of the last moment, which a later reading tells again. */
  #ofLast: readonly string[] = [];

  /** Keeps a line that comes once. */
  push(line: LogLine): void {
    this.#ring.push(line);
  }

  /** Keeps what a reading from some moment on tells anew. @param lines Oldest first. */
  merge(lines: readonly LogLine[]): void {
    const known = [...this.#ofLast];
    for (const line of lines) {
      if (line.t < this.#last) continue;
      const text = `${line.tag ?? ""}\n${line.text}`;
      if (line.t > this.#last) {
        this.#last = line.t;
        this.#ofLast = [];
        known.length = 0;
      }
      const at = known.indexOf(text);
      if (at >= 0) known.splice(at, 1);
      else {
        this.#ofLast = [...this.#ofLast, text];
        this.#ring.push(line);
      }
    }
  }

  /** All lines that are held, oldest first. */
  all(): readonly Sequenced<LogLine>[] {
    return this.#ring.all();
  }
}
