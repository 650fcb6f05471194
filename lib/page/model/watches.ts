import { type Signal, signal } from "@preact/signals";
import { isRecord } from "../../core/json.ts";
import type { FieldSchema } from "../../editor/ports/mod.ts";
import type { ReceivedChange } from "../wire/changes.ts";
import { listOf, memberOf, numberOf, textOrEmpty } from "../wire/read.ts";
import { callService, fetchProducer } from "../wire/service.ts";
import { act, said } from "./actions.ts";
import { selected } from "./editor.ts";
import { bottom } from "./page.ts";
import type { Sample } from "./sparkline.ts";

// Numbers that are recorded while the game plays, while the panel that shows them is open.

/** A number on an entity. */
export interface PageSeries {
  readonly guid: string;
  readonly name: string;
  /** `<Trait>.<field>`. */
  readonly field: string;
  readonly round: number;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly last: number;
  readonly samples: readonly Sample[];
}

/** A watch with its samples of the latest game. */
export interface PageWatch {
  readonly id: string;
  readonly fields: readonly string[];
  readonly running: boolean;
  readonly series: readonly PageSeries[];
  /** Number of entities whose values it has no room for. */
  readonly left: number;
}

/** Minimum time between two readings, in milliseconds; longer if a reading itself takes long. */
const REST_MS = 300;
/** A reading may take this part of the time. */
const PART = 4;

/** All watches, oldest first. */
export const watches: Signal<readonly PageWatch[]> = signal([]);

let isShown = false;
let isReading = false;
let isOld = false;

/** Reads the watches while the panel is open. @returns Stops reading. */
export function showWatches(): () => void {
  isShown = true;
  void readAll();
  return () => isShown = false;
}

/** Takes a change of the stream. */
export function takeWatches({ kind }: ReceivedChange): void {
  if (isShown && (kind === "play" || kind === "journal" || kind === "editor-event")) void readAll();
}

/**
 * Records fields of the selected entities, or of all entities with the trait if none is selected.
 */
export async function startWatch(fields: readonly string[]): Promise<void> {
  const [trait = ""] = fields[0]?.split(".") ?? [];
  const guids = selected.value.filter(({ traits }) => traits[trait] !== undefined)
    .map(({ guid }) => guid);
  const begun = await callService("watch", {
    action: "start",
    fields,
    ...(guids.length > 0 && { guids }),
  });
  if (!said(begun).ok) return;
  bottom.value = "watch";
  await readAll();
}

/** Stops a watch; its samples stay until it is dropped. */
export async function stopWatch(
  id: string,
  { forget }: { readonly forget: boolean },
): Promise<void> {
  await act("watch", { action: "stop", watch: id, ...(forget && { forget }) });
  await readAll();
}

/** Whether a field holds a number that can be watched. */
export function isWatchable({ type }: FieldSchema): boolean {
  return type === "number" || type === "integer";
}

/** Reads all; while it reads, once more afterwards, and never more than a few times a second. */
async function readAll(): Promise<void> {
  isOld = true;
  if (isReading) return;
  isReading = true;
  while (isOld) {
    isOld = false;
    const start = performance.now();
    const answer = await fetchProducer("watches");
    const list = answer.ok ? listOf(memberOf(answer.value, "watches"), infoOf) : [];
    watches.value = await Promise.all(list.map(readOne));
    const rest = Math.max(REST_MS, (performance.now() - start) * PART);
    await new Promise((resolve) => setTimeout(resolve, rest));
  }
  isReading = false;
}

type Info = Omit<PageWatch, "series" | "left">;

async function readOne(info: Info): Promise<PageWatch> {
  const answer = await fetchProducer("watch", { id: info.id });
  if (!answer.ok) return { ...info, series: [], left: 0 };
  const all = listOf(memberOf(answer.value, "series"), seriesOf);
  const latest = Math.max(...all.map(({ round }) => round));
  return {
    ...info,
    series: all.filter(({ round }) => round === latest),
    left: numberOf(memberOf(answer.value, "left")),
  };
}

function infoOf(value: unknown): Info | null {
  if (!isRecord(value) || typeof value["id"] !== "string") return null;
  const { id, fields, running } = value;
  return { id, fields: listOf(fields, textOrEmpty), running: running === true };
}

function seriesOf(value: unknown): PageSeries | null {
  if (!isRecord(value) || !isRecord(value["stats"])) return null;
  const { guid, name, field, round, stats: { min, max, mean, last }, samples } = value;
  return {
    guid: textOrEmpty(guid),
    name: textOrEmpty(name),
    field: textOrEmpty(field),
    round: numberOf(round),
    min: numberOf(min),
    max: numberOf(max),
    mean: numberOf(mean),
    last: numberOf(last),
    samples: listOf(
      samples,
      (one) =>
        isRecord(one) ? { tick: numberOf(one["tick"]), value: numberOf(one["value"], NaN) } : null,
    ),
  };
}
