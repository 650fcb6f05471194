import { attempt } from "../../core/attempt.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import type { Err, Result } from "../../core/result.ts";
import { readInside } from "../../editor/files/mod.ts";
import type { Files } from "../../ports/files.ts";
import { CONFIG_FILE } from "./config-file.ts";
import { MAX_CONFIG_BYTES, parseProjectConfig, type ProjectConfig } from "./config.ts";
import { newSettings } from "./new-settings.ts";

/**
 * Reads the settings of the project in a folder, without opening it.
 *
 * @returns 404 `project-missing` or `config-missing`, 422 `project-unreadable`, `config-unreadable`
 * or `config-invalid`, 403 `outside-project`.
 */
export async function readProjectConfig(
  files: Files,
  root: string,
): Promise<Result<ProjectConfig, Problem>> {
  const folder = await attempt(async () => {
    const realRoot = await files.realPath(root);
    return realRoot === null ? null : await files.stat(realRoot);
  });
  if (!folder.ok) {
    return refuse(
      422,
      "project-unreadable",
      `Cannot open project "${root}": ${folder.error.message}`,
      `Give the folder that holds ${CONFIG_FILE}`,
    );
  }
  if (folder.value?.kind !== "directory") {
    return refuse(
      404,
      "project-missing",
      `Cannot open project "${root}": found ${
        folder.value === null ? "nothing there" : "a file"
      }, expected a folder`,
      `Give the folder that holds ${CONFIG_FILE}, or a .glb`,
    );
  }
  const bytes = await attempt(() =>
    readInside(files, root, { path: CONFIG_FILE, maxBytes: MAX_CONFIG_BYTES })
  );
  if (!bytes.ok) {
    const found = bytes.error.code === "too-large"
      ? `it is larger than ${MAX_CONFIG_BYTES} bytes`
      : bytes.error.message;
    return refuse(
      422,
      "config-unreadable",
      `Cannot read ${CONFIG_FILE} in "${root}": ${found}`,
      "Check that it is a small file that may be read",
    );
  }
  if (bytes.value === null) return configMissing(root);
  if (bytes.value === "outside") {
    return refuse(
      403,
      "outside-project",
      `Cannot open project "${root}": its ${CONFIG_FILE} links out of it`,
      "Copy the file into the project",
    );
  }
  const config = parseProjectConfig(bytes.value.bytes);
  if (config.ok) return config;
  const { message, next } = config.error;
  return refuse(422, "config-invalid", message, next ?? `Correct ${CONFIG_FILE}`);
}

/** A folder without settings: 404 `config-missing`, with the smallest settings that it could have. */
export function configMissing(root: string): Err<Problem> {
  return refuse(
    404,
    "config-missing",
    `Cannot open project "${root}": found no ${CONFIG_FILE} in it`,
    `Give the folder that holds ${CONFIG_FILE}, or an empty one for a new project; or write there ` +
      JSON.stringify(newSettings(root)),
  );
}
