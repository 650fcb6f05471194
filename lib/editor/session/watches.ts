import { own } from "../../core/json.ts";
import { nearestNames } from "../../core/nearest.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { EditorCore } from "./editor-core.ts";
import type { SeenScene } from "./seen-scene.ts";
import { Series } from "./watch-series.ts";
import type { Entity, TraitSchema, Watches, WatchInfo, WatchRequest } from "../ports/mod.ts";

/** Default samples kept per series (RING-4). */
export const WATCH_SAMPLES = 600;
/** The most samples that a watch may ask to keep of one series. */
const MAX_WATCH_SAMPLES = 5_000;
/** Series of one watch unless given (RING-4). */
const WATCH_SERIES = 512;
/** The most series that a watch may ask for. */
const MAX_WATCH_SERIES = 4_096;
/** Watches at one time. */
export const MAX_WATCHES = 32;
/** Fields of one watch. */
const MAX_WATCH_FIELDS = 32;
/** Samples that all watches may keep together: some 100 MB. */
const MAX_SAMPLES_IN_ALL = 5_000_000;

interface Field {
  readonly name: string;
  readonly trait: string;
  readonly field: string;
}

interface Watch {
  readonly id: string;
  readonly fields: readonly Field[];
  readonly guids: ReadonlySet<string> | null;
  readonly maxSamples: number;
  readonly maxSeries: number;
  readonly everyTicks: number;
  running: boolean;
  /** Of every game in which it existed, the latest last. */
  readonly series: Map<string, Series>;
  /** Series of the latest game that there was no room for. */
  readonly left: Set<string>;
  /** The latest game that it took a sample in. */
  round: number;
}

/** Watches numbers while a game of the embedded editor plays. */
export class EmbeddedWatches implements Watches {
  readonly #core: EditorCore;
  readonly #watches = new Map<string, Watch>();
  #nextId = 1;

  constructor(core: EditorCore) {
    this.#core = core;
  }

  /** @param seen The scene as the caller sees it. */
  start(request: WatchRequest, seen: SeenScene = this.#core): Result<WatchInfo, Problem> {
    const { maxSamples = WATCH_SAMPLES, maxSeries = WATCH_SERIES, everyTicks = 1 } = request;
    const bounds = [
      ["maxSamples", maxSamples, MAX_WATCH_SAMPLES],
      ["maxSeries", maxSeries, MAX_WATCH_SERIES],
      ["everyTicks", everyTicks, 36_000],
    ] as const;
    for (const [name, found, most] of bounds) {
      if (!Number.isSafeInteger(found) || found < 1 || found > most) {
        const detail = `Cannot watch: ${name} is ${found}, expected 1 to ${most}`;
        return refuse(400, "bad-watch", detail, `Correct ${name}`);
      }
    }
    const fields = this.#fieldsOf(request.fields);
    if (!fields.ok) return fields;
    const guids = guidsOf(request.guids, seen);
    if (!guids.ok) return guids;
    const room = this.#room(maxSamples * maxSeries);
    if (!room.ok) return room;
    const watch: Watch = {
      id: `w${this.#nextId++}`,
      fields: fields.value,
      guids: guids.value,
      maxSamples,
      maxSeries,
      everyTicks,
      running: true,
      series: new Map(),
      left: new Set(),
      round: 0,
    };
    this.#watches.set(watch.id, watch);
    return ok(infoOf(watch));
  }

  list(): readonly WatchInfo[] {
    return [...this.#watches.values()].map(infoOf);
  }

  read(id: string): ReturnType<Watches["read"]> {
    const watch = this.#named(id);
    if (!watch.ok) return watch;
    const { series, left } = watch.value;
    return ok({
      watch: infoOf(watch.value),
      series: [...series.values()].map((one) => one.read()),
      left: left.size,
    });
  }

  stop(id: string, { forget }: { readonly forget: boolean }): Result<WatchInfo, Problem> {
    const watch = this.#named(id);
    if (!watch.ok) return watch;
    watch.value.running = false;
    if (forget) this.#watches.delete(id);
    return ok(infoOf(watch.value));
  }

  /** Samples everything that is watched. */
  sample(tick: number): void {
    const due = [...this.#watches.values()].filter(({ running, everyTicks }) =>
      running && tick % everyTicks === 0
    );
    if (due.length === 0) return;
    const entities = this.#core.world.entities();
    const { round } = this.#core;
    for (const watch of due) {
      if (watch.round !== round) watch.left.clear();
      watch.round = round;
      for (const entity of entities) sampleEntity(watch, entity, tick);
    }
  }

  #fieldsOf(names: readonly string[]): Result<readonly Field[], Problem> {
    if (names.length === 0 || names.length > MAX_WATCH_FIELDS) {
      const detail = `Cannot watch ${names.length} fields: expected 1 to ${MAX_WATCH_FIELDS}`;
      return refuse(400, "bad-watch", detail, "Name fields as <Trait>.<field>: Transform.x");
    }
    const fields: Field[] = [];
    for (const name of new Set(names)) {
      const dot = name.indexOf(".");
      const field = { name, trait: name.slice(0, Math.max(0, dot)), field: name.slice(dot + 1) };
      const refused = this.#refusal(field);
      if (refused !== null) return refused;
      fields.push(field);
    }
    return ok(fields);
  }

