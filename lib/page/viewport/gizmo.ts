import {
  add,
  type Affine,
  eulerOf,
  IDENTITY,
  invert,
  type Mat3,
  multiply,
  ORIGIN,
  rotate,
  subtract,
  transpose,
} from "../../game/geometry/mod.ts";
import { numberIn } from "../../game/traits/mod.ts";
import type { TraitFields, Vec3, ViewState } from "../../editor/ports/mod.ts";
import type { EyeRay, Pixel } from "./orbit.ts";

// The gizmos of the 3D layer: draggable lines on the screen, and the effect of a drag. Pure.

/** The camera by which a gizmo is drawn and dragged. */
export interface GizmoEye {
  project(point: Vec3): Pixel | null;
  /** Metres that one pixel is at that depth. */
  metresPerPixel(depth: number): number;
}

/** A part of a gizmo that can be dragged. */
export interface GizmoPart {
  /** `move-x`, `rotate-y`, `scale-z`, `move-xz`, `scale-all`, …, as handles are called. */
  readonly kind: string;
  readonly axis: "x" | "y" | "z" | "all";
  /** Direction in the world, of length 1; of a plane, its normal. */
  readonly along: Vec3;
  /** Pixels, in turn x and y of each point. */
  readonly line: readonly (readonly [number, number])[];
  readonly shape: "arrow" | "ring" | "plane" | "box" | "dot";
}

/** The effect of a drag on the selection. */
export type GizmoChange =
  | { readonly kind: "move"; readonly by: Vec3 }
  | { readonly kind: "turn"; readonly about: Vec3; readonly degrees: number }
  | { readonly kind: "scale"; readonly by: Vec3 };

const ARM = 84;
const RING = 72;
const RING_POINTS = 48;
const AXES = ["x", "y", "z"] as const;
const UNITS: readonly Vec3[] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
const PLANES = [["move-yz", "x"], ["move-xz", "y"], ["move-xy", "z"]] as const;

/** Returns the parts of a gizmo at a position; empty if it is behind the camera. */
export function gizmoParts(
  mode: ViewState["gizmo"]["mode"],
  at: { readonly middle: Vec3; readonly rotation: Mat3 },
  eye: GizmoEye,
): readonly GizmoPart[] {
  const middle = eye.project(at.middle);
  if (middle === null) return [];
  const size = eye.metresPerPixel(middle.depth);
  const pixelOf = (along: Vec3, pixels: number, from = at.middle) => {
    const metres = pixels * size;
    const end = eye.project(add(from, scaled(along, metres)));
    return end === null ? null : [end.x, end.y] as const;
  };
  const ways = UNITS.map((unit) => rotate(at.rotation, unit));
  const parts = ways.flatMap((along, n): GizmoPart[] => {
    const axis = AXES[n] ?? "x";
    if (mode === "rotate") {
      const line = ringAround(at.middle, along, RING * size, eye);
      return [{ kind: `rotate-${axis}`, axis, along, line, shape: "ring" }];
    }
    const end = pixelOf(along, ARM);
    if (end === null) return [];
    const line = [[middle.x, middle.y], end] as const;
    return mode === "translate"
      ? [{ kind: `move-${axis}`, axis, along, line, shape: "arrow" }]
      : [{ kind: `scale-${axis}`, axis, along, line, shape: "box" }];
  });
  if (mode === "rotate") return parts;
  const dot = { axis: "all", line: [[middle.x, middle.y]], shape: "dot" } as const;
  if (mode === "scale") {
    return [...parts, { ...dot, kind: "scale-all", along: ways[1] ?? [0, 1, 0] }];
  }
  const planes = PLANES.flatMap(([kind, axis], n): GizmoPart[] => {
    const [a, b] = [ways[(n + 1) % 3], ways[(n + 2) % 3]];
    const along = ways[n];
    if (a === undefined || b === undefined || along === undefined) return [];
    const corners = [[14, 14], [32, 14], [32, 32], [14, 32]].map(([u = 0, v = 0]) =>
      pixelOf(b, v, add(at.middle, scaled(a, u * size)))
    );
    const line = corners.filter((corner) => corner !== null);
    return line.length < 4 ? [] : [{ kind, axis, along, line, shape: "plane" }];
  });
  return [...planes, ...parts];
}

