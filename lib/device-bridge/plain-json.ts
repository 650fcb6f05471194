/** As it was before the page's own scripts: some give every object a `toJSON`, or replace this. */
const { stringify } = JSON;

/** A message of ours as JSON, whatever the page has done to objects: none is asked for its `toJSON`. */
export function plainJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(plainJson).join()}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${stringify(name)}:${plainJson(member)}`).join()}}`;
}
