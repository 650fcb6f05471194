/**
 * Reports to a reader that continues after a number of a ring how many entries were dropped since,
 * or that its number is from an earlier run. Empty if it missed nothing.
 *
 * @param all The complete ring, oldest first.
 */
export function gap(
  all: readonly { readonly seq: number }[],
  since: number | undefined,
): { readonly missed?: number; readonly hint?: string } {
  if (since === undefined) return {};
  const newest = all.at(-1)?.seq ?? 0;
  if (since > newest) {
    return { hint: `The newest is ${newest}: ${since} is of an earlier run, leave since= out` };
  }
  const missed = (all[0]?.seq ?? 1) - 1 - since;
  return missed > 0 ? { missed } : {};
}
