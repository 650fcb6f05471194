import { plainText } from "../../core/plain-text.ts";
import { Ring, type Sequenced } from "../../core/ring.ts";
import { LOG_LEVELS, type LogLevel } from "../../device-bridge/mod.ts";

/** Kept lines per device (RING-1). */
const CAPACITY = 2_000;
const MAX_TEXT = 2_000;
const MAX_TAG = 100;

/** A line of a device's log. */
export interface LogLine {
  /** Milliseconds since the epoch, by the device's clock. */
  readonly t: number;
  /** Its severity. */
  readonly level: LogLevel;
  /** The message. */
  readonly text: string;
  /** Its sender, in a system log. */
  readonly tag?: string;
}

export { LOG_LEVELS, type LogLevel };

/** The newest lines of a log that is read repeatedly: each is kept once (DEV-45). */
export class DeviceLog {
  readonly #ring = new Ring<LogLine>(CAPACITY);

  /** Adds a line that arrives only once. */
  push(line: LogLine): void {
    this.#ring.push(plain(line));
  }

  /**
   * Adds only new lines, by counting repeats: if the reading has a line more often than the log, the
   * difference is added. Times cannot identify new lines, because a device's clock may be set and not
   * every log is ordered by time.
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

  /** Returns all kept lines, oldest first. */
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
