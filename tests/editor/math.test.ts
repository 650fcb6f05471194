import assert from "node:assert/strict";
import { test } from "node:test";
import {
  IDENTITY,
  invert,
  type Mat3,
  multiply,
  rotationOf,
  scaleColumns,
} from "../../lib/game/geometry/math.ts";

const MATRICES: readonly (readonly [string, Mat3, boolean])[] = [
  ["nothing", IDENTITY, true],
  ["a turn", rotationOf([20, -70, 130]), true],
  ["an uneven scale of a turn", scaleColumns(rotationOf([1, 2, 3]), [2, 0.001, -5]), true],
  ["shear", [1, 5, 0, 0, 1, 0, 0, -3, 1], true],
  ["a scale of 0", scaleColumns(rotationOf([1, 2, 3]), [1, 0, 1]), false],
  ["no numbers", [NaN, 0, 0, 0, 1, 0, 0, 0, 1], false],
];

/** Whether a matrix has an inverse, and the product of the two is 1. */
function isUndone(matrix: Mat3): boolean {
  const inverse = invert(matrix);
  return inverse !== null &&
    multiply(matrix, inverse).every((n, i) => Math.abs(n - (IDENTITY[i] ?? 0)) < 1e-9);
}

for (const [what, matrix, invertible] of MATRICES) {
  test(`invert() of ${what}`, () => {
    assert.equal(isUndone(matrix), invertible);
  });
}
