import { exactAtan2 } from "../geometry/exact-trig.ts";
import {
  add,
  eulerOf,
  invert,
  type Mat3,
  multiply,
  rotate,
  rotationOf,
  subtract,
  transpose,
} from "../geometry/math.ts";
import type { Vec3 } from "../types/mod.ts";
import { isOn, numberIn, textIn } from "../traits/value.ts";
import type { LiveEntity, LiveWorld } from "./live-world.ts";
import { type GameContext, STEP, type System } from "./system.ts";

/** Steady turning (`Rotate`). */
export class Rotation implements System {
  step({ world }: GameContext): void {
    for (const entity of world.having("Rotate")) {
      const { Rotate: speed, Transform: at } = entity.traits;
      world.turnTo(entity, [
        turned(numberIn(at, "rx"), numberIn(speed, "x")),
        turned(numberIn(at, "ry"), numberIn(speed, "y")),
        turned(numberIn(at, "rz"), numberIn(speed, "z")),
      ]);
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
      world.moveTo(entity, add(vectorIn(entity, "Transform"), scaled(speed, STEP)));
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
      const way = subtract(there, here);
      if (fields?.["faces"] === true) face(world, entity, way);
      if (!advance(world, entity, way, numberIn(fields, "speed") * STEP)) continue;
      walk.rest = Math.round(numberIn(fields, "wait") / STEP);
      const next = textIn(point.traits["Patrol"], "target");
      if (next === "") walk.back = !walk.back;
      else world.set(entity, ["Patrol", "target"], next);
    }
  }
}

/** Where one that follows stood at first. */
interface Side {
  readonly target: string;
  /** From the target to it, of length 1. */
  readonly way: Vec3;
  /** How both were turned. */
  readonly rotation: Mat3;
  readonly heading: number;
  /** Degrees that it has turned about y since. */
  yaw: number;
}

/** Keeping to another one, from the side where it stood at first (`Follow`). */
export class Followers implements System {
  readonly #sides = new Map<number, Side>();

  step({ world }: GameContext): void {
    for (const entity of world.having("Follow")) {
      const fields = entity.traits["Follow"];
      const guid = textIn(fields, "target");
      const target = world.byGuid(guid);
      if (target === undefined || target.layer !== entity.layer) continue;
      const here = world.placeOf(entity);
      const there = world.placeOf(target);
      const offset = subtract(here.affine.offset, there.affine.offset);
      const known = this.#sides.get(entity.id);
      const side = known?.target === guid ? known : {
        target: guid,
        way: direction(offset),
        rotation: here.rotation,
        heading: headingOf(rotate(there.rotation, AHEAD)),
        yaw: 0,
      };
      this.#sides.set(entity.id, side);
      const share = 1 - numberIn(fields, "damping");
      let way = side.way;
      if (fields?.["turns"] === true) {
        const heading = headingOf(rotate(there.rotation, AHEAD));
        side.yaw += halfTurn(heading - side.heading - side.yaw) * share;
        const turned = rotationOf([0, side.yaw, 0]);
        way = rotate(turned, way);
        setRotation(world, entity, multiply(turned, side.rotation));
      }
      const wanted = add(there.affine.offset, scaled(way, numberIn(fields, "distance")));
      shift(world, entity, scaled(subtract(wanted, here.affine.offset), share));
    }
  }
}

const AHEAD: Vec3 = [0, 0, -1];

/** Degrees about y that turn -z to where this points. */
function headingOf([x, _y, z]: Vec3): number {
  return exactAtan2(-x, -z) * 180 / Math.PI;
}

/** The same angle between -180 and 180 degrees. */
function halfTurn(angle: number): number {
  return angle - 360 * Math.round(angle / 360);
}

/** Turns an entity about y until its own -z looks that way. */
function face(world: LiveWorld, entity: LiveEntity, way: Vec3): void {
  if (way[0] === 0 && way[2] === 0) return;
  setRotation(world, entity, rotationOf([0, headingOf(way), 0]));
}

/** Turns an entity so in its layer's world, whatever turns it from above. */
export function setRotation(world: LiveWorld, entity: LiveEntity, rotation: Mat3): void {
  const carrier = world.carrierOf(entity);
  const own = carrier === undefined
    ? rotation
    : multiply(transpose(world.placeOf(carrier).rotation), rotation);
  world.turnTo(entity, eulerOf(own));
}

/** Where others are, seen from above (`MapMarker`). */
export class MapMarkers implements System {
  step({ world }: GameContext): void {
    for (const entity of world.having("MapMarker")) {
      const fields = entity.traits["MapMarker"];
      const target = world.byGuid(textIn(fields, "target"));
      if (target === undefined) continue;
      const { affine: { offset: [x, _y, z] }, rotation } = world.placeOf(target);
      const scale = numberIn(fields, "scale", 1);
      const { Transform: at } = entity.traits;
      world.moveTo(entity, [x * scale, z * scale, numberIn(at, "z")]);
      if (isOn(fields, "turns")) {
        const heading = headingOf(rotate(rotation, AHEAD));
        world.turnTo(entity, [numberIn(at, "rx"), numberIn(at, "ry"), -heading]);
      }
    }
  }
}

/** Goes a stride of a way, or all that is left of it. @returns Whether it is there. */
function advance(world: LiveWorld, entity: LiveEntity, way: Vec3, stride: number): boolean {
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
  world.moveTo(entity, add(vectorIn(entity, "Transform"), own));
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
