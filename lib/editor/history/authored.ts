import type { Actor, Authored } from "../ports/mod.ts";

/** Returns an author as records store it. */
export function authored(actor: Actor): Authored {
  return typeof actor === "string" ? { source: actor } : { source: actor.source, by: actor.by };
}
