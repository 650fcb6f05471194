import { plainText } from "../../core/plain-text.ts";
import { Ring, type Sequenced } from "../../core/ring.ts";
import { LOG_LEVELS, type LogLevel } from "../../device-bridge/mod.ts";

/** Lines that are kept of a device (RING-1). */
const CAPACITY = 2_000;
const MAX_TEXT = 2_000;
const MAX_TAG = 100;

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

  /** Keeps a line that comes once. */
  push(line: LogLine): void {
    this.#ring.push(plain(line));
  }

  /**
   * Keeps what a reading tells anew: as many of a line as it has more than are held. Times say nothing
   * of what is new: a device's clock is set, and not each of its logs is in their order.
   *
   * @param lines Oldest first.
   */
  merge(lines: readonly LogLine[]): void {
    const held = new Map<string, number>();
    for (const line of this.#ring.all()) held.set(keyOf(line), (held.get(keyOf(line)) ?? 0) + 1);
    for (const line of lines.slice(-CAPACITY).map(plain)) {
      const key = keyOf(line);
      const count = held.get(key) ?? 0;
      if (count > 0) held.set(key, count - 1);
      else this.#ring.push(line);
    }
  }

  /** All lines that are held, oldest first. */
  all(): readonly Sequenced<LogLine>[] {
    return this.#ring.all();
  }
}

function keyOf({ t, tag = "", text }: LogLine): string {
  return `${t}\n${tag}\n${text}`;
}

function plain({ tag, text, ...line }: LogLine): LogLine {
  const shown = { ...line, text: plainText(text, MAX_TEXT) };
  return tag === undefined ? shown : { ...shown, tag: plainText(tag, MAX_TAG) };
}
