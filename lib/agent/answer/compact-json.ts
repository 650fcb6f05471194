import { decodeUtf8, encodeUtf8, isWellFormed } from "../../core/bytes.ts";
import { runAtOnce, type Work } from "../../core/cooperative.ts";

/**
 * Maximum nesting that is written: no scene is that deep, and a reader's stack may not be either.
 */
const MAX_DEPTH = 256;

/** Levels whose items are written with yields between them: an answer and its lists. */
const OUTER_LEVELS = 2;

/** Items written between two yields: about a millisecond. */
const PIECE = 256;

/** Keys whose written form one walk caches. */
const REMEMBERED_NAMES = 1_000;

/** Significant digits of a float unless the caller sets another number (BUDGET-4). */
export const DEFAULT_PRECISION = 9;

/** Options of compact JSON. */
export interface CompactJsonOptions {
  /** Significant digits of floats, 1 to 17; 0 writes them exactly. */
  readonly precision: number;
  /** Characters beyond which the text is discarded. */
  readonly maxLength: number;
}

/** A value as compact JSON. */
export interface CompactJson {
  /** `null` when longer than `maxLength`. */
  readonly text: string | null;
  /** Characters of the complete text, kept or not. */
  readonly length: number;
}

/**
 * Writes any value as compact JSON in one walk (BUDGET-4). Floats are rounded, integers unchanged;
 * NaN, infinities and BigInt become strings; a value that contains itself becomes `"[circular]"`,
 * and values deeper than 256 levels become `"[too deep]"`. Lone surrogates in values and keys
 * become U+FFFD. As in `JSON.stringify`, `undefined`, functions and symbols are dropped, and
 * `toJSON` is honoured.
 *
 * @throws Whatever a getter or a `toJSON` of the value throws.
 */
export function compactJson(value: unknown, options: CompactJsonOptions): CompactJson {
  return runAtOnce(compactJsonWork(value, options));
}

/** Writes a possibly long value like {@linkcode compactJson}, yielding to other work. */
export function compactJsonWork(value: unknown, options: CompactJsonOptions): Work<CompactJson> {
  return new JsonWriter(options).write(value);
}

/** Returns a value as JSON of any length: for documents, which have no budget. */
export function wholeJson(value: unknown): string {
  return compactJson(value, { precision: 0, maxLength: Infinity }).text ?? "null";
}

class JsonWriter {
  readonly #precision: number;
  readonly #maxLength: number;
  readonly #ancestors = new Set<object>();
  readonly #names = new Map<string, string>();
  #pieces: string[] | null = [];
  #length = 0;

  constructor(options: CompactJsonOptions) {
    this.#precision = options.precision;
    this.#maxLength = options.maxLength;
  }

  /** Yields between the items of the outer levels; each item is written without a yield. */
  *write(value: unknown): Work<CompactJson> {
    yield* this.#outer(jsonView(value, ""));
    return { text: this.#pieces?.join("") ?? null, length: this.#length };
  }

  #put(piece: string): void {
    this.#length += piece.length;
    if (this.#length > this.#maxLength) this.#pieces = null;
    else this.#pieces?.push(piece);
  }

  /** @param value A {@linkcode jsonView}. */
  *#outer(value: unknown): Work<void> {
    if (typeof value !== "object" || value === null || this.#ancestors.has(value)) {
      return this.#value(value);
    }
    this.#ancestors.add(value);
    const isInnermost = this.#ancestors.size >= OUTER_LEVELS;
    const isList = Array.isArray(value);
    const nameOf = this.#namesIn(value);
    this.#put(isList ? "[" : "{");
    let written = 0;
    for (const [key, item] of isList ? value.entries() : members(value)) {
      const view = jsonView(item, key);
      if (!isList && view === undefined) continue;
      if (written++ > 0) this.#put(",");
      if (typeof key === "string") this.#put(nameOf(key));
      if (isInnermost) this.#value(view);
      else yield* this.#outer(view);
      if (written % PIECE === 0) yield;
    }
    this.#put(isList ? "]" : "}");
    this.#ancestors.delete(value);
  }

