import type { Work } from "../../core/cooperative.ts";
import { invisibleIn } from "../../core/invisible.ts";
import { each } from "./each.ts";
import type { GltfOutline } from "./outline-types.ts";

/**
 * Returns a warning about names with invisible characters, with which a name may look like another
 * one; the import removes them.
 *
 * @param name Name of the file.
 * @returns A warning; `null` if all characters are visible.
 */
export function* warningOfNames(
  name: string,
  { nodes, meshes, materials, images, animations }: GltfOutline,
): Work<string | null> {
  const own = invisibleIn(name);
  const found = own === null ? [] : [own];
  const named: readonly (readonly { readonly name: string | undefined }[])[] = [
    nodes,
    meshes,
    materials,
    images,
    animations,
  ];
  for (const list of named) {
    const inList = yield* each(list, ({ name = "" }) => invisibleIn(name));
    for (const one of inList) if (one !== null) found.push(one);
  }
  if (found.length === 0) return null;
  const kinds = [...new Set(found)].slice(0, 5).join(", ");
  return `${found.length} of its names have invisible characters (${kinds}): removed`;
}
