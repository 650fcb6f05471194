import { isRecord } from "../core/json.ts";
import { isNonce } from "./pairing.ts";

// The messages of a bridge and an editor: one JSON object a message; the picture that an answer
// announces follows as one message of bytes. Anything else ends the connection.
//
//   app  hello {app, name, nonce}           editor  meet {editor, nonce, proof?}   proof: by the key
//   app  code {}        a code is shown     editor  prove {proof}                  proof: by the code
//   app  wrong {left}   tries that are left
//   app  paired {proof}                     editor  ask {id, …}
//   app  answer {id, …}, log {entries}

/** The editor's path for bridges. */
export const BRIDGE_PATH = "/api/devices/bridge";
/** Bytes of a message: a picture of a large screen. */
export const MAX_BRIDGE_BYTES: number = 24 * 1024 * 1024;
/** Entries of one `log`. */
export const MAX_LOG_ENTRIES = 100;
/** Characters of a line of a log. */
export const MAX_LOG_TEXT = 2_000;
const MAX_NAME = 100;
/** CSS pixels of a side of a page. */
const MAX_SIDE = 100_000;
const PROOF = /^[0-9a-f]{64}$/;

/** The levels of a console. */
export const LOG_LEVELS = ["debug", "log", "info", "warn", "error"] as const;
/** A level of a console. */
export type LogLevel = typeof LOG_LEVELS[number];

/** A line of a console. */
export interface ConsoleLine {
  /** Milliseconds since the epoch. */
  readonly t: number;
  /** Its level. */
  readonly level: LogLevel;
  /** Its text. */
  readonly text: string;
}

/** The view of a page, in CSS pixels. */
export interface PageScreen {
  /** CSS pixels. */
  readonly width: number;
  /** CSS pixels. */
  readonly height: number;
  /** Degrees that the device is turned by: 0, 90, 180 or 270. */
  readonly rotation: number;
}

/** A place in a page, in CSS pixels. */
export interface PagePoint {
  /** From the left. */
  readonly x: number;
  /** From the top. */
  readonly y: number;
}

/** An editor's request to an app. */
export type BridgeAsk =
  | { readonly do: "screen" }
  | { readonly do: "screenshot" }
  /** A finger along a path, with its duration in milliseconds; ignored if the view has changed. */
  | {
    readonly do: "touch";
    readonly path: readonly PagePoint[];
    readonly durationMs: number;
    readonly screen: PageScreen;
  }
  /** A script whose promise resolves to a text. */
  | { readonly do: "eval"; readonly script: string };

/** An app's answer. */
export type BridgeAnswer =
  | { readonly id: number; readonly ok: true; readonly screen: PageScreen; readonly picture?: true }
  | { readonly id: number; readonly ok: true; readonly text: string }
  | { readonly id: number; readonly ok: true; readonly done: true }
  | {
    readonly id: number;
    readonly ok: false;
    readonly code: BridgeRefusal;
    readonly detail: string;
  };

/** Why an app refuses a request. */
export type BridgeRefusal = "screen-changed" | "failed";

/** A message of an app. */
export type AppMessage =
  | { readonly say: "hello"; readonly app: string; readonly name: string; readonly nonce: string }
  | { readonly say: "code" }
  | { readonly say: "wrong"; readonly left: number }
  | { readonly say: "paired"; readonly proof: string }
  | ({ readonly say: "answer" } & BridgeAnswer)
  | { readonly say: "log"; readonly entries: readonly ConsoleLine[] };

/** A message of an editor. */
export type EditorMessage =
  | {
    readonly say: "meet";
    readonly editor: string;
    readonly nonce: string;
    readonly proof?: string | undefined;
  }
  | { readonly say: "prove"; readonly proof: string }
  | { readonly say: "ask"; readonly id: number; readonly ask: BridgeAsk };

