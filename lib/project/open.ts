import { type Problem, refuse } from "../core/problem.ts";
import { ok, type Result } from "../core/result.ts";
import { attempt } from "../editor/attempt.ts";
import { type EmbeddedEditor, openEmbeddedEditor } from "../editor/embedded-editor.ts";
import type { TraitSchema } from "../editor/ports.ts";
import type { Clock } from "../ports/clock.ts";
import type { Files } from "../ports/files.ts";
import { CONFIG_FILE, MAX_CONFIG_BYTES, parseProjectConfig, type ProjectConfig } from "./config.ts";

/** A project on disk, and the editor that has its start scene open. */
export interface OpenProject {
  /** Its settings. */
  readonly config: ProjectConfig;
  /** With the start scene open. */
  readonly editor: EmbeddedEditor;
}

/** What a project is opened with. */
export interface OpenProjectOptions {
  /** The file system that the project lies on. */
  readonly files: Files;
  /** Stamps the lines of the console. */
  readonly clock: Clock;
  /** The project's folder, absolute. */
  readonly root: string;
  /** Traits of the game, beside the built-in ones. */
  readonly traits?: readonly TraitSchema[];
}

/**
 * Opens a project: its settings, its assets and its start scene, or nothing.
 *
 * @returns 404 `project-missing` or `config-missing`, 422 `project-unreadable`, `config-unreadable` or
 * `config-invalid`, or why the scene did not open.
 */
export async function openProject(
  options: OpenProjectOptions,
): Promise<Result<OpenProject, Problem>> {
  const config = await readProjectConfig(options.files, options.root);
  if (!config.ok) return config;
  const { name, startScene, viewport } = config.value;
  const editor = await openEmbeddedEditor({
    ...options,
    project: name,
    scenePath: startScene,
    ...(viewport === undefined ? {} : { viewport }),
  });
  return editor.ok ? ok({ config: config.value, editor: editor.value }) : editor;
}

/** Reads the settings of the project in a folder, without opening it. */
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
  const bytes = await attempt(() => files.read(`${root}/${CONFIG_FILE}`, MAX_CONFIG_BYTES));
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
  if (bytes.value === null) {
    return refuse(
      404,
      "config-missing",
      `Cannot open project "${root}": found no ${CONFIG_FILE} in it`,
      `Give the folder that holds ${CONFIG_FILE}, or write one`,
    );
  }
  const config = parseProjectConfig(bytes.value);
  if (config.ok) return config;
  const { message, next } = config.error;
  return refuse(422, "config-invalid", message, next ?? `Correct ${CONFIG_FILE}`);
}
