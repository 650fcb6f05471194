import { runAtOnce, type Work } from "../../core/cooperative.ts";
import { parseJsonFile } from "../../core/json-text.ts";
import { checkPath } from "../../core/paths.ts";
import { err, fail, type Failure, ok, type Result } from "../../core/result.ts";
import { Complaints } from "../../core/shape.ts";
import type { InputEvent, Viewport } from "../types/mod.ts";
import { MAX_SAVED_NAME, MAX_SAVED_VALUES } from "../world/mod.ts";
import { readInputEvent } from "./input-event.ts";

// A round as data: its start, and the player's input by step. Replaying it gives a world identical
// to the bit.

/** The most events of a recording. */
const MAX_EVENTS = 100_000;
/** The most steps of a recording: more than four hours. */
const MAX_RECORDED_STEPS = 1_000_000;
/** The largest file of one, in bytes. */
export const MAX_RECORDING_BYTES: number = 32 * 1024 * 1024;

const MAX_SIDE = 16_384;
const HASH = /^[0-9a-f]{64}$/;

/** A round. */
export interface Recording {
  /** The scene that it began in, relative to the project. */
  readonly scene: string;
  /** Size of the viewport at the start, to whose pixels pointers refer. */
  readonly viewport: Viewport;
  /** Values saved by earlier games, by name. */
  readonly saved: Readonly<Record<string, number>>;
  /** Input by the number of completed steps, in order. */
  readonly events: readonly (readonly [tick: number, event: InputEvent])[];
  /** Total steps of the round. */
  readonly ticks: number;
  /** Hash of the final world, 64 lower-case hexadecimal digits; absent if it was not computed. */
  readonly hash?: string;
}

/** Listener for input of a game, in order: `index` counts the round's events from 0. */
export type InputListener = (
  taken: { readonly index: number; readonly tick: number; readonly event: InputEvent },
) => void;

/** Notes a round while it is played. */
export class Recorder {
  readonly #start: Pick<Recording, "scene" | "viewport" | "saved">;
  readonly #taken: InputListener;
  #events: (readonly [number, InputEvent])[] | null = [];
  #count = 0;

  /** @param taken Called for each event, including those beyond a recording's capacity. */
  constructor(
    start: Pick<Recording, "scene" | "viewport" | "saved">,
    taken: InputListener = () => {},
  ) {
    this.#start = start;
    this.#taken = taken;
  }

