import { isRecord, type JsonObject, type JsonValue } from "../../core/json.ts";
import { Ring } from "../../core/ring.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Actor, EditorEvent, GameEvent, Journals, TimelineEvent } from "../ports/mod.ts";
import { authored } from "./authored.ts";

/** Kept game events (RING-3). */
const GAME_JOURNAL_CAPACITY = 10_000;
/** Kept editor events (RING-3). */
const EDITOR_JOURNAL_CAPACITY = 2_000;
/** Kept timeline events. */
const TIMELINE_JOURNAL_CAPACITY = 2_000;

/** Entries of a list that one event keeps. */
const NOTED = 20;

/** Characters of a text that one event keeps: 100 events fit into one answer. */
const NOTED_TEXT = 400;

/** A list as an event keeps it: the first of a long one, and how many there are. */
export function noted(name: string, items: readonly (number | string)[]): JsonObject {
  return {
    [name]: items.slice(0, NOTED),
    ...(items.length > NOTED && { [`${name}Total`]: items.length, truncated: true }),
  };
}

/** A payload as an event keeps it: of a long text the beginning, and how long it is. */
function withShortTexts(value: JsonValue): JsonValue {
  if (typeof value === "string") {
    return value.length <= NOTED_TEXT
      ? value
      : `${value.slice(0, NOTED_TEXT)}… (${value.length} characters)`;
  }
  if (Array.isArray(value)) return value.map(withShortTexts);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member = null]) => [name, withShortTexts(member)]),
  );
}

/** A step of a round of play. */
export interface RoundStep {
  readonly round: number;
  readonly tick: number;
}

/** Listener for recorded events. */
export interface JournalListener {
  /** @param seq The number of an event of the game. */
  game(seq: number): void;
  editor(event: EditorEvent): void;
}

/** The events of the game, of its timelines and of the editor. */
export class JournalRings implements Journals {
  readonly #clock: Clock;
  readonly #game = new Ring<Omit<GameEvent, "seq">>(GAME_JOURNAL_CAPACITY);
  readonly #editor = new Ring<Omit<EditorEvent, "seq">>(EDITOR_JOURNAL_CAPACITY);
  readonly #timeline = new Ring<Omit<TimelineEvent, "seq">>(TIMELINE_JOURNAL_CAPACITY);

  readonly #listener: JournalListener | undefined;

  /** Empty journals; the clock stamps their events. */
  constructor(clock: Clock, listener?: JournalListener) {
    this.#clock = clock;
    this.#listener = listener;
  }

  /** Notes an event of the game. */
  noteGame({ round, tick }: RoundStep, type: string, payload: JsonValue): void {
    const t = this.#clock.now();
    const event = this.#game.push({ t, round, tick, type, payload: withShortTexts(payload) });
    this.#listener?.game(event.seq);
  }

  /** Notes an event of a timeline. */
  noteTimeline({ round, tick }: RoundStep, type: string, payload: JsonValue): void {
    this.#timeline.push({
      t: this.#clock.now(),
      round,
      tick,
      type,
      payload: withShortTexts(payload),
    });
  }

  /** Records an action in the editor. */
  noteEditor(type: string, source: Actor, payload: JsonValue): void {
    const t = this.#clock.now();
    const event = this.#editor.push({
      t,
      type,
      ...authored(source),
      payload: withShortTexts(payload),
    });
    this.#listener?.editor(event);
  }

  game(): readonly GameEvent[] {
    return this.#game.all();
  }

  editor(): readonly EditorEvent[] {
    return this.#editor.all();
  }

  timeline(): readonly TimelineEvent[] {
    return this.#timeline.all();
  }
}
