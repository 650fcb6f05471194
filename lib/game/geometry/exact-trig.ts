// JavaScript engines and versions round Math.sin, Math.cos and Math.atan2 differently, but a game
// must be identical on all of them. These functions use only operations whose rounding IEEE 754
// defines: + − × ÷ and √.

const OF_ZERO = [0, 1] as const;

/** Sine and cosine of degrees; exact at right angles, elsewhere within 4e-16. */
export function sinCosOfDegrees(degrees: number): readonly [sine: number, cosine: number] {
  if (degrees === 0) return OF_ZERO; // the usual rotation about most axes
  // A remainder takes longer than all else here, and most angles are their own.
  const within = degrees > -360 && degrees < 360 ? degrees : degrees % 360;
  const turns = Math.round(within / 90);
  const x = (within - turns * 90) * Math.PI / 180;
  const square = x * x;
  let sine = 1;
  let cosine = 1;
  // Taylor's series from its far end; |x| is at most a quarter of pi, so 17 powers are enough.
  for (let n = 16; n >= 2; n -= 2) {
    sine = 1 - sine * square / (n * (n + 1));
    cosine = 1 - cosine * square / ((n - 1) * n);
  }
  sine = sine * x + 0;
  switch (turns & 3) {
    case 0:
      return [sine, cosine];
    case 1:
      return [cosine, 0 - sine]; // no negative zero
    case 2:
      return [0 - sine, -cosine];
    default:
      return [-cosine, sine];
  }
}

/** The angle of the point (x, y) in radians, from −π to π, within 1e-15; 0 for the origin. */
export function exactAtan2(y: number, x: number): number {
  const a = Math.abs(y);
  const b = Math.abs(x);
  if (a === 0) return x < 0 ? Math.PI : 0; // the angles of a rotation about another single axis
  const steep = a > b;
  const first = arctangent(steep ? b / a : a / b);
  const inQuarter = steep ? Math.PI / 2 - first : first;
  const upper = x < 0 ? Math.PI - inQuarter : inQuarter;
  return y < 0 ? -upper : upper;
}

/** Arctangent of 0 to 1. */
function arctangent(t: number): number {
  if (t === 1) return Math.PI / 4;
  // Halving the angle twice brings it below π/16, where the series converges quickly.
  const half = t / (1 + Math.sqrt(1 + t * t));
  const x = half / (1 + Math.sqrt(1 + half * half));
  const square = x * x;
  let sum = 1 / 27;
  sum = 1 / 25 - sum * square;
  sum = 1 / 23 - sum * square;
  sum = 1 / 21 - sum * square;
  sum = 1 / 19 - sum * square;
  sum = 1 / 17 - sum * square;
  sum = 1 / 15 - sum * square;
  sum = 1 / 13 - sum * square;
  sum = 1 / 11 - sum * square;
  sum = 1 / 9 - sum * square;
  sum = 1 / 7 - sum * square;
  sum = 1 / 5 - sum * square;
  sum = 1 / 3 - sum * square;
  sum = 1 - sum * square;
  return 4 * x * sum;
}
