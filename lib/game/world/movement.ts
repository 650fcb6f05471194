import { add, invert, rotate, subtract } from "../geometry/math.ts";
import type { Vec3 } from "../types/mod.ts";
import { numberIn, textIn } from "../traits/value.ts";
import type { LiveEntity, LiveWorld } from "./live-world.ts";
import { type GameContext, STEP, type System } from "./system.ts";

/** Steady turning (`Rotate`). */
export class Rotation implements System {
  step({ world }: GameContext): void {
    for (const entity of world.having("Rotate")) {
      const { Rotate: speed, Transform: at } = entity.traits;
      world.move(entity, {
        rx: turned(numberIn(at, "rx"), numberIn(speed, "x")),
        ry: turned(numberIn(at, "ry"), numberIn(speed, "y")),
        rz: turned(numberIn(at, "rz"), numberIn(speed, "z")),
      });
    }
  }
}

function turned(angle: number, speed: number): number {
  return speed === 0 ? angle : (angle + speed * STEP) % 360;
}

/** Steady moving (`Velocity`); of what forces move it is the velocity that they find. */
export class Motion implements System {
  step({ world, physics }: GameContext): void {
    for (const entity of world.having("Velocity")) {
      const speed = vectorIn(entity, "Velocity");
      if (physics.setVelocity(entity.id, speed)) continue;
      const [x, y, z] = add(vectorIn(entity, "Transform"), scaled(speed, STEP));
      world.move(entity, { x, y, z });
    }
  }
}

/** Walking to a point and back, or on to where that point's own Patrol leads (`Patrol`). */
export class Patrols implements System {
  readonly #walks = new Map<number, { goal: string; home: Vec3; back: boolean; rest: number }>();

  step({ world }: GameContext): void {
    for (const entity of world.having("Patrol")) {
      const fields = entity.traits["Patrol"];
      const here = world.placeOf(entity).affine.offset;
      const goal = textIn(fields, "target");
      const known = this.#walks.get(entity.id);
      const walk = known?.goal === goal ? known : { goal, home: here, back: false, rest: 0 };
      this.#walks.set(entity.id, walk);
      const point = world.byGuid(goal);
      if (point === undefined) continue;
      if (walk.rest > 0) {
        walk.rest--;
        continue;
      }
      const there = walk.back ? walk.home : world.placeOf(point).affine.offset;
      if (!approach(world, entity, there, numberIn(fields, "speed") * STEP)) continue;
      walk.rest = Math.round(numberIn(fields, "wait") / STEP);
      const next = textIn(point.traits["Patrol"], "target");
      if (next === "") walk.back = !walk.back;
      else world.set(entity, ["Patrol", "target"], next);
    }
  }
}

/** Keeping to another one, from the side where it stood at first (`Follow`). */
export class Followers implements System {
  readonly #sides = new Map<number, { target: string; side: Vec3 }>();

  step({ world }: GameContext): void {
    for (const entity of world.having("Follow")) {
      const fields = entity.traits["Follow"];
      const guid = textIn(fields, "target");
      const target = world.byGuid(guid);
      if (target === undefined || target.layer !== entity.layer) continue;
      const here = world.placeOf(entity).affine.offset;
      const there = world.placeOf(target).affine.offset;
      const known = this.#sides.get(entity.id);
      const side = known?.target === guid ? known.side : direction(subtract(here, there));
      this.#sides.set(entity.id, { target: guid, side });
      const wanted = add(there, scaled(side, numberIn(fields, "distance")));
      const way = scaled(subtract(wanted, here), 1 - numberIn(fields, "damping"));
      shift(world, entity, way);
    }
  }
}

/** @returns Whether it is there. */
function approach(world: LiveWorld, entity: LiveEntity, there: Vec3, stride: number): boolean {
  const way = subtract(there, world.placeOf(entity).affine.offset);
  const distance = lengthOf(way);
  const arrives = distance <= stride;
  if (distance > 0) shift(world, entity, arrives ? way : scaled(way, stride / distance));
  return arrives;
}

/** Moves an entity by a way in its layer's world. */
function shift(world: LiveWorld, entity: LiveEntity, way: Vec3): void {
  const carrier = world.carrierOf(entity);
  const inverse = carrier === undefined ? null : invert(world.placeOf(carrier).affine.linear);
  const own = inverse === null ? way : rotate(inverse, way);
  const [x, y, z] = add(vectorIn(entity, "Transform"), own);
  world.move(entity, { x, y, z });
}

function vectorIn({ traits }: LiveEntity, trait: string): Vec3 {
  const fields = traits[trait];
  return [numberIn(fields, "x"), numberIn(fields, "y"), numberIn(fields, "z")];
}

function scaled([x, y, z]: Vec3, factor: number): Vec3 {
  return [x * factor, y * factor, z * factor];
}

function direction(way: Vec3): Vec3 {
  const length = lengthOf(way);
  return length === 0 ? [0, 0, 1] : scaled(way, 1 / length);
}

/** Not `Math.hypot`: engines may round it differently. */
export function lengthOf([x, y, z]: Vec3): number {
  return Math.sqrt(x * x + y * y + z * z);
}
