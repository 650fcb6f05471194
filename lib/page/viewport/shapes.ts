import { type Affine, place, rotate } from "../../game/geometry/mod.ts";
import { numberIn, textIn } from "../../game/traits/mod.ts";
import type { WorldPlace } from "../../game/scene/mod.ts";
import type { Entity, TraitFields, Vec3 } from "../../editor/ports/mod.ts";

// Outlines of an entity's invisible parts: colliders, light ranges, camera frustums. Pure; in world
// coordinates.

/** A point on an outline that drags a field. */
export interface ShapeHandle {
  readonly trait: string;
  readonly field: string;
  readonly value: number;
  readonly at: Vec3;
  /** The way that it is dragged, of length 1. */
  readonly along: Vec3;
  /** Change of the field per metre. */
  readonly perMetre: number;
}

/** A shape. */
export interface OverlayShape {
  readonly kind: "collider" | "light" | "camera";
  readonly lines: readonly (readonly Vec3[])[];
  readonly handles: readonly ShapeHandle[];
}

const ROUND_POINTS = 40;
const X: Vec3 = [1, 0, 0];
const Y: Vec3 = [0, 1, 0];
const Z: Vec3 = [0, 0, 1];
/** Length of a drawn camera pyramid, in metres. */
const CAMERA_REACH = 4;

/** The shapes of an entity of the 3D layer. */
export function shapesOf({ traits }: Entity, at: WorldPlace): readonly OverlayShape[] {
  const { Collider, Light, Camera } = traits;
  return [
    ...(Collider === undefined ? [] : colliderShape(Collider, at.affine)),
    ...(Light === undefined ? [] : lightShape(Light, at)),
    ...(Camera === undefined ? [] : [cameraShape(Camera, at)]),
  ];
}

function colliderShape(fields: TraitFields, affine: Affine): readonly OverlayShape[] {
  const shape = textIn(fields, "shape") || "box";
  if (shape === "mesh") return []; // equals the drawn mesh
  const [w, h, d] = [
    numberIn(fields, "width", 1),
    numberIn(fields, "height", 1),
    numberIn(fields, "depth", 1),
  ];
  const world = (line: readonly Vec3[]) => line.map((point) => place(affine, point));
  const handle = (field: string, value: number, way: Vec3): ShapeHandle => {
    const out = rotate(affine.linear, way);
    const scale = Math.hypot(...out) || 1;
    return {
      trait: "Collider",
      field,
      value,
      at: place(affine, scaled(way, value / 2)),
      along: scaled(out, 1 / scale),
      perMetre: 2 / scale,
    };
  };
  const across = handle("width", w, X);
  const upward = handle("height", h, Y);
  const [r, half] = [w / 2, h / 2];
  const lines = {
    box: [
      ...[-1, 1].map((y) => loopOf([-1, 1], (a, b) => [a * w / 2, y * h / 2, b * d / 2])),
      ...[-1, 1].map((x) => loopOf([-1, 1], (a, b) => [x * w / 2, a * h / 2, b * d / 2])),
    ],
    sphere: [circle([0, 0, 0], X, Y, r), circle([0, 0, 0], X, Z, r), circle([0, 0, 0], Y, Z, r)],
    cylinder: [
      ...[-half, half].map((y) => circle([0, y, 0], X, Z, r)),
      ...[[r, 0], [-r, 0], [0, r], [0, -r]].map(([x = 0, z = 0]): Vec3[] => [
        [x, -half, z],
        [x, half, z],
      ]),
    ],
  };
  const isBox = shape === "box";
  return [{
    kind: "collider",
    lines: (isBox ? lines.box : shape === "sphere" ? lines.sphere : lines.cylinder).map(world),
    handles: isBox
      ? [across, upward, handle("depth", d, Z)]
      : shape === "sphere"
      ? [across]
      : [across, upward],
  }];
}

function lightShape(fields: TraitFields, { affine: { offset }, rotation }: WorldPlace) {
  const kind = textIn(fields, "kind") || "directional";
  const range = numberIn(fields, "range", 10);
  const ahead = rotate(rotation, [0, 0, -1]);
  const [right, up] = [rotate(rotation, X), rotate(rotation, Y)];
  const reach: ShapeHandle = {
    trait: "Light",
    field: "range",
    value: range,
    at: along(offset, kind === "spot" ? ahead : X, range),
    along: kind === "spot" ? ahead : X,
    perMetre: 1,
  };
  switch (kind) {
    case "point": {
      const lines = [
        circle(offset, X, Y, range),
        circle(offset, X, Z, range),
        circle(offset, Y, Z, range),
      ];
      return [{ kind: "light", lines, handles: [reach] }] as const;
    }
    case "spot": {
      const opening = Math.min(85, numberIn(fields, "angle", 45) / 2) * Math.PI / 180;
      const edge = circle(reach.at, right, up, range * Math.tan(opening));
      const rays = [0, 10, 20, 30].map((n) => [offset, edge[n] ?? offset]);
      return [{ kind: "light", lines: [edge, ...rays], handles: [reach] }] as const;
    }
    case "directional":
      return [{ kind: "light", lines: [[offset, along(offset, ahead, 3)]], handles: [] }] as const;
    default:
      return [];
  }
}

function cameraShape(
  fields: TraitFields,
  { affine: { offset }, rotation }: WorldPlace,
): OverlayShape {
  const isFlat = textIn(fields, "projection") === "orthographic";
  const half = isFlat
    ? numberIn(fields, "size", 10) / 2
    : Math.tan(numberIn(fields, "fov", 60) * Math.PI / 360) * CAMERA_REACH;
  const wide = half * 16 / 9;
  const at = (x: number, y: number, z: number): Vec3 => {
    const [a, b, c] = rotate(rotation, [x, y, z]);
    return [offset[0] + a, offset[1] + b, offset[2] + c];
  };
  const far = loopOf([-1, 1], (a, b) => at(a * wide, b * half, -CAMERA_REACH));
  const rays = far.slice(0, 4).map((corner, n) => {
    const [a, b] = [[-1, -1], [-1, 1], [1, 1], [1, -1]][n] ?? [0, 0];
    return [isFlat ? at((a ?? 0) * wide, (b ?? 0) * half, 0) : offset, corner];
  });
  return { kind: "camera", lines: [far, ...rays], handles: [] };
}

/** Returns a closed line through the four corners of a rectangle. */
function loopOf(
  [low, high]: readonly [number, number],
  corner: (a: number, b: number) => Vec3,
): readonly Vec3[] {
  return [
    corner(low, low),
    corner(low, high),
    corner(high, high),
    corner(high, low),
    corner(low, low),
  ];
}

function circle(middle: Vec3, a: Vec3, b: Vec3, radius: number): readonly Vec3[] {
  return Array.from({ length: ROUND_POINTS + 1 }, (_, n) => {
    const angle = n * 2 * Math.PI / ROUND_POINTS;
    return along(along(middle, a, Math.cos(angle) * radius), b, Math.sin(angle) * radius);
  });
}

function along([x, y, z]: Vec3, [a, b, c]: Vec3, metres: number): Vec3 {
  return [x + a * metres, y + b * metres, z + c * metres];
}

function scaled([x, y, z]: Vec3, by: number): Vec3 {
  return [x * by, y * by, z * by];
}
