import { type Signal, signal } from "@preact/signals";
import { isRecord } from "../../core/json.ts";
import type { ReceivedChange } from "../wire/changes.ts";
import { listOf, memberOf, numberOf, textOrEmpty } from "../wire/read.ts";
import { fetchProducer } from "../wire/service.ts";
import { oneAtATime } from "./one-at-a-time.ts";

// The journals of the game and of its timelines, while the panel that shows them is open.

/** Something that happened in a game. */
export interface JournalLine {
  /** Different for each: `game 12`. */
  readonly key: string;
  readonly tick: number;
  readonly type: string;
  /** Its details as text, cut. */
  readonly text: string;
  /** Entities that it names. */
  readonly guids: readonly string[];
}

/** Maximum events, as in the editor's own ring. */
const MOST = 10_000;
/** Characters of the details that are shown. */
const MOST_CHARACTERS = 300;
const GUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const RINGS = ["journal", "timeline-journal"] as const;

/** Both together, in the order of their ticks. */
export const journal: Signal<readonly JournalLine[]> = signal([]);
const last = new Map<string, number>();

/** Loads new events. */
export const loadJournal: () => Promise<void> = oneAtATime(async () => {
  const newer = (await Promise.all(RINGS.map(newIn))).flat();
  if (newer.length > 0) {
    journal.value = [...journal.value, ...newer.toSorted((a, b) => a.t - b.t)].slice(-MOST);
  }
});

/** Takes a change of the stream. */
export function takeJournal({ kind }: ReceivedChange): void {
  if (kind === "journal") void loadJournal();
}

async function newIn(ring: (typeof RINGS)[number]) {
  const since = last.get(ring) ?? 0;
  const answer = await fetchProducer(ring, { since: String(since) });
  const list = answer.ok
    ? listOf(memberOf(answer.value, "events"), (one) => lineOf(ring, one))
    : [];
  last.set(ring, Math.max(since, ...list.map(({ seq }) => seq)));
  return list;
}

/** An event as a line. */
export function lineOf(ring: string, value: unknown) {
  if (!isRecord(value) || typeof value["seq"] !== "number") return null;
  const { seq, t, tick, type, payload } = value;
  const text = JSON.stringify(payload) ?? "";
  return {
    key: `${ring} ${seq}`,
    seq,
    t: numberOf(t),
    tick: numberOf(tick),
    type: textOrEmpty(type),
    text: text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text,
    guids: [...new Set(text.slice(0, 100_000).match(GUID) ?? [])].slice(0, 50),
  };
}
