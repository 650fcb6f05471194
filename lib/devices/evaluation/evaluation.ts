import { isJsonValue, isRecord } from "../../core/json.ts";
import { parseJson } from "../../core/json-text.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Evaluated } from "../types/device.ts";

/** Timeout of an expression including its promise, in milliseconds. */
export const EVALUATION_MS = 5_000;
/** Characters of an answer, before it is read. */
const MAX_ANSWER = 400_000;

/**
 * Returns a script that evaluates an expression in a page and converts its value to JSON (DEV-44),
 * for every transport. The script's own value is a promise of text. An expression may await;
 * statements return the value of the last one. If reading the value throws, the answer contains the
 * error as text.
 */
export function evaluationScript(expression: string, timeoutMs: number = EVALUATION_MS): string {
  return `(${SCRIPT})(${JSON.stringify(expression)}, ${timeoutMs})`;
}

// In the page's own JavaScript: this is neither compiled nor bundled.
const SCRIPT = String.raw`async (source, timeoutMs) => {
  const MOST = { text: 4000, members: 100, depth: 8, all: 20000 };
  const LATE = {};
  let room = MOST.all;
  let cut = false;
  const above = [];
  const short = (text, most) => {
    if (text.length > most) cut = true;
    return text.length > most ? text.slice(0, most) + "…" : text;
  };
  const counted = (text, most = MOST.text) => {
    const shown = short(text, Math.min(most, Math.max(0, room)));
    room -= shown.length + 2;
    return shown;
  };
  const said = (error) => {
    try {
      return short(error instanceof Error ? error.name + ": " + error.message : String(error), 300);
    } catch {
      return "something that has no text";
    }
  };
  const guarded = (look) => {
    try {
      return look();
    } catch (error) {
      return counted("[threw: " + said(error) + "]");
    }
  };
  const ofElement = (node) => {
    if (node.nodeType !== 1) return "[" + node.nodeName + "]";
    const names = typeof node.className === "string" ? node.className.trim().split(/\s+/) : [];
    const id = typeof node.id === "string" && node.id !== "" ? "#" + node.id : "";
    return "<" + node.localName + id + names.filter((name) => name !== "").map((name) => "." + name).join("") + ">";
  };
  const listOf = (count, at, depth) => {
    const made = [];
    for (let i = 0; i < count && i < MOST.members && room > 0; i++) {
      made.push(guarded(() => show(at(i), depth)));
    }
    if (made.length < count) {
      cut = true;
      made.push("… " + (count - made.length) + " more");
    }
    return made;
  };
  // With the engine's own iterator: that of a page's subclass may be infinite.
  const entriesOf = ({ prototype }, value, depth) => {
    const count = Object.getOwnPropertyDescriptor(prototype, "size").get.call(value);
    const entries = (prototype === Map.prototype ? prototype.entries : prototype.values).call(value);
    return listOf(count, () => entries.next().value, depth);
  };
  const membersOf = (value, depth) => {
    const keys = Object.keys(value);
    const made = {};
    let shown = 0;
    for (const key of keys) {
      if (shown >= MOST.members || room <= 0) break;
      shown++;
      const name = counted(key, 200);
      const member = guarded(() => show(value[key], depth));
      Object.defineProperty(made, name, { value: member, enumerable: true, configurable: true });
    }
    if (shown < keys.length) {
      cut = true;
      made["…"] = keys.length - shown;
    }
    return made;
  };
  const inside = (value, depth) => {
    if (typeof Node === "function" && value instanceof Node) return counted(ofElement(value));
    if (value === globalThis) return counted("[window]");
    if (value instanceof Error) return counted("[" + said(value) + "]");
    if (value instanceof Date) {
      const time = Date.prototype.getTime.call(value);
      return isNaN(time) ? "[invalid date]" : new Date(time).toISOString();
    }
    if (value instanceof RegExp) return counted(String(value));
    if (value instanceof Promise) return "[promise]";
    if (above.length > MOST.depth) {
      cut = true;
      return Array.isArray(value) ? counted("[list of " + value.length + "]") : "[object]";
    }
    if (value instanceof Map) return { "[map]": entriesOf(Map, value, depth) };
    if (value instanceof Set) return { "[set]": entriesOf(Set, value, depth) };
    if (value instanceof ArrayBuffer) return counted("[" + value.byteLength + " bytes]");
    const isList = Array.isArray(value) || ArrayBuffer.isView(value) && "length" in value;
    return isList ? listOf(value.length, (i) => value[i], depth) : membersOf(value, depth);
  };
  const show = (value, depth) => {
    if (room <= 0) {
      cut = true;
      return "…";
    }
    switch (typeof value) {
      case "string":
        return counted(value);
      case "number":
        room -= 8;
        return Number.isFinite(value) ? value : String(value);
      case "boolean":
        room -= 6;
        return value;
      case "bigint":
        return counted(String(value));
      case "undefined":
        return counted("[undefined]");
      case "symbol":
        return counted("[" + String(value) + "]");
      case "function":
        return counted("[function " + (typeof value.name === "string" ? value.name : "") + "]");
    }
    if (value === null) return null;
    if (above.includes(value)) return counted("[circular]");
    above.push(value);
    try {
      return inside(value, depth + 1);
    } finally {
      above.pop();
    }
  };
  // JSON.stringify asks each list and object for a toJSON, which some pages give to all of them.
  const json = (made) => {
    if (typeof made !== "object" || made === null) return JSON.stringify(made);
    return Array.isArray(made)
      ? "[" + made.map(json).join() + "]"
      : "{" + Object.keys(made).map((key) => JSON.stringify(key) + ":" + json(made[key])).join() + "}";
  };
  const run = (0, eval);
  const compiled = (head, tail) => {
    try {
      return run(head + source + tail);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return null;
    }
  };
  let value;
  let threw = false;
  let late = false;
  try {
    const awaits = /\bawait\b/.test(source);
    const evaluate = compiled("(() => (", "\n))") ??
      (awaits ? compiled("(async () => (", "\n))") ?? compiled("(async () => {", "\n})") : null);
    const begun = evaluate === null ? run(source) : evaluate();
    let timer;
    const waited = new Promise((resolve) => timer = setTimeout(() => resolve(LATE), timeoutMs));
    value = await Promise.race([begun, waited]);
    clearTimeout(timer);
    late = value === LATE;
  } catch (error) {
    threw = true;
    value = error;
  }
  if (late) return '{"late":true}';
  const shown = guarded(() => show(value, 0));
  return '{"value":' + json(shown) + ',"truncated":' + cut + ',"threw":' + threw + "}";
}`;

/**
 * Parses the script's answer.
 *
 * @returns 422 `eval-timeout` if a promise was not settled in time, `eval-failed` for any other
 * text.
 */
export function readEvaluation(text: unknown): Result<Evaluated, Problem> {
  const answer = typeof text === "string" && text.length <= MAX_ANSWER ? parseJson(text) : null;
  if (isRecord(answer) && answer["late"] === true) return evaluationTimeout();
  const { value, truncated, threw } = isRecord(answer) ? answer : {};
  if (isJsonValue(value) && typeof truncated === "boolean" && typeof threw === "boolean") {
    return ok({ value, truncated, threw });
  }
  return refuse(
    422,
    "eval-failed",
    "The device did not answer with the value of the expression",
    "See that the game's page is open, and call it again",
  );
}

/** The refusal of an expression that takes too long. */
export function evaluationTimeout(
  hint = "Evaluate something shorter; start long work and look at it with a second call",
): Result<never, Problem> {
  const detail = `The expression was not done within ${EVALUATION_MS / 1000} s`;
  return refuse(422, "eval-timeout", detail, hint);
}
