import { runAtOnce, type Work } from "../../core/cooperative.ts";
import { isRecord } from "../../core/json.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import {
  compactJsonWork,
  DEFAULT_PRECISION,
  distinct,
  jsonMembers,
  jsonView,
  wellFormed,
} from "./compact-json.ts";

// Rounds, serializes and caps every answer, for all tools and both transports (BUDGET-2, BUDGET-4),
// so that no tool has to.

/** Maximum characters of one answer (BUDGET-2). */
export const PAYLOAD_CAP = 60_000;
/** Maximum characters of the envelope that replaces an answer over the cap (BUDGET-2). */
const ENVELOPE_CAP = 4_000;
/** Minimum characters of an envelope: a cap below this cannot be kept. */
export const MIN_ENVELOPE = 160;
/** Estimated tokens up to which a list is filled unless the call sets a limit (BUDGET-9). */
const FILL_TOKENS = 20_000;
const PREVIEW_KEYS = 40;
/** Maximum characters of a preview key as JSON, without its quotes. */
const PREVIEW_KEY_LENGTH = 40;

/** Ways to narrow an answer over the cap: this tool's own parameters. */
export interface Narrowing {
  /** Names of the drill-down parameters except `limit` and `full`. */
  readonly drillDown: readonly string[];
  /** Whether the tool takes `limit`. */
  readonly limit: boolean;
  /** Whether this call asked for `full=1`. */
  readonly full: boolean;
  /**
   * The list that is cut so that the answer fits, and the number of entries that the call skipped.
   * Absent if the call sets a limit, which alone decides the list's length (BUDGET-9).
   */
  readonly fills?: { readonly list: string; readonly after: number };
  /** A problem's status and code, which must survive the elision of the answer. */
  readonly subject?: string;
}

/** The bounds of an answer. */
export interface BudgetOptions {
  /** Characters; at most {@linkcode PAYLOAD_CAP}. */
  readonly cap: number;
  /** Significant digits of floats, 1 to 17, 0 for exact ones; 9 when absent. */
  readonly precision?: number | undefined;
  /** Ways to ask for less, added to an answer that does not fit. */
  readonly narrowing: Narrowing;
}

/** An answer as sent. */
export interface Payload {
  /** JSON, or a string result unchanged; at most `cap` characters. */
  readonly text: string;
  /** `text` for a string result; everything else is JSON. */
  readonly format: "json" | "text";
}

/**
 * Serializes an answer within its budget.
 *
 * @returns The answer, or the elision envelope if the answer is longer than the cap. The envelope
 * is at most 4,000 characters and within the cap, unless the cap is below 160.
 */
export function toPayload(value: unknown, options: BudgetOptions): Payload {
  return runAtOnce(payloadWork(value, options));
}

/** Serializes a possibly long answer like {@linkcode toPayload}, yielding to other work. */
export function* payloadWork(value: unknown, options: BudgetOptions): Work<Payload> {
  const cap = Math.min(options.cap, PAYLOAD_CAP);
  const precision = options.precision ?? DEFAULT_PRECISION;
  const view = jsonView(value, "");
  if (typeof view === "string") {
    const text = wellFormed(view);
    if (text.length <= cap) return { text, format: "text" };
    return { text: envelope(view, text.length, cap, options.narrowing), format: "json" };
  }
  const { text, length } = yield* compactJsonWork(view, { precision, maxLength: cap });
  const isShort = text !== null &&
    (options.narrowing.fills === undefined || estimatedTokens(text) <= FILL_TOKENS);
  return {
    text: isShort ? text : (yield* filled(view, { ...options, precision, cap, bytes: length })) ??
      text ?? envelope(view, length, cap, options.narrowing),
    format: "json",
  };
}

/** An answer whose list may be cut. */
interface Fillable extends BudgetOptions {
  readonly precision: number;
  /** Characters of the uncut answer. */
  readonly bytes: number;
}

/**
 * Returns an answer with as many entries of its list as fit, or `null` if it has no list to cut or
 * not even one entry fits.
 */
function* filled(
  view: unknown,
  { narrowing: { fills }, cap, precision, bytes }: Fillable,
): Work<string | null> {
  const items = fills === undefined || !isRecord(view) ? null : view[fills.list];
  if (fills === undefined || !isRecord(view) || !Array.isArray(items)) return null;
  const upTo = (count: number) => {
    const next = fills.after + count;
    const hints = [view["hint"], `As many as fit into one answer: after=${next} reads on`];
    return {
      ...view,
      truncated: true,
      next,
      bytes,
      cap,
      hint: hints.filter((hint) => hint !== undefined).join(". "),
      [fills.list]: items.slice(0, count),
    };
  };
  const around = { ...upTo(items.length), [fills.list]: [] };
  const frame = yield* compactJsonWork(around, { precision, maxLength: cap });
  let length = frame.length;
  let tokens = estimatedTokens(frame.text ?? "");
  let count = 0;
  for (const item of items) {
    const { text } = yield* compactJsonWork(item, { precision, maxLength: cap });
    if (text === null) break;
    length += text.length + 1;
    tokens += estimatedTokens(`${text},`);
    if (length > cap || tokens > FILL_TOKENS) break;
    count++;
  }
  return count === 0
    ? null
    : (yield* compactJsonWork(upTo(count), { precision, maxLength: cap })).text;
}

