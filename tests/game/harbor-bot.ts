import type { Clock } from "../../lib/ports/clock.ts";
import type { InputEvent } from "../../lib/game/types/mod.ts";
import { type Recording, RunningGame, SceneHost } from "../../lib/game/play/mod.ts";
import type { Game } from "../../lib/game/world/mod.ts";
import { type Level, LEVELS, MENU } from "../../scripts/sample/levels.ts";
import { gameFiles, openGame } from "./game-files.ts";

// Plays Harbor Run as a person does: it looks at the world and presses keys.

const SAMPLE = "lib/editor/sample";
const VIEWPORT = { width: 1280, height: 720 };
export const clock: Clock = {
  now: () => 0,
  monotonic: () => performance.now(),
  sleep: () => new Promise((resolve) => setTimeout(resolve, 0)),
};

/** The sample as it is built, begun at its title. */
export async function openSampleGame(): ReturnType<typeof openGame> {
  return await openGame(await gameFiles(SAMPLE, MENU));
}

type Spot = readonly [x: number, z: number];

/** Between gates that something lies between: by level, by the gate that is next. */
const DETOURS: readonly Readonly<Record<number, readonly Spot[]>>[] = [
  {},
  { 1: [[22, -4]], 2: [[16, -31]], 4: [[2, 0]], 0: [[14, 10]] },
  { 2: [[27, -31]], 0: [[14, 10]] },
];

/** Within this of a place, in metres, it has been there. */
const NEAR = 3.5;
/** Steps between two looks. */
const LOOK = 4;
const STEPS_PER_SECOND = 60;

/** Why a bot stops, once that is so. */
export type Until = (game: Game, scene: string) => boolean;

/** Plays from the title on. @returns The round until then, or an error with where it was. */
export async function playAlone(
  { until, steers, maxTicks }: {
    readonly until: Until;
    /** Whether it steers at all; who does not loses. */
    readonly steers: boolean;
    readonly maxTicks: number;
  },
): Promise<{ readonly recording: Recording; readonly log: readonly string[] }> {
  const content = await openSampleGame();
  const log: string[] = [];
  const host = await SceneHost.open(content, MENU, {
    clock,
    viewport: VIEWPORT,
    journals: {
      noteGame: ({ tick }, type, payload) => log.push(`${tick} ${type} ${JSON.stringify(payload)}`),
      noteTimeline: () => {},
    },
  });
  if (!host.ok) throw new Error(host.error.detail);
  const running = await RunningGame.start(host.value, content);
  const pilot = new Pilot((event) => running.input.take(event), steers);
  while (running.game.tick < maxTicks) {
    const scene = host.value.playingScene ?? MENU;
    if (until(running.game, scene)) break;
    pilot.look(running.game, scene);
    await running.steps(LOOK, new AbortController().signal);
  }
  const recording = running.recorder.upTo(running.game.tick);
  running.end();
  if (recording === null) throw new Error("The round is too long to be recorded");
  return { recording, log };
}

/** Whether the menu of that name is open. */
export function isOpen(game: Game, name: string): boolean {
  return game.world.named(name)?.traits["UIElement"]?.["visible"] === true;
}

/** What hurts or holds the boat: where it is, how it moves, how near it must not come. */
interface Danger {
  readonly x: number;
  readonly z: number;
  readonly vx: number;
  readonly vz: number;
  readonly reach: number;
}

/** What stands in a level. */
function standing(level: Level | undefined): readonly Danger[] {
  const still = (x: number, z: number, reach: number) => ({ x, z, vx: 0, vz: 0, reach });
  return [
    still(34, -34, 5),
    ...(level?.islands ?? []).map(([x, z, radius]) => still(x, z, radius + 3)),
    ...(level?.rocks ?? []).map(([x, z, width]) => still(x, z, width / 2 + 4)),
  ];
}

