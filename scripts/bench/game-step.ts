import { readFileSync } from "node:fs";
import { join } from "node:path";
import { loadYoga } from "yoga-layout/load";
import { runAtOnce } from "../../lib/core/cooperative.ts";
import type { WebContent } from "../../lib/game-web/content/mod.ts";
import { parseRecording, playBack, type Recording, SceneHost } from "../../lib/game/play/mod.ts";
import { PlayerInput } from "../../lib/game/play/player-input.ts";
import { Recorder } from "../../lib/game/play/recording.ts";
import { Controls } from "../../lib/game/world/controls.ts";
import { loadGameAssets } from "../../lib/game/world/game-assets.ts";
import { Game } from "../../lib/game/world/game.ts";
import { LiveWorld } from "../../lib/game/world/live-world.ts";
import { loadRapier, type Rapier } from "../../lib/game/world/rapier.ts";
import { STEP } from "../../lib/game/world/mod.ts";
import type { Clock } from "../../lib/ports/clock.ts";
import { packageRoot } from "../shared/runtime.ts";
import { builtSample, openBuilt } from "./built-sample.ts";
import { median, ratioOf } from "./measure.ts";
import { type NotedCalls, notedRapier, placesIn } from "./noted-rapier.ts";
import type { BenchContext } from "./part.ts";
import type { Finding, Found } from "./report.ts";

/** Steps that are timed together. */
const STEPS = 100;
const QUICK_STEPS = 20;

/** A level within a recorded round. */
interface Level {
  readonly path: string;
  /** The steps of the round that it was played in: after the first, up to the second. */
  readonly from: number;
  readonly to: number;
}

/** Steps of the sample's levels, as a recorded round plays them, against Rapier alone. */
export async function measureGameStep(context: BenchContext): Promise<Found> {
  const round = readRound();
  const content = await openBuilt(await builtSample(context, round.scene));
  const levels = await levelsOf(round, content, context.runtime.clock);
  const findings: Finding[] = [];
  const rows: (readonly (string | number)[])[] = [];
  for (const [index, level] of levels.entries()) {
    context.onRound(index, levels.length);
    const { ours, theirs, entities, bodies } = await compare(context, { round, content, level });
    findings.push({
      ours: `a step of ${level.path}`,
      against: "the same step of Rapier alone",
      of: "time",
      ratio: ratioOf(ours, theirs),
    });
    const perStep = (times: readonly number[]) => (median(times) * 1_000).toFixed(1);
    rows.push([level.path, entities, bodies, perStep(ours), perStep(theirs)]);
  }
  return {
    about:
      "The levels of the sample as the recorded round plays them, against Rapier alone: a world to which " +
      "the same calls are made, in which every body ends in the same place. The game moves all " +
      "else as well: it follows the round's input, picks up, counts, animates, and shows values. " +
      `A round here is ${STEPS} steps of both.`,
    findings,
    counts: {
      head: ["level", "entities", "bodies", "game, µs a step", "Rapier, µs a step"],
      rows,
    },
  };
}

function readRound(): Recording {
  const path = join(packageRoot(), "tests", "game", "rounds", "win.json");
  const read = parseRecording(path, readFileSync(path));
  if (!read.ok) throw new Error(read.error.message);
  return read.value;
}

/** Returns the start and end of each level in the round. */
async function levelsOf(
  round: Recording,
  content: WebContent,
  clock: Clock,
): Promise<readonly Level[]> {
  const begun: { readonly path: string; readonly from: number }[] = [];
  const noteGame = ({ tick }: { readonly tick: number }, type: string, payload: unknown) => {
    const path = type === "scene" ? Object(payload).path : undefined;
    if (typeof path === "string") begun.push({ path, from: tick });
  };
  const played = await playBack(round, content, {
    clock,
    journals: { noteGame, noteTimeline: () => {} },
  });
  if (!played.ok) throw new Error(played.error.detail);
  played.value.end();
  return begun.flatMap((level, n) => {
    const next = begun[n + 1]; // the last one is the title again
    return next === undefined ? [] : [{ ...level, to: next.from }];
  });
}

interface Compared {
  /** Milliseconds of a step, by round. */
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
  readonly entities: number;
  readonly bodies: number;
}

