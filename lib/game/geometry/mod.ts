export { type Bounds, placedBounds, unitedBounds } from "./bounds.ts";
export {
  add,
  type Affine,
  eulerOf,
  IDENTITY,
  invert,
  type Mat3,
  matrixOf,
  multiply,
  ORIGIN,
  place,
  rotate,
  rotationOf,
  scaleColumns,
  subtract,
  transpose,
} from "./math.ts";
export { MAX_CLOUD_POINTS, PointCloud } from "./point-cloud.ts";
export { primitiveBounds } from "./primitive-bounds.ts";
