import type { Work } from "../../core/cooperative.ts";
import type { Boxes } from "./boxes.ts";
import { sortedOrder } from "./sorted-order.ts";

/** Children of one node. */
const FAN = 16;

/**
 * Finds which of many rectangles share an area with one of them, without trying all: a tree of
 * rectangles around neighbours, packed once (Leutenegger, "STR: A Simple and Efficient Algorithm for
 * R-Tree Packing", 1997).
 */
export class BoxTree {
  readonly #boxes: Boxes;
  /** The members, with neighbours next to each other. */
  readonly #packed: Uint32Array;
  /**
   * Rectangles around each 16 of the level before, from those around boxes to the one around
   * everything.
   */
  readonly #levels: readonly Boxes[];

  private constructor(boxes: Boxes, packed: Uint32Array, levels: readonly Boxes[]) {
    this.#boxes = boxes;
    this.#packed = packed;
    this.#levels = levels;
  }

  /** @param members The indices of the boxes that can be found. */
  static *of(boxes: Boxes, members: Uint32Array): Work<BoxTree> {
    const packed = yield* pack(boxes, members);
    const levels: Boxes[] = [];
    let above = around(boxes, packed);
    levels.push(above);
    while (above.left.length > 1) {
      yield;
      above = around(above, Uint32Array.from(above.left.keys()));
      levels.push(above);
    }
    return new BoxTree(boxes, packed, levels);
  }

  /**
   * Returns the members that share an area with box `index`, including itself if it is one,
   * unordered.
   */
  meeting(index: number): number[] {
    const found: number[] = [];
    this.#visit(this.#levels.length - 1, 0, { index, found });
    return found;
  }

  #visit(level: number, first: number, search: Search): void {
    const boxes = this.#levels[level];
    if (boxes === undefined) return this.#collect(first, search);
    const end = Math.min(boxes.left.length, first + FAN);
    for (let node = first; node < end; node++) {
      if (this.#meets(boxes, node, search.index)) this.#visit(level - 1, node * FAN, search);
    }
  }

  #collect(first: number, { index, found }: Search): void {
    const end = Math.min(this.#packed.length, first + FAN);
    for (let at = first; at < end; at++) {
      const box = this.#packed[at] ?? 0;
      if (this.#meets(this.#boxes, box, index)) found.push(box);
    }
  }

  /** Whether something shares an area with one of the boxes. */
  #meets({ left, top, right, bottom }: Boxes, at: number, index: number): boolean {
    const box = this.#boxes;
    return (left[at] ?? 0) < (box.right[index] ?? 0) && (box.left[index] ?? 0) < (right[at] ?? 0) &&
      (top[at] ?? 0) < (box.bottom[index] ?? 0) && (box.top[index] ?? 0) < (bottom[at] ?? 0);
  }
}

interface Search {
  readonly index: number;
  readonly found: number[];
}

/** Upright strips of equally many members, and in each strip from top to bottom. */
function* pack({ left, top, right, bottom }: Boxes, members: Uint32Array): Work<Uint32Array> {
  const packed = new Uint32Array(members.length);
  const across = yield* ordered(members, (i) => (left[i] ?? 0) / 2 + (right[i] ?? 0) / 2);
  const strip = FAN * Math.max(1, Math.ceil(Math.sqrt(members.length / FAN)));
  for (let start = 0; start < members.length; start += strip) {
    const inStrip = across.subarray(start, start + strip);
    packed.set(yield* ordered(inStrip, (i) => (top[i] ?? 0) / 2 + (bottom[i] ?? 0) / 2), start);
  }
  return packed;
}

function* ordered(
  members: Uint32Array,
  keyOf: (member: number) => number,
): Work<Uint32Array> {
  const { order } = yield* sortedOrder(Float64Array.from(members, keyOf));
  return order.map((place) => members[place] ?? 0);
}

/** The rectangles around each {@linkcode FAN} boxes, in the given order. */
function around(boxes: Boxes, order: Uint32Array): Boxes {
  const nodes = Math.ceil(order.length / FAN);
  const left = new Float64Array(nodes).fill(Infinity);
  const top = new Float64Array(nodes).fill(Infinity);
  const right = new Float64Array(nodes).fill(-Infinity);
  const bottom = new Float64Array(nodes).fill(-Infinity);
  for (const [place, box] of order.entries()) {
    const node = Math.floor(place / FAN);
    left[node] = Math.min(left[node] ?? 0, boxes.left[box] ?? 0);
    top[node] = Math.min(top[node] ?? 0, boxes.top[box] ?? 0);
    right[node] = Math.max(right[node] ?? 0, boxes.right[box] ?? 0);
    bottom[node] = Math.max(bottom[node] ?? 0, boxes.bottom[box] ?? 0);
  }
  return { left, top, right, bottom };
}
