import type { JsonValue } from "../../core/json.ts";
import { renderableBounds } from "../assets/renderable-bounds.ts";
import { type Bounds, placedBounds } from "../geometry/bounds.ts";
import { type Affine, type Mat3, ORIGIN, place } from "../geometry/math.ts";
import type { Vec3 } from "../types/mod.ts";
import { numberIn } from "../traits/value.ts";
import type { LiveEntity, LiveFields } from "./live-world.ts";
import type { GameContext } from "./system.ts";

/** What boxes follow from. */
type BoxedGame = Pick<GameContext, "world" | "assets">;

/** A box, as long as what it follows from stays as it is. */
interface KnownBox {
  readonly moves: number;
  readonly collider: LiveFields | undefined;
  readonly size: Vec3;
  readonly drawn: Bounds | undefined;
  readonly box: Bounds;
}

interface Ball {
  readonly middle: Vec3;
  readonly radius: number;
}

/** A ball, with all that it follows from but a rotation. */
interface KnownBall {
  readonly shifts: number;
  /** `null` for the box of a Collider. */
  readonly own: Bounds | null;
  readonly width: JsonValue | undefined;
  readonly height: JsonValue | undefined;
  readonly depth: JsonValue | undefined;
  readonly ball: Ball;
}

const NO_SIZE: LiveFields = {};
const POINT: Bounds = { min: [0, 0, 0], max: [0, 0, 0] };
/** What rounding may do to a distance, as a share of the numbers that it is found from. */
const SLACK = 1e-6;

/**
 * The boxes around entities: of the Collider, else of what is drawn, else a point. Most things stand
 * still or are far away, and every rule asks for all of them in every step.
 */
export class KnownBoxes {
  readonly #known = new Map<number, KnownBox>();
  readonly #balls = new Map<number, KnownBall>();

  of({ world, assets }: BoxedGame, entity: LiveEntity): Bounds {
    const { Collider: collider } = entity.traits;
    const moves = world.movesOf(entity);
    const size = sizeOf(collider);
    const drawn = drawnOf(entity, assets);
    const known = this.#known.get(entity.id);
    if (
      known !== undefined && known.moves === moves && known.collider === collider &&
      known.drawn === drawn && known.size[0] === size[0] && known.size[1] === size[1] &&
      known.size[2] === size[2]
    ) {
      return known.box;
    }
    const own = collider === undefined ? drawn ?? POINT : boxOf(size);
    const box = placedBounds(own, world.placeOf(entity).affine);
    this.#known.set(entity.id, { moves, collider, size, drawn, box });
    return box;
  }

  /** Whether an entity's box meets another box, or comes as near to it as `reach` metres. */
  isNear(game: BoxedGame, entity: LiveEntity, box: Bounds, reach: number): boolean {
    const ball = this.#ballOf(game, entity);
    return (ball === null || meets(ball, box, reach)) && near(box, this.of(game, entity), reach);
  }

  /**
   * A ball that an entity's box is in, however it is turned: found without its place, which is new in
   * every step for what turns. `null` where there is none.
   */
  #ballOf({ world, assets }: BoxedGame, entity: LiveEntity): Ball | null {
    const { Collider: collider, Transform: at } = entity.traits;
    if (at === undefined) return null;
    const shifts = world.shiftsOf(entity);
    const own = collider === undefined ? drawnOf(entity, assets) ?? POINT : null;
    const { width, height, depth } = collider ?? NO_SIZE;
    const known = this.#balls.get(entity.id);
    if (
      known !== undefined && known.shifts === shifts && known.own === own &&
      known.width === width && known.height === height && known.depth === depth
    ) {
      return known.ball;
    }
    const carrier = world.carrierOf(entity);
    const above = carrier === undefined ? ORIGIN : world.placeOf(carrier).affine;
    const ball = ballAround(own ?? boxOf(sizeOf(collider)), at, above);
    this.#balls.set(entity.id, { shifts, own, width, height, depth, ball });
    return ball;
  }
}

function ballAround(own: Bounds, at: LiveFields, above: Affine): Ball {
  const offset: Vec3 = [numberIn(at, "x"), numberIn(at, "y"), numberIn(at, "z")];
  const middle = place(above, offset);
  const scale = Math.max(
    Math.abs(numberIn(at, "sx", 1)),
    Math.abs(numberIn(at, "sy", 1)),
    Math.abs(numberIn(at, "sz", 1)),
  );
  const radius = stretchOf(above.linear) * scale * cornerOf(own);
  const numbers = Math.abs(middle[0]) + Math.abs(middle[1]) + Math.abs(middle[2]) + radius;
  return { middle, radius: radius + SLACK * (1 + numbers) };
}

/** At least as much as a matrix makes any vector longer. */
function stretchOf([a, b, c, d, e, f, g, h, i]: Mat3): number {
  return Math.sqrt(a * a + b * b + c * c + d * d + e * e + f * f + g * g + h * h + i * i);
}

/** How far the farthest corner of a box is from the origin. */
function cornerOf({ min, max }: Bounds): number {
  const x = Math.max(Math.abs(min[0]), Math.abs(max[0]));
  const y = Math.max(Math.abs(min[1]), Math.abs(max[1]));
  const z = Math.max(Math.abs(min[2]), Math.abs(max[2]));
  return Math.sqrt(x * x + y * y + z * z);
}

/** Whether the box around a ball comes so near to another box. */
function meets({ middle: [x, y, z], radius }: Ball, { min, max }: Bounds, reach: number): boolean {
  const wide = radius + reach;
  return x - wide <= max[0] && x + wide >= min[0] && y - wide <= max[1] && y + wide >= min[1] &&
    z - wide <= max[2] && z + wide >= min[2];
}

function sizeOf(collider: LiveFields | undefined): Vec3 {
  return [
    numberIn(collider, "width", 1),
    numberIn(collider, "height", 1),
    numberIn(collider, "depth", 1),
  ];
}

function boxOf([width, height, depth]: Vec3): Bounds {
  return { min: [-width / 2, -height / 2, -depth / 2], max: [width / 2, height / 2, depth / 2] };
}

/** The box around what is drawn of an entity that has no Collider. */
function drawnOf(
  { traits: { Collider: collider, Renderable3D: renderable } }: LiveEntity,
  { details }: BoxedGame["assets"],
): Bounds | undefined {
  if (collider !== undefined || renderable === undefined) return undefined;
  return renderableBounds(renderable, details);
}

function near(a: Bounds, b: Bounds, reach: number): boolean {
  return a.min[0] - reach <= b.max[0] && b.min[0] <= a.max[0] + reach &&
    a.min[1] - reach <= b.max[1] && b.min[1] <= a.max[1] + reach &&
    a.min[2] - reach <= b.max[2] && b.min[2] <= a.max[2] + reach;
}
