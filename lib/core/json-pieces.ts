import { decodeUtf8 } from "./bytes.ts";
import type { Work } from "./cooperative.ts";
import { isRecord } from "./json.ts";
import { notJson, notUtf8, parseJson, parseJsonFile } from "./json-text.ts";
import { ok } from "./result.ts";

// A large text of JSON is given to the runtime's own parser in pieces, each of them some members of
// a list or an object. A piece is put into brackets of its own and has to parse there, so no text
// is accepted in pieces that would be refused in one (decision 153).

/** Bytes that are read between two yields. */
const PIECE = 128 * 1024;
/** Maximum levels of nesting: no file that is read here has more. */
const MAX_LEVELS = 2_000;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d];
const BLANK = /^[ \t\n\r]*$/;

/**
 * Parses like {@linkcode parseJsonFile}, as work that can be interrupted: the same values and the
 * same sentences, except that a file which is neither JSON nor UTF-8 is refused for its first fault.
 * A single string or number is never divided.
 *
 * @param piece Bytes that are read between two yields.
 */
export function* jsonFileParsing(
  path: string,
  bytes: Uint8Array,
  piece: number = PIECE,
): Work<ReturnType<typeof parseJsonFile>> {
  if (bytes.length <= piece) return parseJsonFile(path, bytes);
  const read = yield* new Pieces(bytes, piece).read();
  if (read.fault === undefined) return ok(read.value);
  const { opener, start, end } = read.fault;
  const text = decodeUtf8(bytes.subarray(start, end));
  if (text === null) return notUtf8(path);
  const from = yield* placeAfter(bytes.subarray(0, start), piece);
  return notJson(path, opener + text, { ...from, skipped: opener.length });
}

/** Parses like {@linkcode jsonFileParsing}, whatever the value; `undefined` for an invalid text. */
export function* jsonParsing(bytes: Uint8Array, piece: number = PIECE): Work<unknown> {
  const parsed = yield* jsonFileParsing("", bytes, piece);
  return parsed.ok ? parsed.value : undefined;
}

/** A list or an object that is read in several pieces. */
interface Group {
  /** Its name in the object around it; unused in a list. */
  readonly name: string;
  readonly into: unknown[] | Record<string, unknown>;
  /** The part that was read last: its bracket, a whole member, or the comma after one. */
  last: "bracket" | "member" | "comma";
}

/** The part of a text in which it stops being JSON. */
interface Fault {
  /** Text to put before the part, so that a parser sees it as it is in its place. */
  readonly opener: string;
  /** Byte offsets. */
  readonly start: number;
  readonly end: number;
}

type Read = { readonly value: unknown; readonly fault?: undefined } | { readonly fault: Fault };

class Pieces {
  readonly #bytes: Uint8Array;
  readonly #piece: number;
  #fault: Fault | null = null;
  /** The groups that are read in pieces, the outermost first: it holds the value of the text. */
  readonly #groups: Group[] = [{ name: "", into: [], last: "bracket" }];
  /** The first byte that was not parsed. */
  #start = 0;
  #level = 0;
  /** Offsets of the bracket of each level, and of the newest comma in it. */
  readonly #brackets: number[] = [-1];
  readonly #commas: number[] = [-1];

  constructor(bytes: Uint8Array, piece: number) {
    this.#bytes = bytes;
    this.#piece = piece;
  }

  *read(): Work<Read> {
    const bytes = this.#bytes;
    let isText = false;
    let pause = this.#piece;
    for (let at = 0; at < bytes.length && this.#fault === null; at++) {
      if (at >= pause) {
        this.#readMembers(at);
        yield;
        pause += this.#piece;
      }
      const byte = bytes[at];
      if (isText) {
        if (byte === BACKSLASH) at++;
        else if (byte === QUOTE) isText = false;
      } else if (byte === QUOTE) isText = true;
      else if (byte === COMMA) this.#separate(at);
      else if (byte === LIST || byte === OBJECT) this.#enter(at);
      else if (byte === LIST_END || byte === OBJECT_END) this.#leave(at, byte);
    }
    const { into, last } = this.#group;
    const isWhole = this.#fault === null && this.#groups.length === 1 &&
      this.#take(bytes.length, last === "bracket");
    if (!isWhole) this.#refuse(bytes.length);
    return this.#fault === null
      ? { value: Array.isArray(into) ? into[0] : undefined }
      : { fault: this.#fault };
  }

  get #group(): Group {
    const group = this.#groups.at(-1);
    if (group === undefined) throw new TypeError("The outermost group is never left");
    return group;
  }

