import { renderableBounds } from "../assets/renderable-bounds.ts";
import { type Bounds, placedBounds } from "../geometry/bounds.ts";
import { type Affine, type Mat3, ORIGIN, place } from "../geometry/math.ts";
import type { Vec3 } from "../types/mod.ts";
import { numberOr } from "../traits/value.ts";
import type { LiveEntity, LiveFields } from "./live-world.ts";
import type { GameContext } from "./system.ts";

/** Everything that determines boxes. */
type BoxedGame = Pick<GameContext, "world" | "assets">;

/** The cached boxes of an entity, with the values that determine them. */
interface Known {
  readonly transform: LiveFields | undefined;
  readonly collider: LiveFields | undefined;
  readonly renderable: LiveFields | undefined;
  /** The sizes of its Collider, when `own` was made of them. */
  width: number;
  height: number;
  depth: number;
  /** Its box in its own space: the same object for as long as it is the same box. */
  own: Bounds;
  /** Its box in the world, the value of `moves` at that time, and its local box. */
  box: Bounds;
  boxMoves: number;
  boxOwn: Bounds | null;
  /** The ball around it, the value of `shifts` at that time, and its local box. */
  ball: Ball;
  ballShifts: number;
  ballOwn: Bounds | null;
}

interface Ball {
  readonly middle: Vec3;
  readonly radius: number;
}

const POINT: Bounds = { min: [0, 0, 0], max: [0, 0, 0] };
const NO_BALL: Ball = { middle: [0, 0, 0], radius: 0 };
/** Maximum relative rounding error of a distance. */
const SLACK = 1e-6;

/**
 * The boxes around entities: of the Collider, otherwise of the drawn mesh, otherwise a point.
 * Cached, because most entities are at rest or far away and every rule asks for all of them in
 * every step.
 */
export class KnownBoxes {
  readonly #known = new WeakMap<LiveEntity, Known>();

  of(game: BoxedGame, entity: LiveEntity): Bounds {
    return boxOf(game, entity, this.#knownOf(entity));
  }

  /** Returns whether an entity's box intersects another box, or is at most `reach` metres away. */
  isNear(game: BoxedGame, entity: LiveEntity, box: Bounds, reach: number): boolean {
    const known = this.#knownOf(entity);
    const ball = ballOf(game, entity, known);
    return (ball === null || meets(ball, box, reach)) &&
      near(box, boxOf(game, entity, known), reach);
  }

  #knownOf(entity: LiveEntity): Known {
    let known = this.#known.get(entity);
    if (known === undefined) {
      known = begun(entity);
      this.#known.set(entity, known);
    }
    return known;
  }
}

function begun({ traits }: LiveEntity): Known {
  return {
    transform: traits["Transform"],
    collider: traits["Collider"],
    renderable: traits["Renderable3D"],
    width: NaN,
    height: NaN,
    depth: NaN,
    own: POINT,
    box: POINT,
    boxMoves: NaN,
    boxOwn: null,
    ball: NO_BALL,
    ballShifts: NaN,
    ballOwn: null,
  };
}

function boxOf({ world, assets }: BoxedGame, entity: LiveEntity, known: Known): Bounds {
  const moves = world.placeVersion(entity);
  const own = ownOf(known, assets);
  if (known.boxMoves !== moves || known.boxOwn !== own) {
    known.box = placedBounds(own, world.placeOf(entity).affine);
    known.boxMoves = moves;
    known.boxOwn = own;
  }
  return known.box;
}

/**
 * Returns a ball that contains an entity's box in any rotation, without computing its place, which
 * changes in every step of a rotating entity; `null` if there is none.
 */
function ballOf({ world, assets }: BoxedGame, entity: LiveEntity, known: Known): Ball | null {
  const { transform } = known;
  if (transform === undefined) return null;
  const shifts = world.positionVersion(entity);
  const own = ownOf(known, assets);
  if (known.ballShifts !== shifts || known.ballOwn !== own) {
    const carrier = world.carrierOf(entity);
    const above = carrier === undefined ? ORIGIN : world.placeOf(carrier).affine;
    known.ball = ballAround(own, transform, above);
    known.ballShifts = shifts;
    known.ballOwn = own;
  }
  return known.ball;
}

/** The box of an entity in its own space. */
function ownOf(known: Known, { details }: BoxedGame["assets"]): Bounds {
  const { collider, renderable } = known;
  if (collider === undefined) {
    return renderable === undefined ? POINT : renderableBounds(renderable, details) ?? POINT;
  }
  const width = numberOr(collider["width"], 1);
  const height = numberOr(collider["height"], 1);
  const depth = numberOr(collider["depth"], 1);
  if (known.width !== width || known.height !== height || known.depth !== depth) {
    known.width = width;
    known.height = height;
    known.depth = depth;
    known.own = {
      min: [-width / 2, -height / 2, -depth / 2],
      max: [width / 2, height / 2, depth / 2],
    };
  }
  return known.own;
}

function ballAround(own: Bounds, at: LiveFields, above: Affine): Ball {
  const { x, y, z, sx, sy, sz } = at;
  const middle = place(above, [numberOr(x, 0), numberOr(y, 0), numberOr(z, 0)]);
  const scale = Math.max(
    Math.abs(numberOr(sx, 1)),
    Math.abs(numberOr(sy, 1)),
    Math.abs(numberOr(sz, 1)),
  );
  const radius = stretchOf(above.linear) * scale * cornerOf(own);
  const numbers = Math.abs(middle[0]) + Math.abs(middle[1]) + Math.abs(middle[2]) + radius;
  return { middle, radius: radius + SLACK * (1 + numbers) };
}

/** Returns an upper bound of a matrix's stretch of any vector. */
function stretchOf(m: Mat3): number {
  return Math.sqrt(
    m[0] * m[0] + m[1] * m[1] + m[2] * m[2] + m[3] * m[3] + m[4] * m[4] + m[5] * m[5] +
      m[6] * m[6] + m[7] * m[7] + m[8] * m[8],
  );
}

/** Returns the distance of a box's farthest corner from the origin. */
function cornerOf({ min, max }: Bounds): number {
  const x = Math.max(Math.abs(min[0]), Math.abs(max[0]));
  const y = Math.max(Math.abs(min[1]), Math.abs(max[1]));
  const z = Math.max(Math.abs(min[2]), Math.abs(max[2]));
  return Math.sqrt(x * x + y * y + z * z);
}

/** Returns whether the box around a ball is at most `reach` away from another box. */
function meets({ middle, radius }: Ball, { min, max }: Bounds, reach: number): boolean {
  const x = middle[0], y = middle[1], z = middle[2];
  const wide = radius + reach;
  return x - wide <= max[0] && x + wide >= min[0] && y - wide <= max[1] && y + wide >= min[1] &&
    z - wide <= max[2] && z + wide >= min[2];
}

function near(a: Bounds, b: Bounds, reach: number): boolean {
  return a.min[0] - reach <= b.max[0] && b.min[0] <= a.max[0] + reach &&
    a.min[1] - reach <= b.max[1] && b.min[1] <= a.max[1] + reach &&
    a.min[2] - reach <= b.max[2] && b.min[2] <= a.max[2] + reach;
}
