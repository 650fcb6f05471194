import type { Work } from "../../core/cooperative.ts";
import type { Bounds } from "./bounds.ts";
import type { Affine } from "./math.ts";

/** Maximum points of a cloud: a point's index and its sort key share one number. */
export const MAX_CLOUD_POINTS = 1_000_000;
const PLACE_BITS = 2 ** 21;
/** Points of a block. */
const BLOCK = 64;
/** Steps of an axis in a code. */
const CELLS = 1024;
/** Points between two turns of others. */
const PIECE = 8_192;

/**
 * The vertices of a mesh, for exact boxes around it in any rotation. Neighbouring points share a
 * block; a block is searched only if its box reaches beyond the extent found so far.
 */
export class PointCloud {
  /** x, y, z of each point, block after block. */
  readonly #points: Float64Array;
  /** Smallest and largest x, y, z of each block. */
  readonly #boxes: Float64Array;

  private constructor(points: Float64Array, boxes: Float64Array) {
    this.#points = points;
    this.#boxes = boxes;
  }

  /** @param points x, y, z of at least one and at most {@linkcode MAX_CLOUD_POINTS} points. */
  static *of(points: Float64Array): Work<PointCloud> {
    const order = yield* neighboursFirst(points);
    const sorted = new Float64Array(points.length);
    const boxes = new Float64Array(Math.ceil(order.length / BLOCK) * 6);
    for (let place = 0; place < order.length; place++) {
      const from = (order[place] ?? 0) * 3;
      const box = Math.floor(place / BLOCK) * 6;
      for (let axis = 0; axis < 3; axis++) {
        const value = points[from + axis] ?? 0;
        sorted[place * 3 + axis] = value;
        const isFirst = place % BLOCK === 0;
        const [low, high] = [boxes[box + axis] ?? 0, boxes[box + 3 + axis] ?? 0];
        boxes[box + axis] = isFirst ? value : Math.min(low, value);
        boxes[box + 3 + axis] = isFirst ? value : Math.max(high, value);
      }
      if (place % PIECE === PIECE - 1) yield;
    }
    return new PointCloud(sorted, boxes);
  }

  /** Blocks of points: a box looks at each of them. */
  get blocks(): number {
    return this.#boxes.length / 6;
  }

  /** The box around all points, taken somewhere: as it is when each is transformed. */
  boundsAt({ linear: [a, b, c, d, e, f, g, h, i], offset: [x, y, z] }: Affine): Bounds {
    return {
      min: [
        x - this.#farthest(-a, -b, -c),
        y - this.#farthest(-d, -e, -f),
        z - this.#farthest(-g, -h, -i),
      ],
      max: [
        x + this.#farthest(a, b, c),
        y + this.#farthest(d, e, f),
        z + this.#farthest(g, h, i),
      ],
    };
  }

  /** Returns how far the points extend in a direction. */
  #farthest(dx: number, dy: number, dz: number): number {
    const [points, boxes] = [this.#points, this.#boxes];
    // The corner of a box farthest in a direction: each coordinate is its minimum or maximum, by
    // the sign of the direction.
    const [px, py, pz] = [dx < 0 ? 0 : 3, dy < 0 ? 1 : 4, dz < 0 ? 2 : 5];
    let farthest = -Infinity;
    for (let box = 0, first = 0; box < boxes.length; box += 6, first += BLOCK * 3) {
      const reach = dx * (boxes[box + px] ?? 0) + dy * (boxes[box + py] ?? 0) +
        dz * (boxes[box + pz] ?? 0);
      // Rounding keeps the order of sums, so no point of the block is beyond this.
      if (reach <= farthest) continue;
      const end = Math.min(points.length, first + BLOCK * 3);
      for (let at = first; at < end; at += 3) {
        const found = dx * (points[at] ?? 0) + dy * (points[at + 1] ?? 0) +
          dz * (points[at + 2] ?? 0);
        if (found > farthest) farthest = found;
      }
    }
    return farthest;
  }
}

/** The points along a curve that keeps neighbours together (Morton, 1966). */
function* neighboursFirst(points: Float64Array): Work<Uint32Array> {
  const count = points.length / 3;
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let at = 0; at < points.length; at++) {
    const value = points[at] ?? 0;
    const axis = at % 3;
    if (value < (low[axis] ?? 0)) low[axis] = value;
    if (value > (high[axis] ?? 0)) high[axis] = value;
  }
  yield;
  const scale = low.map((least, axis) => (CELLS - 1) / ((high[axis] ?? 0) - least || 1));
  const cell = (at: number, axis: number) =>
    spread(Math.floor(((points[at + axis] ?? 0) - (low[axis] ?? 0)) * (scale[axis] ?? 0)));
  const codes = new Float64Array(count);
  for (let place = 0; place < count; place++) {
    const at = place * 3;
    const code = cell(at, 0) + 2 * cell(at, 1) + 4 * cell(at, 2);
    codes[place] = code * PLACE_BITS + place;
    if (place % PIECE === PIECE - 1) yield;
  }
  codes.sort();
  yield;
  return Uint32Array.from(codes, (code) => code % PLACE_BITS);
}

/** The ten bits of a number with two others between each. */
function spread(bits: number): number {
  let spaced = bits & (CELLS - 1);
  spaced = (spaced | spaced << 16) & 0x030000ff;
  spaced = (spaced | spaced << 8) & 0x0300f00f;
  spaced = (spaced | spaced << 4) & 0x030c30c3;
  return (spaced | spaced << 2) & 0x09249249;
}
