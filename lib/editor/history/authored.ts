import type { Actor, Authored } from "../ports/mod.ts";

/** An author as what was done records it. */
export function authored(actor: Actor): Authored {
  return typeof actor === "string" ? { source: actor } : { source: actor.source, by: actor.by };
}
