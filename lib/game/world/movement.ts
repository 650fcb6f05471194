import { exactAtan2 } from "../geometry/exact-trig.ts";
import {
  add,
  eulerOf,
  IDENTITY,
  invert,
  type Mat3,
  multiply,
  rotate,
  rotationOf,
  subtract,
  transpose,
} from "../geometry/math.ts";
import type { Vec3 } from "../types/mod.ts";
import { numberIn, numberOr, textIn, textOr } from "../traits/value.ts";
import type { LiveEntity, LiveFields, LiveWorld } from "./live-world.ts";
import { PerEntity } from "./per-entity.ts";
import { type GameContext, STEP, type System } from "./system.ts";

/** Steady turning (`Rotate`). */
export class Rotation implements System {
  readonly #turning = new PerEntity("Rotate", (entity, speed) => {
    return { entity, speed, at: entity.traits["Transform"] };
  });

  step({ world }: GameContext): void {
    for (const { entity, speed, at } of this.#turning.of(world)) {
      world.turnTo(entity, [
        turned(numberOr(at?.["rx"], 0), numberOr(speed["x"], 0)),
        turned(numberOr(at?.["ry"], 0), numberOr(speed["y"], 0)),
        turned(numberOr(at?.["rz"], 0), numberOr(speed["z"], 0)),
      ]);
    }
  }
}

function turned(angle: number, speed: number): number {
  if (speed === 0) return angle;
  const sum = angle + speed * STEP;
  return sum > -360 && sum < 360 ? sum : sum % 360; // a remainder takes longer than all else here
}

/** Moves entities steadily (`Velocity`); for a body that forces move, sets its velocity. */
export class Motion implements System {
  step({ world, physics }: GameContext): void {
    for (const entity of world.withTrait("Velocity")) {
      const fields = entity.traits["Velocity"];
      const speed: Vec3 = [numberIn(fields, "x"), numberIn(fields, "y"), numberIn(fields, "z")];
      if (!physics.setVelocity(entity.id, speed)) world.moveBy(entity, scaled(speed, STEP));
    }
  }
}

/** A patrolling entity. */
interface Walk {
  readonly entity: LiveEntity;
  readonly fields: LiveFields;
  /** Its current target; `null` before its first step. */
  goal: string | null;
  /** Its position at the start. */
  home: Vec3;
  back: boolean;
  /** Remaining steps of its pause. */
  rest: number;
}

/** Moves entities to a point and back, or on along that point's own Patrol (`Patrol`). */
export class Patrols implements System {
  readonly #walks = new PerEntity("Patrol", (entity, fields): Walk => {
    return { entity, fields, goal: null, home: NOWHERE, back: false, rest: 0 };
  });

  step({ world }: GameContext): void {
    for (const walk of this.#walks.of(world)) {
      const { entity, fields } = walk;
      const here = world.positionOf(entity);
      const goal = textOr(fields["target"]);
      if (walk.goal !== goal) {
        walk.goal = goal;
        walk.home = here;
        walk.back = false;
        walk.rest = 0;
      }
      const point = world.byGuid(goal);
      if (point === undefined) continue;
      if (walk.rest > 0) {
        walk.rest--;
        continue;
      }
      const there = walk.back ? walk.home : world.positionOf(point);
      const way = subtract(there, here);
      if (fields["faces"] === true) face(world, entity, way);
      if (!advance(world, entity, way, numberOr(fields["speed"], 0) * STEP)) continue;
      walk.rest = Math.round(numberOr(fields["wait"], 0) / STEP);
      const next = textIn(point.traits["Patrol"], "target");
      if (next === "") walk.back = !walk.back;
      else world.set(entity, ["Patrol", "target"], next);
    }
  }
}

const NOWHERE: Vec3 = [0, 0, 0];

/** Initial position of a follower relative to its target. */
interface Side {
  readonly target: string;
  /** From the target to it, of length 1. */
  readonly way: Vec3;
  /** Initial rotations of both. */
  readonly rotation: Mat3;
  readonly heading: number;
  /** Degrees that it has turned about y since. */
  yaw: number;
}

/** Keeps entities at their initial offset from another one (`Follow`). */
export class Followers implements System {
  readonly #sides = new Map<number, Side>();

