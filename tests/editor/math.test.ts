import assert from "node:assert/strict";
import { test } from "node:test";
import { sinCosOfDegrees } from "../../lib/game/geometry/exact-trig.ts";
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

test("rotationOf() about y alone is Rx·Ry·Rz to the sign of every zero", () => {
  for (const degrees of [0, -0, 30, -45, 90, 180, 270, -90, 359.9, 1000.25, -1e9]) {
    const [c, d] = sinCosOfDegrees(degrees);
    const [a, b] = sinCosOfDegrees(0);
    const [e, f] = [a, b];
    const spelledOut = [
      ...[d * f, -d * e, c],
      ...[b * e + a * c * f, b * f - a * c * e, -a * d],
      ...[a * e - b * c * f, a * f + b * c * e, b * d],
    ];
    for (const [i, value] of rotationOf([0, degrees, -0]).entries()) {
      assert.ok(Object.is(value, spelledOut[i]), `${degrees}°, ${i}: ${value}`);
    }
  }
});
