import type { Entity } from "../types/mod.ts";

/** Position in the tree: the parent, and the index among its children, from 0. */
export interface TreePosition {
  /** `null` at the top. */
  readonly parentId: number | null;
  /** Counted without the entity itself. */
  readonly index: number;
}

/** A change of one entity, with everything needed to undo and redo it exactly. */
export type Change =
  | { readonly kind: "set"; readonly before: Entity; readonly after: Entity }
  | { readonly kind: "insert"; readonly after: Entity; readonly to: TreePosition }
  | { readonly kind: "remove"; readonly before: Entity; readonly from: TreePosition }
  | {
    readonly kind: "move";
    readonly before: Entity;
    readonly after: Entity;
    readonly from: TreePosition;
    readonly to: TreePosition;
  };

/** The opposite of a change. */
export function inverse(change: Change): Change {
  switch (change.kind) {
    case "set":
      return { kind: "set", before: change.after, after: change.before };
    case "insert":
      return { kind: "remove", before: change.after, from: change.to };
    case "remove":
      return { kind: "insert", after: change.before, to: change.from };
    case "move": {
      const { before, after, from, to } = change;
      return { kind: "move", before: after, after: before, from: to, to: from };
    }
  }
}

/** The entity that a change is about. */
export function subjectOf(change: Change): Entity {
  return change.kind === "insert" ? change.after : change.before;
}
