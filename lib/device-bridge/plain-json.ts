/** Saved before the page's own scripts run: some give every object a `toJSON`, or replace this. */
const { stringify } = JSON;

/**
 * Writes one of our messages as JSON without calling `toJSON`, which the page may have added to
 * objects.
 */
export function plainJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(plainJson).join()}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${stringify(name)}:${plainJson(member)}`).join()}}`;
}
