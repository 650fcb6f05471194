import {
  type Animation,
  type Document,
  Logger,
  type Node,
  Verbosity,
  WebIO,
} from "@gltf-transform/core";

// What a glTF file means at a time, worked out without any of the project's code: glTF Transform reads
// the numbers, the rest follows glTF 2.0, appendix C, word by word.

/** A matrix of 16 numbers, column by column. */
export type Matrix = readonly number[];

/** A node at a time. */
export interface Pose {
  translation: readonly number[];
  rotation: readonly number[];
  scale: readonly number[];
  weights: readonly number[];
}

/** Reads a GLB. */
export function read(bytes: Uint8Array): Promise<Document> {
  return new WebIO().setLogger(new Logger(Verbosity.SILENT)).readBinary(bytes);
}

/** Every node as an animation has it at a time; those that it does not move as the file has them. */
export function posesAt(document: Document, animation: Animation | null, t: number) {
  const poses = new Map<Node, Pose>(
    document.getRoot().listNodes().map((node) => [node, {
      translation: node.getTranslation(),
      rotation: node.getRotation(),
      scale: node.getScale(),
      weights: node.getWeights().length > 0
        ? node.getWeights()
        : node.getMesh()?.getWeights() ?? [],
    }]),
  );
  for (const channel of animation?.listChannels() ?? []) {
    const [node, sampler, path] = [
      channel.getTargetNode(),
      channel.getSampler(),
      channel.getTargetPath(),
    ];
    const pose = node === null ? undefined : poses.get(node);
    const [input, output] = [sampler?.getInput(), sampler?.getOutput()];
    if (pose === undefined || path === null || !input || !output) continue;
    const kind = sampler?.getInterpolation() ?? "LINEAR";
    const count = input.getCount();
    const perKey = kind === "CUBICSPLINE" ? 3 : 1;
    const size = path === "weights" ? output.getCount() / (count * perKey) : 1;
    const group = (index: number) =>
      Array.from({ length: size }, (_none, at) => output.getElement(index * size + at, [])).flat();
    const value = (key: number) => group(kind === "CUBICSPLINE" ? key * 3 + 1 : key);
    const times = Array.from({ length: count }, (_none, key) => input.getScalar(key));
    let next = times.findIndex((time) => time > t);
    if (next < 0) next = count;
    if (next === 0 || next === count) {
      pose[path] = value(next === 0 ? 0 : count - 1);
    } else {
      const [k, td] = [next - 1, (times[next] ?? 0) - (times[next - 1] ?? 0)];
      const u = (t - (times[k] ?? 0)) / td;
      const [a, b] = [value(k), value(next)];
      if (kind === "STEP") pose[path] = a;
      else if (kind === "CUBICSPLINE") {
        const [out, into] = [group(k * 3 + 2), group(next * 3)];
        pose[path] = a.map((from, i) =>
          (2 * u ** 3 - 3 * u ** 2 + 1) * from + td * (u ** 3 - 2 * u ** 2 + u) * (out[i] ?? 0) +
          (-2 * u ** 3 + 3 * u ** 2) * (b[i] ?? 0) + td * (u ** 3 - u ** 2) * (into[i] ?? 0)
        );
      } else if (path === "rotation") pose[path] = sphere(a, b, u);
      else pose[path] = a.map((from, i) => (1 - u) * from + u * (b[i] ?? 0));
    }
    if (path === "rotation") {
      const length = Math.hypot(...pose[path]);
      pose[path] = pose[path].map((part) => part / length);
    }
  }
  return poses;
}

function sphere(from: readonly number[], to: readonly number[], u: number): readonly number[] {
  const d = from.reduce((sum, part, i) => sum + part * (to[i] ?? 0), 0);
  const [a, s] = [Math.acos(Math.min(1, Math.abs(d))), d < 0 ? -1 : 1];
  if (a < 1e-4) return from.map((part, i) => (1 - u) * part + u * s * (to[i] ?? 0));
  return from.map((part, i) =>
    Math.sin(a * (1 - u)) / Math.sin(a) * part + s * Math.sin(a * u) / Math.sin(a) * (to[i] ?? 0)
  );
}

/** Where a node is in the world. */
export function worldOf(node: Node, poses: ReadonlyMap<Node, Pose>): Matrix {
  const own = matrixOf(poses.get(node));
  const parent = node.getParentNode();
  return parent === null ? own : times(worldOf(parent, poses), own);
}

function matrixOf(pose: Pose | undefined): Matrix {
  const [x = 0, y = 0, z = 0, w = 1] = pose?.rotation ?? [];
  const [sx = 1, sy = 1, sz = 1] = pose?.scale ?? [];
  const [tx = 0, ty = 0, tz = 0] = pose?.translation ?? [];
  return [
    (1 - 2 * (y * y + z * z)) * sx,
    2 * (x * y + z * w) * sx,
    2 * (x * z - y * w) * sx,
    0,
    2 * (x * y - z * w) * sy,
    (1 - 2 * (x * x + z * z)) * sy,
    2 * (y * z + x * w) * sy,
    0,
    2 * (x * z + y * w) * sz,
    2 * (y * z - x * w) * sz,
    (1 - 2 * (x * x + y * y)) * sz,
    0,
    tx,
    ty,
    tz,
    1,
  ];
}

/** a·b. */
export function times(a: Matrix, b: Matrix): Matrix {
  return Array.from({ length: 16 }, (_none, place) => {
    const [column, row] = [Math.floor(place / 4), place % 4];
    return [0, 1, 2, 3].reduce(
      (sum, k) => sum + (a[k * 4 + row] ?? 0) * (b[column * 4 + k] ?? 0),
      0,
    );
  });
}

/** How far two lists of numbers are apart, at most. */
export function apart(a: readonly number[], b: readonly number[]): number {
  return a.reduce((most, value, i) => Math.max(most, Math.abs(value - (b[i] ?? NaN))), 0);
}