  /** @param value A {@linkcode jsonView}. */
  #value(value: unknown): void {
    if (typeof value !== "object" || value === null) return this.#put(this.#scalar(value));
    if (this.#ancestors.has(value)) return this.#put('"[circular]"');
    if (this.#ancestors.size >= MAX_DEPTH) return this.#put('"[too deep]"');
    this.#ancestors.add(value);
    if (Array.isArray(value)) this.#array(value);
    else this.#object(value);
    this.#ancestors.delete(value);
  }

  #array(items: readonly unknown[]): void {
    this.#put("[");
    for (let i = 0; i < items.length; i++) {
      if (i > 0) this.#put(",");
      this.#value(jsonView(items[i], i));
    }
    this.#put("]");
  }

  #object(record: object): void {
    this.#put("{");
    const nameOf = this.#namesIn(record);
    let separator = "";
    for (const key of Object.keys(record)) {
      const value = jsonView(Reflect.get(record, key), key);
      if (value === undefined) continue;
      if (separator !== "") this.#put(separator);
      this.#put(nameOf(key));
      this.#value(value);
      separator = ",";
    }
    this.#put("}");
  }

  /** Returns the writer of an object's keys: well-formed and distinct. */
  #namesIn(record: object): (key: string) => string {
    let taken: Set<string> | null = null;
    return (key) => {
      const known = this.#names.get(key);
      if (known !== undefined) return known;
      if (isWellFormed(key)) return this.#nameOf(key);
      taken ??= new Set(Object.keys(record));
      return `${JSON.stringify(distinct(wellFormed(key), taken))}:`;
    };
  }

  /** Returns a well-formed key as written. Cached, because an answer repeats a few keys. */
  #nameOf(key: string): string {
    const name = `${JSON.stringify(key)}:`;
    if (this.#names.size < REMEMBERED_NAMES) this.#names.set(key, name);
    return name;
  }

  #scalar(value: unknown): string {
    switch (typeof value) {
      case "string":
        return JSON.stringify(wellFormed(value));
      case "number":
        return numberText(value, this.#precision);
      case "bigint":
        return `"${value}"`;
      case "boolean":
        return String(value);
      default:
        return "null"; // JSON drops it, but a list needs an item
    }
  }
}

function* members(record: object): IterableIterator<[string, unknown]> {
  for (const key of Object.keys(record)) yield [key, Reflect.get(record, key)];
}

function numberText(value: number, precision: number): string {
  if (!Number.isFinite(value)) return `"${value}"`;
  const full = String(value);
  // A text this short has no digits to round, and its length is the faster test.
  if (Number.isInteger(value) || precision === 0 || full.length <= precision) return full;
  return String(Number(value.toPrecision(precision)));
}

/**
 * Returns the value that `JSON.stringify` would write in place of `value`, or `undefined` if it
 * drops it.
 */
export function jsonView(value: unknown, key: string | number): unknown {
  let view = value;
  if (typeof view === "object" && view !== null) {
    const toJson: unknown = Reflect.get(view, "toJSON");
    if (typeof toJson === "function") view = Reflect.apply(toJson, view, [String(key)]);
  }
  if (
    view instanceof Number || view instanceof String || view instanceof Boolean ||
    view instanceof BigInt
  ) {
    view = view.valueOf();
  }
  return typeof view === "function" || typeof view === "symbol" ? undefined : view;
}

/** Yields the members that JSON writes, under well-formed names that stay distinct. */
export function* jsonMembers(record: object): Generator<[string, unknown]> {
  let taken: Set<string> | null = null;
  for (const key of Object.keys(record)) {
    const value = jsonView(Reflect.get(record, key), key);
    if (value === undefined) continue;
    if (isWellFormed(key)) {
      yield [key, value];
    } else {
      taken ??= new Set(Object.keys(record));
      yield [distinct(wellFormed(key), taken), value];
    }
  }
}

/** Reserves and returns the first free name of `name`, `name~2`, `name~3`, …. */
export function distinct(name: string, taken: Set<string>): string {
  let candidate = name;
  for (let n = 2; taken.has(candidate); n++) candidate = `${name}~${n}`;
  taken.add(candidate);
  return candidate;
}

/** Replaces every lone surrogate of `text` by U+FFFD. */
export function wellFormed(text: string): string {
  return isWellFormed(text) ? text : decodeUtf8(encodeUtf8(text)) ?? "";
}