/** Estimates the tokens of a text: digits and punctuation cost most. */
function estimatedTokens(text: string): number {
  let dense = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const isDense = code > 0x20 && code <= 0x40 || code > 0x5a && code <= 0x60 ||
      code > 0x7a && code < 0x7f;
    if (isDense) dense++;
  }
  return dense / 2 + (text.length - dense) / 4;
}

/**
 * Returns the cap of a connection: the lowest of the given values and the general cap.
 *
 * @param asked Values of `?cap=` and `X-Svc-Cap`; `null` if not given.
 */
export function capFrom(asked: readonly (string | null)[]): Result<number, Problem> {
  let cap = PAYLOAD_CAP;
  for (const text of asked) {
    if (text === null) continue;
    const requested = /^\d{1,15}$/.test(text) ? Number(text) : 0;
    if (requested === 0) {
      return refuse(
        400,
        "bad-cap",
        `Cannot use the cap ${
          JSON.stringify(text.slice(0, 40))
        }: expected a whole number of characters >= 1`,
        `Ask for a cap from ${MIN_ENVELOPE} to ${PAYLOAD_CAP}`,
      );
    }
    cap = Math.min(cap, requested);
  }
  return ok(cap);
}

function envelope(view: unknown, bytes: number, cap: number, narrowing: Narrowing): string {
  const limit = Math.min(ENVELOPE_CAP, cap);
  const hint = hintText(bytes, cap, narrowing);
  let text = "";
  for (const keys of [PREVIEW_KEYS, 20, 10, 5, 0]) {
    text = envelopeText(bytes, hint, previewOf(view, bytes, keys));
    if (text.length <= limit) return text;
  }
  return envelopeText(bytes, `Over the cap of ${cap}: narrow the call`, {});
}

function envelopeText(bytes: number, hint: string, preview: object): string {
  return JSON.stringify({ elided: true, bytes, hint, preview });
}

function hintText(
  bytes: number,
  cap: number,
  { drillDown, limit, full, subject }: Narrowing,
): string {
  const ways = drillDown.map((name) => `${name}=`);
  if (limit) ways.push("limit=N");
  const advice = [
    ...(ways.length > 0 ? [`narrow with ${ways.join(", ")}`] : []),
    ...(full ? ["call without full=1"] : []),
  ];
  const next = advice.length > 0 ? advice.join(", or ") : "this call has no narrowing parameters";
  const about = subject !== undefined ? `${subject}: ` : "";
  return `${about}${bytes} characters are over the cap of ${cap}: ${next}`;
}

/** Summarizes each key by its count or its type, never by its content (BUDGET-2). */
function previewOf(view: unknown, bytes: number, maxKeys: number): object {
  if (Array.isArray(view)) return { length: view.length };
  if (typeof view !== "object" || view === null) return { length: bytes };
  const entries: [string, string | number][] = [];
  const taken = new Set(["…"]);
  let more = 0;
  for (const [key, value] of jsonMembers(view)) {
    if (entries.length >= maxKeys) more++;
    else entries.push([distinct(shortened(key), taken), sizeOrType(value)]);
  }
  if (more > 0) entries.push(["…", more]);
  return Object.fromEntries(entries); // defines members, so `__proto__` is a plain key
}

function sizeOrType(value: unknown): string | number {
  if (value === null) return "null";
  if (Array.isArray(value)) return value.length;
  if (typeof value === "object") return [...jsonMembers(value)].length;
  if (typeof value === "bigint") return "string";
  return typeof value === "number" && !Number.isFinite(value) ? "string" : typeof value;
}

/** Cuts a key so that it stays well-formed, and short even after JSON escapes it. */
function shortened(key: string): string {
  const written = (text: string) => JSON.stringify(text).length - 2;
  if (key.length <= PREVIEW_KEY_LENGTH && written(key) <= PREVIEW_KEY_LENGTH) return key;
  let kept = "";
  let length = 0;
  for (const character of key) {
    length += written(character);
    if (length >= PREVIEW_KEY_LENGTH) break;
    kept += character;
  }
  return `${kept}…`;
}
