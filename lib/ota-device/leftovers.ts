import type { Manifest } from "../ota-format/mod.ts";
import type { Files } from "../ports/files.ts";
import { partialFolder, stagingFolder } from "./folders.ts";
import { openPartials, type PartialDependencies } from "./partial.ts";
import { isOthers, type ProcessOptions } from "./processes.ts";
import { randomId } from "./random.ts";

// Leftovers of a killed process in `.staging`: copied files, and fetched ones that were in place.
// Fetched files are moved back to `.partial`, so they are not fetched again (DEV-38).

/** The bundle and the id in the name of an assembled version. */
const NAME = /^(.+)@v[0-9]+\.((?:[0-9]+-)?[0-9a-f]{24})$/;

/** Returns the id in a name of `.staging`; `""` for a name that no staging made. */
export function stagingId(name: string): string {
  return NAME.exec(name)?.[2] ?? "";
}

/** Moves contents that were in place back to `.partial`, and removes their folders. */
export async function takeBack(
  dependencies: PartialDependencies & ProcessOptions,
  { name, files: contents }: Manifest,
  fetched: readonly string[],
): Promise<void> {
  const { files, root } = dependencies;
  for (const left of await files.list(stagingFolder(root)) ?? []) {
    const [, bundle, id = ""] = NAME.exec(left.name) ?? [];
    if (bundle !== name || isOthers(id, dependencies)) continue;
    const folder = `${stagingFolder(root)}/${left.name}`;
    const partials = await openPartials(dependencies);
    const taken = new Set<string>();
    for (const path of fetched) {
      const ref = contents[path];
      if (ref === undefined || ref.size === 0 || taken.has(ref.hash)) continue;
      if (
        partials.bytesOf(ref) === ref.size || !await isSized(files, `${folder}/${path}`, ref.size)
      ) {
        continue;
      }
      taken.add(ref.hash);
      const target = `${partialFolder(root)}/${ref.hash}.${randomId()}`;
      await files.makeDirectory(partialFolder(root));
      await files.rename(`${folder}/${path}`, target);
    }
    await files.remove(folder);
  }
}

/** Whether a file of that size is there; its hash is looked at when it is used (DEV-20). */
async function isSized(files: Files, path: string, size: number): Promise<boolean> {
  const stat = await files.stat(path).catch(() => null); // something else may be in the way
  return stat?.kind === "file" && stat.size === size;
}