  /** Refuses a field unless it is a number of a trait, or one that only the playing world has. */
  #refusal({ name, trait, field }: Field): Result<never, Problem> | null {
    const schema = this.#core.traits.get(trait);
    const type = own(schema?.fields, field)?.type;
    if (type === "number" || type === "integer" || type === "boolean") return null;
    const isLive = this.#core.playing?.entities().some(({ traits }) =>
      typeof own(own(traits, trait), field) === "number"
    );
    if (isLive === true) return null;
    const all = this.#core.traits.all();
    const near = schema !== undefined
      ? numbersOf(schema)
      : trait === ""
      ? all.flatMap(numbersOf).filter((one) => one.endsWith(`.${field}`))
      : nearestNames(trait, all.map((one) => one.name));
    return refuse(
      404,
      "no-such-field",
      `Cannot watch ${JSON.stringify(name.slice(0, 80))}: expected <Trait>.<field> of a number`,
      near.length > 0 ? `There are ${near.slice(0, 12).join(", ")}` : "list_traits names traits",
    );
  }

  #room(requested: number): Result<null, Problem> {
    if (this.#watches.size >= MAX_WATCHES) {
      const detail = `There are ${MAX_WATCHES} watches already, the most that there may be`;
      return refuse(409, "too-many-watches", detail, "watch action=stop forget=1 makes room");
    }
    let taken = requested;
    for (const { maxSamples, maxSeries } of this.#watches.values()) taken += maxSamples * maxSeries;
    if (taken <= MAX_SAMPLES_IN_ALL) return ok(null);
    return refuse(
      409,
      "too-many-samples",
      `The watches could keep ${taken} samples together: expected at most ${MAX_SAMPLES_IN_ALL}`,
      "Lower maxSamples or maxSeries, or forget a watch",
    );
  }

  #named(id: string): Result<Watch, Problem> {
    const watch = this.#watches.get(id);
    if (watch !== undefined) return ok(watch);
    const known = [...this.#watches.keys()].join(", ");
    return refuse(
      404,
      "no-such-watch",
      `There is no watch ${JSON.stringify(id.slice(0, 80))}`,
      known === "" ? "watch action=start fields=Transform.x begins one" : `There are ${known}`,
    );
  }
}

function guidsOf(
  guids: readonly string[] | undefined,
  { world }: SeenScene,
): Result<ReadonlySet<string> | null, Problem> {
  if (guids === undefined) return ok(null);
  const known = new Set(world.entities().map(({ guid }) => guid));
  const missing = guids.find((guid) => !known.has(guid));
  if (missing === undefined) return ok(new Set(guids));
  const detail = `There is no entity with guid ${JSON.stringify(missing.slice(0, 80))} to watch`;
  return refuse(404, "no-such-entity", detail, "svc_get_scene_state lists guids");
}

/** `<Trait>.<field>` of every number that a trait has. */
function numbersOf({ name, fields }: TraitSchema): readonly string[] {
  return Object.entries(fields)
    .filter(([, { type }]) => type === "number" || type === "integer")
    .map(([field]) => `${name}.${field}`);
}

function sampleEntity(watch: Watch, entity: Entity, tick: number): void {
  const { fields, guids, series, left, maxSamples, maxSeries, round } = watch;
  if (guids !== null && !guids.has(entity.guid)) return;
  for (const { name, trait, field } of fields) {
    const value = own(own(entity.traits, trait), field);
    if (typeof value !== "number" && typeof value !== "boolean") continue;
    const key = `${round} ${entity.guid} ${name}`;
    let one = series.get(key);
    if (one === undefined) {
      if (series.size >= maxSeries && !forgetEarlier(series, round)) {
        left.add(key);
        continue;
      }
      one = new Series(entity, { field: name, round, capacity: maxSamples });
      series.set(key, one);
    }
    one.add(tick, Number(value));
  }
}

/** Drops the series of an earlier game to make room. @returns Whether there was any. */
function forgetEarlier(series: Map<string, Series>, round: number): boolean {
  for (const [key, one] of series) {
    if (one.round === round) return false;
    series.delete(key);
    return true;
  }
  return false;
}

function infoOf({ id, fields, running, series, round }: Watch): WatchInfo {
  const latest = [...series.values()].filter((one) => one.round === round);
  return { id, fields: fields.map(({ name }) => name), running, seriesTotal: latest.length };
}
