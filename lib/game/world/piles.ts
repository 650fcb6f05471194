import { type Problem, problem } from "../../core/problem.ts";
import type { LiveEntity } from "./live-world.ts";

/**
 * Maximum pairs of bodies with intersecting cores, which push each other apart, in a step: a
 * hundred bodies at one place. A thousand are half a million pairs, and 40 s per step.
 */
export const MAX_PUSHING = 5_000;
/** Maximum pairs that touch or intersect in a step: a heap of 10,000 bodies. */
export const MAX_TOUCHING = 100_000;
/**
 * Maximum comparisons of one check; with more and larger bodies, the limit of touching pairs
 * applies.
 */
const MAX_COMPARED = 2_000_000;
/** Ids that a problem names. */
const MAX_LISTED = 5;
/**
 * How much longer another axis must be before bodies are sorted along it, because sorting again is
 * slow.
 */
const LONGER = 2;

/** The middle of a body that can move: a cube half as wide as the body is in its shortest direction. */
export interface Core {
  readonly entity: LiveEntity;
  /** Whether forces move it. */
  readonly isDynamic: boolean;
  /** Whether it only notices others. */
  readonly isSensor: boolean;
  /** Metres, in the world: x, y, z. */
  readonly at: [number, number, number];
  /** Half the length of an edge, in metres. */
  readonly half: number;
}

const AXES = [0, 1, 2] as const;

/**
 * Finds bodies that intersect, before the engine computes every pair of them. Each body contains a
 * cube that fits in any rotation; the cubes of two bodies that only touch do not meet. The decision
 * is made by counting, so it is the same on every machine.
 */
export class Piles {
  readonly #cores: Core[] = [];
  #axis: 0 | 1 | 2 = 0;

  /** Adds a body, which is moved by writing to `at`. */
  add(core: Core): void {
    this.#cores.push(core);
  }

  /** Removes a body. */
  remove(core: Core): void {
    const place = this.#cores.indexOf(core);
    if (place >= 0) this.#cores.splice(place, 1);
  }

  /** Why no step can be made; `null` when one can. */
  check(): Problem | null {
    const count = this.#cores.length;
    if (count * (count - 1) / 2 <= MAX_PUSHING) return null;
    this.#sort();
    let [pushing, inside] = [0, 0];
    const isTooMuch = this.#meeting((one, other) => {
      if (push(one, other)) pushing++;
      return ++inside > MAX_TOUCHING || pushing > MAX_PUSHING;
    });
    if (!isTooMuch) return null;
    const others = new Map<Core, number[]>();
    const byPush = pushing > MAX_PUSHING;
    let left = byPush ? pushing : inside;
    this.#meeting((one, other) => {
      if (byPush && !push(one, other)) return false;
      for (const [a, b] of [[one, other], [other, one]] as const) {
        const ids = others.get(a) ?? [];
        ids.push(b.entity.id);
        others.set(a, ids);
      }
      return --left === 0;
    });
    return pileProblem(others, byPush ? MAX_PUSHING : MAX_TOUCHING);
  }

  /** Calls `isEnough` for pairs whose cubes meet until it returns true. @returns Whether it did. */
  #meeting(isEnough: (one: Core, other: Core) => boolean): boolean {
    const cores = this.#cores;
    const axis = this.#axis;
    let compared = 0;
    for (let i = 0; i < cores.length; i++) {
      const one = cores[i];
      if (one === undefined) continue;
      const end = one.at[axis] + one.half;
      for (let j = i + 1; j < cores.length; j++) {
        const other = cores[j];
        if (other === undefined || other.at[axis] - other.half >= end) break;
        if (++compared > MAX_COMPARED) return false;
        if (meet(one, other) && isEnough(one, other)) return true;
      }
    }
    return false;
  }

  /**
   * Sorts along the axis on which the bodies are spread widest, or nearly so; equal ones keep their
   * order.
   */
  #sort(): void {
    const spread = AXES.map((axis) => {
      let [low, high] = [Infinity, -Infinity];
      for (const { at } of this.#cores) {
        low = Math.min(low, at[axis]);
        high = Math.max(high, at[axis]);
      }
      return high - low;
    });
    for (const axis of AXES) {
      if ((spread[axis] ?? 0) > LONGER * (spread[this.#axis] ?? 0)) this.#axis = axis;
    }
    const axis = this.#axis;
    // Nearly sorted since the last step, which the engine's sort is fast on.
    this.#cores.sort((a, b) => a.at[axis] - a.half - (b.at[axis] - b.half));
  }
}

function meet({ at: [x, y, z], half }: Core, other: Core): boolean {
  const reach = half + other.half;
  return Math.abs(x - other.at[0]) < reach && Math.abs(y - other.at[1]) < reach &&
    Math.abs(z - other.at[2]) < reach;
}

function push(one: Core, other: Core): boolean {
  return (one.isDynamic || other.isDynamic) && !one.isSensor && !other.isSensor;
}

function pileProblem(others: ReadonlyMap<Core, readonly number[]>, most: number): Problem {
  const [first] = [...others].sort(([a, ofA], [b, ofB]) =>
    ofB.length - ofA.length || a.entity.id - b.entity.id
  );
  const [middle, pile] = first ?? [undefined, []];
  const ids = [...pile].sort((a, b) => a - b);
  const more = ids.length > MAX_LISTED ? ` and ${ids.length - MAX_LISTED} more` : "";
  return overload(
    `more than ${most} pairs of bodies intersect, most of them at ` +
      `"${middle?.entity.name}" (id ${middle?.entity.id}), with ids ${
        ids.slice(0, MAX_LISTED).join(", ")
      }${more}`,
    "play_control action=stop, then move them apart, give a Spawner a radius or a lower limit, or take " +
      "RigidBody or Collider off entities that need not collide",
  );
}

/** Returns why no step may follow one that ended with too many contacts; `null` if one may. */
export function touchingProblem(
  touching: number,
  most: { readonly entity: LiveEntity; readonly touches: number } | undefined,
): Problem | null {
  if (touching <= MAX_TOUCHING) return null;
  return overload(
    `${touching} pairs of bodies touch, expected at most ${MAX_TOUCHING}; ` +
      `"${most?.entity.name}" (id ${most?.entity.id}) touches ${most?.touches} others`,
    "play_control action=stop, then move bodies apart or remove unneeded Colliders",
  );
}

function overload(found: string, hint: string): Problem {
  return problem(422, "too-many-contacts", `The game was paused: ${found}`, hint);
}