function ringAround(middle: Vec3, normal: Vec3, radius: number, eye: GizmoEye) {
  const [a, b] = acrossOf(normal);
  return Array.from({ length: RING_POINTS + 1 }, (_, n) => {
    const angle = n * 2 * Math.PI / RING_POINTS;
    const way = add(scaled(a, Math.cos(angle) * radius), scaled(b, Math.sin(angle) * radius));
    const pixel = eye.project(add(middle, way));
    return pixel === null ? null : [pixel.x, pixel.y] as const;
  }).filter((pixel) => pixel !== null);
}

/** Two ways across a way, and across each other. */
function acrossOf(normal: Vec3): readonly [Vec3, Vec3] {
  const other: Vec3 = Math.abs(normal[1]) < 0.9 ? [0, 1, 0] : [1, 0, 0];
  const a = unitOf(cross(other, normal));
  return [a, cross(normal, a)];
}

/**
 * Returns the effect of dragging a part from one ray to another; `null` if the rays do not
 * determine it.
 */
export function dragged(
  { kind, along, shape }: Pick<GizmoPart, "kind" | "along" | "shape">,
  middle: Vec3,
  { from, to, pixels }: {
    readonly from: EyeRay;
    readonly to: EyeRay;
    /** Pixels to the right and up since the start, for parts that do not use rays. */
    readonly pixels: number;
  },
): GizmoChange | null {
  switch (shape) {
    case "plane": {
      const [start, end] = [onPlane(from, middle, along), onPlane(to, middle, along)];
      return start === null || end === null ? null : { kind: "move", by: subtract(end, start) };
    }
    case "ring": {
      const [start, end] = [onPlane(from, middle, along), onPlane(to, middle, along)];
      if (start === null || end === null) {
        return { kind: "turn", about: along, degrees: pixels / 2 };
      }
      const [a, b] = acrossOf(along);
      const angle = (point: Vec3) => {
        const way = subtract(point, middle);
        return Math.atan2(dot(way, b), dot(way, a)) * 180 / Math.PI;
      };
      return { kind: "turn", about: along, degrees: wrapped(angle(end) - angle(start)) };
    }
    case "dot": {
      const factor = Math.max(0.01, 1 + pixels / ARM);
      return { kind: "scale", by: [factor, factor, factor] };
    }
    case "arrow":
    case "box": {
      const [start, end] = [alongLine(from, middle, along), alongLine(to, middle, along)];
      if (start === null || end === null) return null;
      if (shape === "arrow") return { kind: "move", by: scaled(along, end - start) };
      const factor = Math.abs(start) < 1e-9 ? 1 : end / start;
      const axis = AXES.findIndex((name) => kind.endsWith(name));
      return { kind: "scale", by: axis < 0 ? [1, 1, 1] : withFactor(axis, factor) };
    }
  }
}

function withFactor(axis: number, factor: number): Vec3 {
  return [axis === 0 ? factor : 1, axis === 1 ? factor : 1, axis === 2 ? factor : 1];
}

/**
 * Returns the effect of a change about a centre on an entity at that offset: rotating also moves it
 * around the centre.
 */
export function changesAbout(change: GizmoChange, from: Vec3): readonly GizmoChange[] {
  if (change.kind !== "turn" || Math.hypot(...from) === 0) return [change];
  const turned = rotate(turnAbout(change.about, change.degrees), from);
  return [change, { kind: "move", by: subtract(turned, from) }];
}

