import { z } from "zod";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Watches, WatchInfo, WatchSeries } from "../../editor/ports/mod.ts";
import { unlessChanged } from "../scene/edits.ts";
import { EntityIndex, resolveEntity } from "../scene/entities.ts";
import { pageOf } from "../answer/lists.ts";
import { after, choice, flag, limit, text, texts, wholeNumber } from "../declaration/parameters.ts";
import { editorPart } from "../declaration/parts.ts";
import type { Services } from "../declaration/services.ts";
import { refuseMissing } from "../declaration/arguments.ts";
import { defineTool, type Tool } from "../declaration/tool.ts";

/** Default series (BUDGET-6). */
const SERIES_LIMIT = 100;

type Produced =
  | { readonly kind: "list"; readonly watches: readonly WatchInfo[] }
  | { readonly kind: "one"; readonly watch: WatchInfo; readonly changed: boolean }
  | {
    readonly kind: "series";
    readonly series: readonly WatchSeries[];
    readonly left: number;
    /** The game of the series; absent if the editor does not number games. */
    readonly round: number | undefined;
    /** All games of which it has series. */
    readonly rounds: readonly number[];
    /** Why there are no values. */
    readonly hint: string | null;
  };

const parameters = z.object({
  action: choice(["start", "read", "list", "stop"], "what to do"),
  watch: text("its id, as start gave it; the only one when absent"),
  fields: texts("numbers to watch"),
  guids: texts("entities; all with the trait when absent"),
  every: wholeNumber("ticks between samples", { min: 1, max: 36_000 }),
  maxSamples: wholeNumber("kept; 600", { min: 1, max: 5_000 }),
  samples: flag("adds the samples"),
  round: wholeNumber("of this game; the latest when absent", { min: 1 }),
  forget: flag("the stopped watch"),
  limit: limit(`${SERIES_LIMIT} series`),
  after: after(),
});

/** `watch` (RING-7). */
const watch: Tool = defineTool({
  name: "watch",
  route: "/api/watch",
  routeKind: "both",
  purpose: "Records numbers over time while the game plays: min, max, mean, changes",
  defaultShape: "action=list; read gives statistics",
  parameters,
  drillDown: {
    fields: "<Trait>.<field>",
    guids: "of these",
    watch: "read, stop: its id",
    samples: "read: each value",
    round: "read: an earlier game",
  },
  sizeWarning: "samples=1 of many",
  annotations: { openWorldHint: false },
  fills: ({ fields, guids }) => fields !== undefined || guids !== undefined ? "series" : null,

  async produce(services, args) {
    const part = editorPart(services, "watches");
    if (!part.ok) return part;
    const stray = strayArgument(args);
    if (stray !== null) return stray;
    const watches = part.value;
    switch (args.action) {
      case "start":
        return await start(services, watches, args);
      case "read":
      case "stop": {
        const id = idOf(watches, args);
        return id.ok ? readOrStop(watches, id.value, args) : id;
      }
      default:
        return ok<Produced>({ kind: "list", watches: watches.list() });
    }
  },

  summarize(produced, { samples, limit = SERIES_LIMIT, after }) {
    switch (produced.kind) {
      case "list":
        return ok({ count: produced.watches.length, watches: produced.watches });
      case "one":
        return ok({ ok: true, ...produced.watch, ...unlessChanged(produced.changed) });
      case "series": {
        const { shown, cut } = pageOf(produced.series, { limit, after });
        const { round, rounds } = produced;
        return ok({
          ...(round !== undefined && { round }),
          ...(rounds.length > 1 && { rounds }),
          series: shown.map(({ samples: all, round: _round, ...rest }) =>
            samples ? { ...rest, samples: all } : rest
          ),
          seriesTotal: produced.series.length + produced.left,
          ...(produced.left > 0 && { notRecorded: produced.left }),
          ...cut,
          ...(produced.left > 0 && { truncated: true }),
          ...(produced.hint !== null && { hint: produced.hint }),
        });
      }
    }
  },
});

export const WATCH_TOOLS: readonly Tool[] = [watch];

type Arguments = z.output<typeof parameters>;