interface Comparison {
  readonly round: Recording;
  readonly content: WebContent;
  readonly level: Level;
}

async function compare(
  { runtime: { clock }, quick }: BenchContext,
  comparison: Comparison,
): Promise<Compared> {
  const rapier = await loadRapier();
  const together = quick ? QUICK_STEPS : STEPS;
  const rounds = quick ? 2 : Math.floor(await moving({ ...comparison, clock, rapier }) / together);
  const notes = notedRapier(rapier);
  const first = await openLevel({ ...comparison, clock, rapier: notes.rapier });
  first.steps(rounds * together);
  const bare = new BareWorld(rapier, notes.noted());
  const game = await openLevel({ ...comparison, clock, rapier });
  const [ours, theirs]: [number[], number[]] = [[], []];
  const timed = (times: number[], steps: (count: number) => void) => {
    const start = clock.monotonic();
    steps(together);
    times.push((clock.monotonic() - start) / together);
  };
  for (let n = 0; n < rounds; n++) {
    if (n % 2 === 0) timed(ours, game.steps);
    timed(theirs, bare.steps);
    if (n % 2 === 1) timed(ours, game.steps);
  }
  const away = bare.places().findIndex((place, n) => place !== notes.noted().places()[n]);
  if (away >= 0) throw new Error(`Body ${away} ended elsewhere: these were not the same steps`);
  const compared = { ours, theirs, entities: game.entities(), bodies: bare.places().length };
  for (const one of [first, game, bare]) one.free();
  return compared;
}

interface Playing extends Comparison {
  readonly clock: Clock;
  readonly rapier: Rapier;
}

/** Returns the steps of a level in which its world moves; it pauses after a win. */
async function moving(playing: Playing): Promise<number> {
  const { from, to } = playing.level;
  const level = await openLevel(playing);
  let made = 0;
  while (made < to - from && !level.isPaused()) {
    level.steps(1);
    made++;
  }
  level.free();
  return made;
}

/** A level, ready to be played as the round has played it. */
async function openLevel({ round, content, level, clock, rapier }: Playing): Promise<{
  readonly isPaused: () => boolean;
  readonly steps: (count: number) => void;
  readonly entities: () => number;
  readonly free: () => void;
}> {
  const { viewport } = round;
  const host = await SceneHost.open(content, level.path, { clock, viewport });
  if (!host.ok) throw new Error(host.error.detail);
  const game = new Game(host.value, {
    content,
    assets: await loadGameAssets(content, () => clock.monotonic()),
    rapier,
    controls: new Controls(),
    world: runAtOnce(LiveWorld.of(host.value.document.entities(), host.value.nextPlayRev)),
    tick: level.from,
  });
  const input = new PlayerInput(game, {
    yoga: await loadYoga(),
    viewport,
    recorder: new Recorder(round),
  });
  const events = round.events.filter(([tick]) => tick >= level.from);
  let next = 0;
  return {
    steps(count) {
      for (let n = 0; n < count; n++) {
        for (let one = events[next]; one?.[0] === game.tick; one = events[++next]) {
          input.take(one[1]);
        }
        game.step();
      }
    },
    isPaused: () => game.isPaused,
    entities: () => game.world.size,
    free: () => game.free(),
  };
}

/** The same world in Rapier alone. */
class BareWorld {
  readonly #world: InstanceType<Rapier["World"]>;
  readonly #events: InstanceType<Rapier["EventQueue"]>;
  readonly #calls: NotedCalls["steps"];
  #made = 0;

  constructor(rapier: Rapier, { gravity, steps }: NotedCalls) {
    this.#world = new rapier.World(gravity);
    this.#world.timestep = STEP;
    this.#events = new rapier.EventQueue(true);
    this.#calls = steps;
  }

  readonly steps = (count: number): void => {
    for (let n = 0; n < count; n++) {
      for (const call of this.#calls[this.#made++] ?? []) call(this.#world);
      this.#world.step(this.#events);
    }
  };

  places(): readonly string[] {
    return placesIn(this.#world);
  }

  free(): void {
    this.#events.free();
    this.#world.free();
  }
}
