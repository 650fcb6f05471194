/**
 * Returns the value that a PNG row filter predicts for a byte (ISO/IEC 15948 §9.2).
 *
 * @param filter 0 to 4: nothing, left, above, the mean of both, the nearest to the slope.
 * @param a The byte of the pixel to the left; `b` above; `c` above to the left.
 */
export function expectedByte(filter: number, a: number, b: number, c: number): number {
  switch (filter) {
    case 1:
      return a;
    case 2:
      return b;
    case 3:
      return (a + b) >> 1;
    case 4:
      return paeth(a, b, c);
    default:
      return 0;
  }
}

function paeth(a: number, b: number, c: number): number {
  const [toA, toB, toC] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
  return toA <= toB && toA <= toC ? a : toB <= toC ? b : c;
}