/** Where the boat would be in a second and a half if it went on so, as far from its aim, how near to danger. */
function costOf(
  { x, z, vx, vz, angle }: {
    readonly x: number;
    readonly z: number;
    readonly vx: number;
    readonly vz: number;
    /** Radians from east to south. */
    readonly angle: number;
  },
  { turn, push, to, dangers }: {
    readonly turn: number;
    readonly push: number;
    readonly to: Spot;
    readonly dangers: readonly Danger[];
  },
): number {
  const dt = 0.1;
  let [fear, arrives] = [0, Infinity];
  for (let t = dt; t <= 1.5; t += dt) {
    // It turns for a moment and then goes straight on.
    if (t < 0.5) angle += turn * 1.75 * dt;
    vx += (Math.cos(angle) * push - vx * 1.6) * dt;
    vz += (Math.sin(angle) * push - vz * 1.6) * dt;
    x += vx * dt;
    z += vz * dt;
    const left = Math.abs(to[0] - x) + Math.abs(to[1] - z);
    if (left < 2) arrives = Math.min(arrives, t);
    for (const danger of dangers) {
      const [dx, dz] = [danger.x + danger.vx * t - x, danger.z + danger.vz * t - z];
      const near = Math.sqrt(dx * dx + dz * dz);
      if (near < danger.reach) fear += (danger.reach - near) * 3;
    }
  }
  if (arrives < Infinity) return arrives - 2 + fear;
  const [dx, dz] = [to[0] - x, to[1] - z];
  const away = Math.sqrt(dx * dx + dz * dz);
  const astray = 1 - (Math.cos(angle) * dx + Math.sin(angle) * dz) / Math.max(1, away);
  return away + astray * 3 + fear;
}

/** Presses keys by what it sees. */
class Pilot {
  readonly #press: (event: InputEvent) => void;
  readonly #steers: boolean;
  readonly #held = new Set<string>();
  #waiting = 0;
  #gate = -1;
  #detours: Spot[] = [];
  #scene = "";
  /** Where the patrols were at its last look. */
  readonly #patrols = new Map<number, Spot>();

  constructor(press: (event: InputEvent) => void, steers: boolean) {
    this.#press = press;
    this.#steers = steers;
  }

  look(game: Game, scene: string): void {
    if (scene !== this.#scene) [this.#scene, this.#gate, this.#waiting] = [scene, -1, 15];
    const menu = scene === MENU || isOpen(game, "Win Menu");
    if (menu || !this.#steers) {
      for (const code of [...this.#held]) this.#hold(code, false);
      // A person takes a moment to read what a menu says.
      if (menu && --this.#waiting <= 0) {
        this.#waiting = 15;
        this.#press({ kind: "key", code: "Enter", phase: "press" });
      }
      return;
    }
    this.#steer(game, LEVELS.findIndex(({ path }) => path === scene));
  }

  #steer(game: Game, level: number): void {
    const runner = game.world.named("Runner");
    const gates = LEVELS[level]?.gates ?? [];
    if (runner === undefined) return;
    const next = gates.findIndex((_gate, i) =>
      game.world.named(`Gate ${i + 1}`)?.traits["Checkpoint"]?.["next"] === true
    );
    if (next !== this.#gate) {
      this.#gate = next;
      this.#detours = [...DETOURS[level]?.[next] ?? []];
    }
    const { affine: { offset: [x, , z] }, rotation } = game.world.placeOf(runner);
    const [detour] = this.#detours;
    if (detour !== undefined && Math.abs(x - detour[0]) + Math.abs(z - detour[1]) < NEAR) {
      this.#detours.shift();
    }
    const to = this.#detours[0] ?? gates[next] ?? [x, z];
    const [vx, , vz] = game.physics.velocityOf(runner.id) ?? [0, 0, 0];
    const now = { x, z, vx, vz, angle: Math.atan2(-(rotation[8] ?? 0), -(rotation[2] ?? 0)) };
    const dangers = [...this.#patrolsOf(game), ...standing(LEVELS[level])];
    let best = { cost: Infinity, turn: 0, push: 0 };
    for (const turn of [0, -1, 1]) {
      for (const push of [14, 0, -8]) {
        const cost = costOf(now, { turn, push, to, dangers });
        if (cost < best.cost) best = { cost, turn, push };
      }
    }
    this.#hold("ArrowRight", best.turn > 0);
    this.#hold("ArrowLeft", best.turn < 0);
    this.#hold("ArrowUp", best.push > 0);
    this.#hold("ArrowDown", best.push < 0);
  }

  #patrolsOf({ world }: Game): readonly Danger[] {
    return world.withTrait("Patrol").filter(({ traits }) => traits["Enemy"] !== undefined)
      .map(({ id, traits }) => {
        const [x, z] = [Number(traits["Transform"]?.["x"]), Number(traits["Transform"]?.["z"])];
        const [ox, oz] = this.#patrols.get(id) ?? [x, z];
        this.#patrols.set(id, [x, z]);
        const rate = STEPS_PER_SECOND / LOOK;
        return { x, z, vx: (x - ox) * rate, vz: (z - oz) * rate, reach: 5.5 };
      });
  }

  #hold(code: string, down: boolean): void {
    if (this.#held.has(code) === down) return;
    if (down) this.#held.add(code);
    else this.#held.delete(code);
    this.#press({ kind: "key", code, phase: down ? "down" : "up" });
  }
}