  step({ world }: GameContext): void {
    for (const entity of world.withTrait("Follow")) {
      const fields = entity.traits["Follow"];
      const guid = textIn(fields, "target");
      const target = world.byGuid(guid);
      if (target === undefined || target.layer !== entity.layer) continue;
      const here = world.positionOf(entity);
      const there = world.placeOf(target);
      const known = this.#sides.get(entity.id);
      const side = known?.target === guid ? known : {
        target: guid,
        way: direction(subtract(here, there.affine.offset)),
        rotation: world.placeOf(entity).rotation,
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
      const desired = add(there.affine.offset, scaled(way, numberIn(fields, "distance")));
      shift(world, entity, scaled(subtract(desired, here), share));
    }
  }
}

const AHEAD: Vec3 = [0, 0, -1];

/** Returns the degrees about y that rotate -z to this direction. */
function headingOf(way: Vec3): number {
  return exactAtan2(-way[0], -way[2]) * 180 / Math.PI;
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

/** Sets an entity's rotation in its layer's world, whatever its ancestors' rotations. */
export function setRotation(world: LiveWorld, entity: LiveEntity, rotation: Mat3): void {
  const carrier = world.carrierOf(entity);
  const own = carrier === undefined
    ? rotation
    : multiply(transpose(world.placeOf(carrier).rotation), rotation);
  world.turnTo(entity, eulerOf(own));
}

/** A marker of another entity. */
interface Marker {
  readonly entity: LiveEntity;
  readonly fields: LiveFields;
  readonly at: LiveFields | undefined;
  /** The target's last rotation, with its heading. */
  rotation: Mat3;
  heading: number;
}

/** Shows the positions of other entities, seen from above (`MapMarker`). */
export class MapMarkers implements System {
  readonly #markers = new PerEntity("MapMarker", (entity, fields): Marker => {
    const heading = headingOf(AHEAD);
    return { entity, fields, at: entity.traits["Transform"], rotation: IDENTITY, heading };
  });

  step({ world }: Pick<GameContext, "world">): void {
    for (const marker of this.#markers.of(world)) {
      const { entity, fields, at } = marker;
      const target = world.byGuid(textOr(fields["target"]));
      if (target === undefined) continue;
      const { affine: { offset }, rotation } = world.placeOf(target);
      const scale = numberOr(fields["scale"], 1);
      world.moveTo(entity, [offset[0] * scale, offset[2] * scale, numberOr(at?.["z"], 0)]);
      if (fields["turns"] === false) continue;
      if (marker.rotation !== rotation) {
        marker.rotation = rotation;
        marker.heading = headingOf(rotate(rotation, AHEAD));
      }
      const rx = numberOr(at?.["rx"], 0);
      world.turnTo(entity, [rx, numberOr(at?.["ry"], 0), -marker.heading]);
    }
  }
}

/** Moves along a path by a stride, or by the rest of the path. @returns Whether it has arrived. */
function advance(world: LiveWorld, entity: LiveEntity, way: Vec3, stride: number): boolean {
  const distance = vectorLength(way);
  const arrives = distance <= stride;
  if (distance > 0 && stride !== 0) {
    shift(world, entity, arrives ? way : scaled(way, stride / distance));
  }
  return arrives;
}

/** Moves an entity by a way in its layer's world. */
function shift(world: LiveWorld, entity: LiveEntity, way: Vec3): void {
  const carrier = world.carrierOf(entity);
  const inverse = carrier === undefined ? null : invert(world.placeOf(carrier).affine.linear);
  const own = inverse === null ? way : rotate(inverse, way);
  world.moveBy(entity, own);
}

function scaled(vector: Vec3, factor: number): Vec3 {
  return [vector[0] * factor, vector[1] * factor, vector[2] * factor];
}

function direction(way: Vec3): Vec3 {
  const length = vectorLength(way);
  return length === 0 ? [0, 0, 1] : scaled(way, 1 / length);
}

/** Not `Math.hypot`, which engines may round differently. */
export function vectorLength(vector: Vec3): number {
  const x = vector[0], y = vector[1], z = vector[2];
  return Math.sqrt(x * x + y * y + z * z);
}