  note(tick: number, event: InputEvent): void {
    if (this.#events?.length === MAX_EVENTS) this.#events = null;
    this.#events?.push([tick, event]);
    this.#taken({ index: this.#count++, tick, event });
  }

  /** The start of the round. */
  get start(): Pick<Recording, "scene" | "viewport" | "saved"> {
    return this.#start;
  }

  /** Returns the round so far; `null` if it is too long. */
  upTo(ticks: number): Recording | null {
    if (this.#events === null || ticks > MAX_RECORDED_STEPS) return null;
    return { ...this.#start, events: [...this.#events], ticks };
  }
}

/** The text of a recording, a line for each event. */
export function serializeRecording({ events, ...round }: Recording): string {
  const head = JSON.stringify({ schema: 1, ...round }).slice(0, -1);
  return `${head},"events":[\n${events.map((one) => JSON.stringify(one)).join(",\n")}\n]}\n`;
}

/** Why a recording cannot be played. */
type RecordingFailure = Failure<"not-json" | "too-large" | "invalid-recording">;

/** Parses a recording, all or nothing. @returns A sentence for each invalid member. */
export function parseRecording(
  name: string,
  bytes: Uint8Array,
): Result<Recording, RecordingFailure> {
  return runAtOnce(recordingParsing(name, bytes));
}

/**
 * Parses like {@linkcode parseRecording}, as work that can be interrupted.
 *
 * @param parsing Parses the JSON; at once when absent.
 */
export function* recordingParsing(
  name: string,
  bytes: Uint8Array,
  parsing?: (path: string, bytes: Uint8Array) => Work<ReturnType<typeof parseJsonFile>>,
): Work<Result<Recording, RecordingFailure>> {
  if (bytes.length > MAX_RECORDING_BYTES) {
    const found = `found ${bytes.length} bytes, expected at most ${MAX_RECORDING_BYTES}`;
    return fail("too-large", `Cannot read ${name}: ${found}`);
  }
  const parsed = parsing ? yield* parsing(name, bytes) : parseJsonFile(name, bytes);
  if (!parsed.ok) return parsed;
  const complaints = new Complaints();
  const recording = yield* readRecording(parsed.value, complaints);
  if (recording !== null && complaints.total === 0) return ok(recording);
  return err({
    code: "invalid-recording",
    message: `Cannot play ${name} back: ${complaints.sentences().join("; ")}`,
    next: "Record the round again",
  });
}

function* readRecording(value: unknown, complaints: Complaints): Work<Recording | null> {
  const known = ["schema", "scene", "viewport", "saved", "events", "ticks", "hash"];
  const record = complaints.record("", value, known);
  if (record === null) return null;
  if (record["schema"] !== 1) {
    complaints.expected("schema", record["schema"], "1");
    return null; // another schema makes no promise about the rest
  }
  const { scene } = record;
  const isPath = typeof scene === "string" && checkPath(scene).ok;
  if (!isPath) complaints.expected("scene", scene, "a path relative to the project");
  const viewport = readViewport(record["viewport"], complaints);
  const saved = readSaved(record["saved"], complaints);
  const ticks = readInteger("ticks", record["ticks"], MAX_RECORDED_STEPS, complaints);
  const events = yield* eventsReading(
    record["events"],
    ticks ?? MAX_RECORDED_STEPS,
    complaints,
  );
  const hash = readHash(record["hash"], complaints);
  if (!isPath || viewport === null || events === null || ticks === null) return null;
  return { scene, viewport, saved, events, ticks, ...(hash !== undefined && { hash }) };
}

function readHash(value: unknown, complaints: Complaints): string | undefined {
  if (value === undefined || typeof value === "string" && HASH.test(value)) return value;
  complaints.expected("hash", value, "64 lower-case hexadecimal digits");
}

export function readViewport(value: unknown, complaints: Complaints): Viewport | null {
  const record = complaints.record("viewport", value, ["width", "height"]);
  if (record === null) return null;
  const width = readInteger("viewport.width", record["width"], MAX_SIDE, complaints);
  const height = readInteger("viewport.height", record["height"], MAX_SIDE, complaints);
  return width === null || height === null ? null : { width, height };
}

export function readSaved(
  value: unknown,
  complaints: Complaints,
): Readonly<Record<string, number>> {
  const record = complaints.record("saved", value, Object.keys(Object(value)));
  const saved: [string, number][] = [];
  for (const [name, kept] of Object.entries(record ?? {})) {
    const isGood = name !== "" && name.length <= MAX_SAVED_NAME && Number.isFinite(kept);
    if (isGood && typeof kept === "number") saved.push([name, kept]);
    else complaints.expected(`saved.${name}`, kept, "a finite number with a name");
  }
  if (saved.length > MAX_SAVED_VALUES) {
    complaints.expected("saved", value, `at most ${MAX_SAVED_VALUES} values`);
  }
  return Object.fromEntries(saved);
}

export function readEvents(
  value: unknown,
  ticks: number,
  complaints: Complaints,
): Recording["events"] {
  return runAtOnce(eventsReading(value, ticks, complaints));
}

function* eventsReading(
  value: unknown,
  ticks: number,
  complaints: Complaints,
): Work<Recording["events"]> {
  if (!Array.isArray(value) || value.length > MAX_EVENTS) {
    complaints.expected("events", value, `a list of at most ${MAX_EVENTS}`);
    return [];
  }
  const events: (readonly [number, InputEvent])[] = [];
  let before = 0;
  for (const [i, one] of value.entries()) {
    if (i % 1_000 === 999) yield;
    const where = `events[${i}]`;
    const [tick, event]: readonly unknown[] = Array.isArray(one) ? one : [];
    if (!Array.isArray(one) || one.length !== 2) {
      complaints.expected(where, one, "[tick, event]");
      continue;
    }
    const at = readInteger(where, tick, ticks, complaints);
    const read = readInputEvent(where, event, complaints);
    if (at === null || read === null) continue;
    if (at < before) complaints.expected(where, at, `a step from ${before} on: they are in order`);
    before = at;
    events.push([at, read]);
  }
  return events;
}

export function readInteger(
  where: string,
  value: unknown,
  most: number,
  complaints: Complaints,
): number | null {
  const isGood = typeof value === "number" && Number.isSafeInteger(value) && value >= 0 &&
    value <= most;
  if (isGood) return value;
  complaints.expected(where, value, `a whole number from 0 to ${most}`);
  return null;
}
