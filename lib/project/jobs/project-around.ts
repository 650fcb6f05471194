import type { Files } from "../../ports/files.ts";
import { CONFIG_FILE } from "../config/config-file.ts";

/**
 * Finds the project around a folder, links resolved. Reads nothing of the project.
 *
 * @param folder Absolute.
 * @returns The project's folder; `null` outside a project.
 */
export async function projectAround(
  files: Pick<Files, "realPath" | "stat">,
  folder: string,
): Promise<string | null> {
  const real = await files.realPath(folder) ?? folder;
  for (let at = real; at !== "";) {
    if ((await files.stat(`${at}/${CONFIG_FILE}`))?.kind === "file") return at;
    at = at.slice(0, Math.max(0, at.lastIndexOf("/"), at.lastIndexOf("\\")));
  }
  return null;
}
