import type { Work } from "../../core/cooperative.ts";
import type { Complaints } from "../../core/shape.ts";
import { MODEL_LIMITS } from "./limits.ts";
import type { GltfOutline } from "./outline-types.ts";

/**
 * Complains unless every node has at most one parent, no node is its own ancestor, and all bounds
 * hold.
 */
export function* checkTrees(
  { nodes, roots }: GltfOutline,
  complaints: Complaints,
): Work<void> {
  const parents = new Map<number, number>();
  for (const [index, { children }] of nodes.entries()) {
    if (index % 1024 === 1023) yield;
    for (const child of children) {
      const other = parents.get(child);
      if (other !== undefined) {
        complaints.add(
          `nodes[${index}].children`,
          `names nodes[${child}], which is a child of nodes[${other}] already`,
        );
      }
      parents.set(child, index);
    }
  }
  const depths = new Map<number, number>();
  for (let start = 0; start < nodes.length; start++) {
    if (start % 1024 === 1023) yield;
    const chain: number[] = [];
    const met = new Set<number>();
    let at: number | undefined = start;
    while (at !== undefined && !depths.has(at) && !met.has(at)) {
      chain.push(at);
      met.add(at);
      at = parents.get(at);
    }
    if (at !== undefined && met.has(at)) {
      complaints.add(`nodes[${at}]`, "is its own ancestor: found a cycle, expected a tree");
      return;
    }
    let depth = at === undefined ? 0 : depths.get(at) ?? 0;
    for (const index of chain.toReversed()) depths.set(index, ++depth);
    if (depth > MODEL_LIMITS.nodeDepth) {
      complaints.add(
        `nodes[${start}]`,
        `is at depth ${depth}, expected at most ${MODEL_LIMITS.nodeDepth}`,
      );
      return;
    }
  }
  const seen = new Set<number>();
  for (const root of roots) {
    const parent = parents.get(root);
    if (parent !== undefined) {
      complaints.add("scenes", `has nodes[${root}] at its top, a child of nodes[${parent}]`);
    } else if (seen.has(root)) complaints.add("scenes", `has nodes[${root}] at its top twice`);
    seen.add(root);
  }
}