/** The fields of a Transform after a change. @param parent The place of its parent. */
export function changedTransform(
  transform: TraitFields | undefined,
  change: GizmoChange,
  parent: { readonly affine: Affine; readonly rotation: Mat3 } = {
    affine: ORIGIN,
    rotation: IDENTITY,
  },
  own: Mat3 = IDENTITY,
): TraitFields {
  switch (change.kind) {
    case "move": {
      const by = rotate(invert(parent.affine.linear) ?? IDENTITY, change.by);
      const at: Vec3 = [
        numberIn(transform, "x"),
        numberIn(transform, "y"),
        numberIn(transform, "z"),
      ];
      const [x, y, z] = add(at, by).map(neat);
      return { x: x ?? 0, y: y ?? 0, z: z ?? 0 };
    }
    case "turn": {
      const turnedOwn = multiply(turnAbout(change.about, change.degrees), own);
      const [rx, ry, rz] = eulerOf(multiply(transpose(parent.rotation), turnedOwn)).map(neat);
      return { rx: rx ?? 0, ry: ry ?? 0, rz: rz ?? 0 };
    }
    case "scale":
      return Object.fromEntries(
        (["sx", "sy", "sz"] as const).map((name, n) => [
          name,
          neat(numberIn(transform, name, 1) * (change.by[n] ?? 1)),
        ]),
      );
  }
}

/** Rounds a change to steps of 0.5 m, 15° or a tenth, for snapping. */
export function snapped(change: GizmoChange): GizmoChange {
  const to = (value: number, step: number) => Math.round(value / step) * step;
  switch (change.kind) {
    case "move":
      return {
        kind: "move",
        by: [to(change.by[0], 0.5), to(change.by[1], 0.5), to(change.by[2], 0.5)],
      };
    case "turn":
      return { ...change, degrees: to(change.degrees, 15) };
    case "scale":
      return {
        kind: "scale",
        by: [to(change.by[0], 0.1), to(change.by[1], 0.1), to(change.by[2], 0.1)],
      };
  }
}

/** Values of a drag as people would type them. */
function neat(value: number): number {
  return Math.round(value * 1e4) / 1e4 + 0;
}

/** The rotation about a way of length 1 (Rodrigues). */
function turnAbout([x, y, z]: Vec3, degrees: number): Mat3 {
  const [s, c] = [Math.sin(degrees * Math.PI / 180), Math.cos(degrees * Math.PI / 180)];
  const t = 1 - c;
  return [
    t * x * x + c,
    t * x * y - s * z,
    t * x * z + s * y,
    t * x * y + s * z,
    t * y * y + c,
    t * y * z - s * x,
    t * x * z - s * y,
    t * y * z + s * x,
    t * z * z + c,
  ];
}

/** Returns where a ray meets a plane; `null` if they are parallel or the plane is behind. */
function onPlane({ origin, direction }: EyeRay, point: Vec3, normal: Vec3): Vec3 | null {
  const steep = dot(direction, normal);
  if (Math.abs(steep) < 0.02) return null;
  const far = dot(subtract(point, origin), normal) / steep;
  return far < 0 ? null : add(origin, scaled(direction, far));
}

/** Returns the position along a line nearest to a ray, in metres; `null` if they are parallel. */
function alongLine({ origin, direction }: EyeRay, point: Vec3, along: Vec3): number | null {
  const between = subtract(point, origin);
  const b = dot(along, direction);
  const room = 1 - b * b;
  if (room < 1e-4) return null;
  return (b * dot(direction, between) - dot(along, between)) / room;
}

function wrapped(degrees: number): number {
  return ((degrees + 540) % 360 + 360) % 360 - 180;
}

function scaled([x, y, z]: Vec3, by: number): Vec3 {
  return [x * by, y * by, z * by];
}

function dot(a: Vec3, b: Vec3): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function cross(a: Vec3, b: Vec3): Vec3 {
  return [
    a[1] * b[2] - a[2] * b[1],
    a[2] * b[0] - a[0] * b[2],
    a[0] * b[1] - a[1] * b[0],
  ];
}

function unitOf(way: Vec3): Vec3 {
  const length = Math.hypot(...way);
  return length === 0 ? way : scaled(way, 1 / length);
}