/** Arguments of each action; `list` takes no argument. */
const TAKES: Readonly<Record<NonNullable<Arguments["action"]>, readonly string[]>> = {
  list: [],
  start: ["fields", "guids", "every", "maxSamples"],
  read: ["watch", "fields", "guids", "round", "samples", "limit", "after"],
  stop: ["watch", "forget"],
};

/** Refusal of an argument that the action does not take; otherwise `null`. */
function strayArgument({ action = "list", ...args }: Arguments): Result<never, Problem> | null {
  const stray = Object.entries(args).find(([name, value]) =>
    value !== undefined && !TAKES[action].includes(name)
  );
  if (stray === undefined) return null;
  const [name] = stray;
  const fitting = Object.entries(TAKES).filter(([, takes]) => takes.includes(name))
    .map(([one]) => `action=${one}`).join(" or ");
  const takes = TAKES[action].join(", ") || "nothing else";
  return refuse(
    400,
    "not-for-action",
    `watch action=${action} does not take ${name}; it takes: ${takes}`,
    `Give ${fitting}, or leave ${name} out`,
  );
}

async function start(
  { editor }: Services,
  watches: Watches,
  { fields, guids, every, maxSamples }: Arguments,
): Promise<Result<Produced, Problem>> {
  if (fields === undefined) {
    return refuseMissing("watch", "fields", "fields=Transform.x,Health.hp");
  }
  const resolved: string[] = [];
  if (guids !== undefined) {
    const entities = new EntityIndex((await editor.sceneState()).entities);
    for (const guid of guids) {
      const entity = resolveEntity(entities, { guid });
      if (!entity.ok) return entity;
      resolved.push(entity.value.guid);
    }
  }
  const begun = watches.start({
    fields,
    ...(guids !== undefined && { guids: resolved }),
    ...(every !== undefined && { everyTicks: every }),
    ...(maxSamples !== undefined && { maxSamples }),
  });
  return begun.ok ? ok({ kind: "one", watch: begun.value, changed: true }) : begun;
}

/** Returns the named watch, or the only one. */
function idOf(watches: Watches, { watch: id, action }: Arguments): Result<string, Problem> {
  if (id !== undefined) return ok(id);
  const [first, ...others] = watches.list();
  if (first !== undefined && others.length === 0) return ok(first.id);
  if (first === undefined) {
    const detail = `Cannot ${action ?? "read"} a watch: there is none`;
    return refuse(404, "no-such-watch", detail, "watch action=start fields=Transform.x");
  }
  const known = [first, ...others].map((one) => one.id).join(", ");
  return refuseMissing("watch", "watch", `There are ${known}`);
}

function readOrStop(
  watches: Watches,
  id: string,
  { action, forget = false, fields, guids, round: asked }: Arguments,
): Result<Produced, Problem> {
  if (action === "stop") {
    const before = watches.list().find((one) => one.id === id);
    const stopped = watches.stop(id, { forget });
    const changed = forget || before?.running !== false;
    return stopped.ok ? ok({ kind: "one", watch: stopped.value, changed }) : stopped;
  }
  const read = watches.read(id);
  if (!read.ok) return read;
  const requestedGuids = guids?.map((guid) => guid.toLowerCase());
  const all = read.value.series;
  const rounds = [...new Set(all.map((one) => one.round))].filter((one) => one !== undefined);
  const round = asked ?? rounds.at(-1);
  const series = all.filter((one) => one.round === round).filter(({ guid, field }) =>
    (fields === undefined || fields.includes(field)) &&
    (requestedGuids === undefined || requestedGuids.some((one) => guid.startsWith(one)))
  );
  const hint = series.length > 0
    ? null
    : asked !== undefined && !rounds.includes(asked)
    ? `It has no samples of game ${asked}; it has ${rounds.join(", ") || "none"}`
    : all.length > 0
    ? `No series matches; it has ${fieldsIn(all).join(", ")}`
    : "It has no samples yet: step_play, or play_control action=play";
  const left = round === rounds.at(-1) ? read.value.left : 0;
  return ok({ kind: "series", series, left, round, rounds, hint });
}

function fieldsIn(series: readonly WatchSeries[]): readonly string[] {
  return [...new Set(series.map(({ field }) => field))];
}
