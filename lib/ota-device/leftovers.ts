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

/**
 * Moves contents that were in place back to `.partial`, and removes their folders. Never throws: what
 * cannot be moved is fetched again (DEV-72), and its folder is swept.
 */
export async function takeBack(
  dependencies: PartialDependencies & ProcessOptions,
  manifest: Manifest,
  fetched: readonly string[],
): Promise<void> {
  const { files, root } = dependencies;
  for (const left of await files.list(stagingFolder(root)).catch(() => null) ?? []) {
    const [, bundle, id = ""] = NAME.exec(left.name) ?? [];
    if (bundle !== manifest.name || isOthers(id, dependencies)) continue;
    const folder = `${stagingFolder(root)}/${left.name}`;
    try {
      await takeFrom(dependencies, folder, { manifest, fetched });
      await files.remove(folder);
    } catch {
      // swept
    }
  }
}

async function takeFrom(
  dependencies: PartialDependencies,
  folder: string,
  { manifest, fetched }: { readonly manifest: Manifest; readonly fetched: readonly string[] },
): Promise<void> {
  const { files, root } = dependencies;
  const partials = await openPartials(dependencies);
  const taken = new Set<string>();
  for (const path of fetched) {
    const ref = manifest.files[path];
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
}

/** Whether a file of that size is there; its hash is looked at when it is used (DEV-20). */
async function isSized(files: Files, path: string, size: number): Promise<boolean> {
  const stat = await files.stat(path).catch(() => null); // something else may be in the way
  return stat?.kind === "file" && stat.size === size;
}
