import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { isRecord } from "../../core/json.ts";
import type { ConsoleEntry, EditorEvent } from "../../editor/ports/mod.ts";
import type { ReceivedChange } from "../wire/changes.ts";
import { eventOf, listOf, memberOf, numberOf, textOrEmpty } from "../wire/read.ts";
import { fetchProducer } from "../wire/service.ts";
import { oneAtATime } from "./one-at-a-time.ts";

// The page's copies of the editor's rings: new entries are loaded when the stream announces them.

/** Maximum lines that the page keeps, as in the editor's own ring. */
const MOST_LINES = 500;
const MOST_EVENTS = 2_000;

/** The console, oldest first. */
export const lines: Signal<readonly ConsoleEntry[]> = signal([]);
/** Editor events, oldest first. */
export const events: Signal<readonly EditorEvent[]> = signal([]);
/** Number of unread errors of the console. */
export const unseen: ReadonlySignal<number> = computed(() =>
  lines.value.filter(({ level, seq }) => seq > seen.value && level === "error").length
);
const seen = signal(0);
/** Events that the stream has reported since all of them were requested. */
let came: EditorEvent[] = [];

/** Marks the console's errors as read. */
export function markSeen(): void {
  seen.value = lines.value.at(-1)?.seq ?? 0;
}

/** Reloads both: a restarted editor counts from the beginning. */
export async function loadLogs(): Promise<void> {
  const [all] = await Promise.all([linesSince(0), loadEvents()]);
  if (all === null) return;
  lines.value = all.slice(-MOST_LINES);
  seen.value = Math.min(seen.value, all.at(-1)?.seq ?? 0);
}

async function loadLines(): Promise<void> {
  const newer = await linesSince(lines.value.at(-1)?.seq ?? 0) ?? [];
  const last = lines.value.at(-1)?.seq ?? 0; // more lines may have been reported in between
  const added = newer.filter(({ seq }) => seq > last);
  if (added.length > 0) lines.value = [...lines.value, ...added].slice(-MOST_LINES);
}

async function linesSince(since: number): Promise<readonly ConsoleEntry[] | null> {
  const answer = await fetchProducer("console", { since: String(since) });
  return answer.ok ? listOf(memberOf(answer.value, "entries"), lineOf) : null;
}

const loadEvents = oneAtATime(async () => {
  came = [];
  const answer = await fetchProducer("editor-journal");
  if (!answer.ok) return;
  const received = listOf(memberOf(answer.value, "events"), eventOf);
  const last = received.at(-1)?.seq ?? 0;
  events.value = [...received, ...came.filter(({ seq }) => seq > last)].slice(-MOST_EVENTS);
});

/** Takes a change of the stream. */
export function takeLogs({ kind, values }: ReceivedChange): void {
  if (kind === "console") void loadLines();
  if (kind !== "editor-event") return;
  const event = eventOf(values);
  if (event === null) return;
  came.push(event);
  events.value = [...events.value, event].slice(-MOST_EVENTS);
}

function lineOf(value: unknown): ConsoleEntry | null {
  if (!isRecord(value) || typeof value["seq"] !== "number") return null;
  const { seq, t, level, text } = value;
  const known = (["debug", "info", "warn", "error"] as const).find((one) => one === level) ?? "log";
  return { seq, t: numberOf(t), level: known, text: textOrEmpty(text) };
}
