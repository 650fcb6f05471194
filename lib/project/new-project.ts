import { attempt } from "../core/attempt.ts";
import { encodeUtf8 } from "../core/bytes.ts";
import type { JsonObject } from "../core/json.ts";
import { type Problem, refuse } from "../core/problem.ts";
import { err, ok, type Result } from "../core/result.ts";
import { unwritable } from "../editor/files/mod.ts";
import type { Files } from "../ports/files.ts";
import { CONFIG_FILE } from "./config/config-file.ts";
import { configText, newSettings } from "./config/new-settings.ts";

/**
 * Makes a folder a project: writes the smallest `project.config.json` there. All else in it stays; a
 * folder that is not there is made.
 *
 * @returns 409 `project-exists`, 422 `unwritable`.
 */
export async function createProject(files: Files, root: string): Promise<Result<null, Problem>> {
  const made = await attempt(() => files.makeDirectory(root));
  if (!made.ok) {
    const { code, message } = made.error;
    return refuse(
      422,
      "unwritable",
      `Cannot make a project in "${root}": ${
        code === "exists" ? "found a file, expected a folder" : message
      }`,
      "Name a folder that can be written; one that is not there is made",
    );
  }
  const written = await writeNewSettings(files, root, newSettings(root));
  if (!written.ok) return written;
  return written.value.length > 0 ? ok(null) : refuse(
    409,
    "project-exists",
    `Cannot make a project in "${root}": found a ${CONFIG_FILE} in it`,
    "Open it as it is",
  );
}

/**
 * Writes the settings of a new project; keeps existing ones. @returns The written files.
 */
export async function writeNewSettings(
  files: Files,
  root: string,
  settings: JsonObject,
): Promise<Result<readonly string[], Problem>> {
  const bytes = encodeUtf8(configText(settings));
  const path = `${root}/${CONFIG_FILE}`;
  const made = await attempt(async () => {
    if (await files.stat(path) !== null) return [];
    await files.writeAtomic(path, bytes, { createNew: true });
    return [CONFIG_FILE];
  });
  if (made.ok) return made;
  return made.error.code === "exists" ? ok([]) : err(unwritable(CONFIG_FILE, made.error.message));
}
