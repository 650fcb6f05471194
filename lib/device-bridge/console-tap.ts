import { type ConsoleLine, LOG_LEVELS, type LogLevel, MAX_LOG_TEXT } from "./protocol.ts";

/** Lines that wait for an editor; the oldest go. */
const MAX_WAITING = 500;

/** An app's console, in the shape of `globalThis.console`. */
export type Consoles = Record<LogLevel, (...values: unknown[]) => void>;

/** Records an app's console output until an editor takes it. */
export class ConsoleTap {
  readonly #now: () => number;
  #waiting: ConsoleLine[] = [];
  #inside = false;
  #end: () => void = () => {};

  /** @param now Milliseconds since the epoch. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Listens until {@linkcode stop}. The console itself writes as before. */
  listen(to: Consoles): void {
    const before = LOG_LEVELS.map((level) => [level, to[level]] as const);
    for (const [level, write] of before) {
      to[level] = (...values) => {
        this.hear(level, values);
        write.apply(to, values);
      };
    }
    this.#end = () => {
      for (const [level, write] of before) to[level] = write;
    };
  }

  stop(): void {
    this.#end();
  }

  hear(level: LogLevel, values: readonly unknown[]): void {
    if (this.#inside) return; // output of a value's own conversion to text
    this.#inside = true;
    const text = values.map(textOf).join(" ").slice(0, MAX_LOG_TEXT);
    this.#inside = false;
    this.#waiting.push({ t: this.#now(), level, text });
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift();
  }

  /** Hands over the oldest lines. @param take Whether it took them. */
  give(most: number, take: (lines: readonly ConsoleLine[]) => boolean): void {
    if (this.#waiting.length === 0) return;
    const lines = this.#waiting.slice(0, most);
    if (take(lines)) this.#waiting = this.#waiting.slice(lines.length);
  }
}

/** A value in few characters; never throws. */
function textOf(value: unknown): string {
  try {
    if (typeof value === "string") return value;
    if (value instanceof Error) return `${value.stack ?? `${value.name}: ${value.message}`}`;
    if (typeof value === "object" && value !== null) {
      return JSON.stringify(value)?.slice(0, MAX_LOG_TEXT) ?? String(value);
    }
    return String(value);
  } catch {
    return "something that has no text";
  }
}