  #separate(at: number): void {
    if (this.#level === 0) this.#refuse(at + 1);
    this.#commas[this.#level] = at;
    const isAfterGroup = this.#level < this.#groups.length && this.#group.last === "member";
    if (isAfterGroup) this.#takeUntil(at);
  }

  /** Parses the part before a comma of the group. */
  #takeUntil(comma: number): void {
    if (!this.#take(comma, this.#group.last !== "member")) return this.#refuse(comma + 1);
    this.#group.last = "comma";
    this.#start = comma + 1;
  }

  #enter(at: number): void {
    if (++this.#level > MAX_LEVELS) this.#refuse(at);
    this.#brackets[this.#level] = at;
    this.#commas[this.#level] = -1;
  }

  #leave(at: number, bracket: number): void {
    if (this.#level-- >= this.#groups.length) return;
    const { name, into, last } = this.#group;
    const isOwn = this.#level >= 0 && bracket === (Array.isArray(into) ? LIST_END : OBJECT_END);
    if (!isOwn || !this.#take(at, last === "comma")) return this.#refuse(at + 1);
    this.#groups.pop();
    put(this.#group.into, name, into);
    this.#group.last = "member";
    this.#start = at + 1;
  }

  /** Reads whole members, and opens one that is too large, until less than a piece is left. */
  #readMembers(until: number): void {
    while (this.#fault === null && until - this.#start >= this.#piece) {
      const inside = this.#groups.length;
      const comma = this.#commas[inside - 1] ?? -1;
      if (comma >= this.#start) this.#takeUntil(comma);
      else if (this.#level < inside) return; // one string or number
      else this.#open(this.#brackets[inside] ?? 0);
    }
  }

  /** Starts reading a member in pieces. @param at Offset of its bracket. */
  #open(at: number): void {
    const { into: around, last } = this.#group;
    const before = decodeUtf8(this.#bytes.subarray(this.#start, at));
    const isList = Array.isArray(around);
    const member = before === null
      ? undefined
      : parseJson(isList ? `[${before} 0]` : `{${before} 0}`);
    const [name, ...more] = Object.keys(isRecord(member) || Array.isArray(member) ? member : {});
    if (last === "member" || name === undefined || more.length > 0) {
      return this.#refuse(at + 1);
    }
    const into = this.#bytes[at] === LIST ? [] : {};
    this.#groups.push({ name, into, last: "bracket" });
    this.#start = at + 1;
  }

  /**
   * Parses members up to a comma or a closing bracket.
   *
   * @param isNeeded Whether there has to be one. @returns Whether this is JSON.
   */
  #take(end: number, isNeeded: boolean): boolean {
    const { into, last } = this.#group;
    const text = decodeUtf8(this.#bytes.subarray(this.#start, end));
    if (text !== null && BLANK.test(text)) return !isNeeded;
    if (text === null || last === "member") return false;
    const read = parseJson(Array.isArray(into) ? `[${text}]` : `{${text}}`);
    if (Array.isArray(read)) { for (const value of read) put(into, "", value); }
    else if (isRecord(read)) { for (const name of Object.keys(read)) put(into, name, read[name]); }
    return read !== undefined;
  }

  #refuse(end: number): void {
    const around = this.#groups.slice(1).map<string>(({ into }) =>
      Array.isArray(into) ? "[" : '{"":'
    );
    const { into, last } = this.#group;
    const isObject = !Array.isArray(into);
    if (isObject) around.splice(-1, 1, "{");
    const member = isObject ? '"":[]' : "[]"; // nothing that follows can continue it
    const read = last === "bracket" ? "" : last === "member" ? member : `${member},`;
    this.#fault ??= { opener: around.join("") + read, start: this.#start, end };
  }
}

/** Adds a member as the parser would: a repeated name gets its last value. */
function put(into: Group["into"], name: string, value: unknown): void {
  if (Array.isArray(into)) into.push(value);
  else if (name !== "__proto__") into[name] = value;
  else Object.defineProperty(into, name, { value, ...OWN });
}

const OWN = { configurable: true, enumerable: true, writable: true };

/** Returns the line and column right after a text. */
function* placeAfter(
  bytes: Uint8Array,
  piece: number,
): Work<{ readonly line: number; readonly column: number }> {
  let [line, column] = [1, 1];
  for (let at = 0; at < bytes.length; at++) {
    if (at % piece === piece - 1) yield;
    const byte = bytes[at] ?? 0;
    if (byte === 0x0a) {
      line++;
      column = 1;
    } else if (byte < 0x80 || byte >= 0xf0) column += byte >= 0xf0 ? 2 : 1;
    else if (byte >= 0xc0) column++;
  }
  return { line, column };
}