/** Reads an app's message. @returns `null` for anything else. */
export function readAppMessage(value: unknown): AppMessage | null {
  if (!isRecord(value)) return null;
  switch (value["say"]) {
    case "hello": {
      const { app, name, nonce } = value;
      const isGood = isNonce(app) && isNonce(nonce) && typeof name === "string";
      return isGood ? { say: "hello", app, nonce, name: name.slice(0, MAX_NAME) } : null;
    }
    case "code":
      return { say: "code" };
    case "wrong": {
      const left = value["left"];
      return isCount(left) ? { say: "wrong", left } : null;
    }
    case "paired": {
      const proof = value["proof"];
      return isProof(proof) ? { say: "paired", proof } : null;
    }
    case "answer":
      return readAnswer(value);
    case "log": {
      const entries = value["entries"];
      if (!Array.isArray(entries) || entries.length > MAX_LOG_ENTRIES) return null;
      const lines = entries.map(readLine).filter((line) => line !== null);
      return lines.length === entries.length ? { say: "log", entries: lines } : null;
    }
    default:
      return null;
  }
}

function readAnswer(value: Readonly<Record<string, unknown>>): AppMessage | null {
  const { id, ok, screen, picture, text, done, code, detail } = value;
  if (!isCount(id)) return null;
  const answer = { say: "answer", id } as const;
  if (ok === false) {
    if ((code !== "screen-changed" && code !== "failed") || typeof detail !== "string") return null;
    return { ...answer, ok, code, detail: detail.slice(0, MAX_LOG_TEXT) };
  }
  if (ok !== true) return null;
  const seen = readScreen(screen);
  if (seen !== null) return { ...answer, ok, screen: seen, ...(picture === true && { picture }) };
  if (typeof text === "string") return { ...answer, ok, text };
  return done === true ? { ...answer, ok, done } : null;
}

function readLine(value: unknown): ConsoleLine | null {
  if (!isRecord(value)) return null;
  const { t, level, text } = value;
  const known = LOG_LEVELS.find((one) => one === level);
  if (typeof t !== "number" || known === undefined || typeof text !== "string") return null;
  return { t, level: known, text: text.slice(0, MAX_LOG_TEXT) };
}

/** Reads an editor's message. @returns `null` for anything else. */
export function readEditorMessage(value: unknown): EditorMessage | null {
  if (!isRecord(value)) return null;
  const { say, editor, nonce, proof, id, ask } = value;
  switch (say) {
    case "meet":
      if (!isNonce(editor) || !isNonce(nonce)) return null;
      return { say, editor, nonce, ...(isProof(proof) && { proof }) };
    case "prove":
      return isProof(proof) ? { say, proof } : null;
    case "ask": {
      const asked = readAsk(ask);
      return isCount(id) && asked !== null ? { say, id, ask: asked } : null;
    }
    default:
      return null;
  }
}

function readAsk(value: unknown): BridgeAsk | null {
  if (!isRecord(value)) return null;
  const { path, durationMs, script } = value;
  switch (value["do"]) {
    case "screen":
      return { do: "screen" };
    case "screenshot":
      return { do: "screenshot" };
    case "eval":
      return typeof script === "string" ? { do: "eval", script } : null;
    case "touch": {
      const screen = readScreen(value["screen"]);
      if (screen === null || !isNumber(durationMs) || !Array.isArray(path)) return null;
      const points = path.map(readPoint).filter((point) => point !== null);
      return points.length === path.length && points.length > 0
        ? { do: "touch", path: points, durationMs, screen }
        : null;
    }
    default:
      return null;
  }
}

function readScreen(value: unknown): PageScreen | null {
  if (!isRecord(value)) return null;
  const { width, height, rotation } = value;
  if (!isSide(width) || !isSide(height) || !isNumber(rotation)) return null;
  return rotation >= 0 && rotation < 360 && rotation % 90 === 0
    ? { width, height, rotation }
    : null;
}

function readPoint(value: unknown): PagePoint | null {
  if (!isRecord(value)) return null;
  const { x, y } = value;
  return isNumber(x) && isNumber(y) ? { x, y } : null;
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function isSide(value: unknown): value is number {
  return isNumber(value) && value >= 1 && value <= MAX_SIDE;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function isProof(value: unknown): value is string {
  return typeof value === "string" && PROOF.test(value);
}
