/** The time of day, to the second. */
export function timeOf(t: number): string {
  return new Date(t).toLocaleTimeString([], { hour12: false });
}
