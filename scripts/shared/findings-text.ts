import type { FindingOf } from "../../lib/core/finding.ts";

/** Places that are listed for a finding, at most. */
const SHOWN = 3;

/** Formats findings for a person, each with its next step; the same one at several places is one. */
export function findingLines(findings: readonly FindingOf<string>[]): readonly string[] {
  const places = new Map<string, { readonly first: FindingOf<string>; readonly where: string[] }>();
  for (const finding of findings) {
    const { level, message, next, where } = finding;
    const key = JSON.stringify([level, message, next]);
    const alike = places.get(key);
    if (alike === undefined) places.set(key, { first: finding, where: [where] });
    else alike.where.push(where);
  }
  return [...places.values()].map(({ first: { level, message, next }, where }) => {
    const more = where.length > SHOWN ? ` and ${where.length - SHOWN} more` : "";
    return `${level}: ${where.slice(0, SHOWN).join(", ")}${more}: ${message}\n  next: ${next}`;
  });
}
