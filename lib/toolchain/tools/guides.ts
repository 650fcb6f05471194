import type { GuideContext } from "./descriptor.ts";
import type { ToolId } from "./ids.ts";
import { DESCRIPTORS } from "./tools.ts";
import type { Guide } from "./types.ts";

/** Steps that a person can follow to have the tool found. */
/** Steps by which a person gets the tool (FIND-18). */
export function guideFor(id: ToolId, machine: GuideContext): Guide {
  return { id, ...DESCRIPTORS[id].guide(machine) };
}
