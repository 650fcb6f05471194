import type { EntityDocument } from "../../game/scene/mod.ts";
import type { EditOp } from "../ports/mod.ts";

/** The label of a step in the list of undo: the first operation, and how many more. */
export function labelOf(ops: readonly EditOp[], document: EntityDocument): string {
  const [first] = ops;
  if (first === undefined) return "Nothing";
  const more = ops.length - 1;
  return `${opLabel(first, document)}${more > 0 ? ` and ${more} more` : ""}`;
}

function opLabel(op: EditOp, document: EntityDocument): string {
  if (op.op === "create") return `Create "${op.name}"`;
  const entity = op.guid === undefined ? document.get(op.id ?? 0) : document.byGuid(op.guid);
  const name = `"${entity?.name ?? "?"}"`;
  switch (op.op) {
    case "delete":
      return `Delete ${name}`;
    case "duplicate":
      return `Duplicate ${name}`;
    case "rename":
      return `Rename ${name} to "${op.name}"`;
    case "reparent":
      return `Move ${name}`;
    case "setLayer":
      return `Set layer of ${name}`;
    case "addTrait":
      return `Add ${op.trait} to ${name}`;
    case "set":
      return `Set ${op.trait} of ${name}`;
    case "removeTrait":
      return `Remove ${op.trait} from ${name}`;
  }
}
