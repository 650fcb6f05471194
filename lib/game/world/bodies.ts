import type { Work } from "../../core/cooperative.ts";
import type { Problem } from "../../core/problem.ts";
import { flattened } from "../scene/prefab-file.ts";
import type { Entity, Vec3 } from "../types/mod.ts";
import type { GameAssets } from "./game-assets.ts";
import type { LiveEntity } from "./live-world.ts";

/** Two bodies that began or ceased to touch. */
export interface BodyTouch {
  readonly a: LiveEntity;
  readonly b: LiveEntity;
  readonly began: boolean;
  /** Whether one of them is only a sensor. */
  readonly sensor: boolean;
}

/** The bodies of a playing world. */
export interface Bodies {
  /** Gives an entity with a Collider a body. */
  add(entity: LiveEntity): void;
  /** Takes an entity's body away. */
  remove(id: number): void;
  /** Returns its velocity in metres per second; `null` if no forces move it. */
  velocityOf(id: number): Vec3 | null;
  /** Pushes a body. @returns Whether forces move it. */
  push(id: number, impulse: Vec3): boolean;
  /** Gives a body a velocity. @returns Whether forces move it. */
  setVelocity(id: number, velocity: Vec3): boolean;
  /** Why no more steps are made; `null` as long as they are. */
  readonly overload: Problem | null;
  /** Runs one step. */
  step(): readonly BodyTouch[];
  /** Frees the engine's memory; no method may be called afterwards. */
  free(): void;
}

/** Whether a scene has bodies, or may come to have some: then the physics engine is needed. */
export function* hasBodies(
  entities: readonly Entity[],
  { prefabs }: GameAssets,
): Work<boolean> {
  const isBody = ({ traits }: Pick<Entity, "traits">) => traits["Collider"] !== undefined;
  if (entities.some(isBody)) return true;
  for (const root of prefabs.values()) {
    if ((yield* flattened(root)).some(({ node }) => isBody(node))) return true;
  }
  return false;
}

/** Returns the bodies of a world without any. */
export function noBodies(): Bodies {
  return {
    add: () => {},
    remove: () => {},
    velocityOf: () => null,
    push: () => false,
    setVelocity: () => false,
    overload: null,
    step: () => [],
    free: () => {},
  };
}
