import type { Work } from "../../core/cooperative.ts";
import { invisibleIn } from "../../core/invisible.ts";
import { each } from "./each.ts";
import type { GltfOutline } from "./outline-types.ts";

/**
 * Names that read as others are cleaned of what is not seen, which nobody would notice.
 *
 * @param name Of the file.
 * @returns What to tell of it; `null` when all is seen.
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
  return `${found.length} of its names have characters that are not seen (${kinds}): left out`;
}
