/** A value at a step of the game. */
export interface Sample {
  readonly tick: number;
  readonly value: number;
}

/** Maximum points: more are indistinguishable in a small chart. */
const MOST_POINTS = 120;

/**
 * Draws samples as an SVG path in a box, from the left to the right edge and from the minimum at
 * the bottom to the maximum at the top. Many samples are thinned to the minimum and maximum of each
 * group.
 */
export function sparkPath(
  samples: readonly Sample[],
  { width, height }: { readonly width: number; readonly height: number },
): string {
  const points = thinned(samples.filter(({ value }) => Number.isFinite(value)));
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined) return "";
  const values = points.map(({ value }) => value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const ticks = last.tick - first.tick || 1;
  const placed = points.map(({ tick, value }) => {
    const x = (tick - first.tick) / ticks * width;
    const y = most === least ? height / 2 : (most - value) / (most - least) * height;
    return `${Number(x.toFixed(1))} ${Number(y.toFixed(1))}`;
  });
  // A single sample becomes a horizontal line, because a path of one point is invisible.
  return placed.length === 1 ? `M0 ${height / 2}H${width}` : `M${placed.join("L")}`;
}

function thinned(samples: readonly Sample[]): readonly Sample[] {
  if (samples.length <= MOST_POINTS) return samples;
  const size = Math.ceil(samples.length / (MOST_POINTS / 2));
  const found: Sample[] = [];
  for (let start = 0; start < samples.length; start += size) {
    const bin = samples.slice(start, start + size).toSorted((a, b) => a.value - b.value);
    const [least] = bin;
    const most = bin.at(-1);
    if (least === undefined || most === undefined) continue;
    found.push(...(least.tick < most.tick ? [least, most] : [most, least]));
  }
  return found;
}
