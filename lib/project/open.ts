import { encodeUtf8 } from "../core/bytes.ts";
import type { JsonObject } from "../core/json.ts";
import { type Problem, refuse } from "../core/problem.ts";
import { ok, type Result } from "../core/result.ts";
import { attempt } from "../core/attempt.ts";
import {
  type EmbeddedEditor,
  type EmbeddedEditorOptions,
  openEmbeddedEditor,
  readInside,
} from "../editor/mod.ts";
import type { TraitSchema } from "../editor/ports/mod.ts";
import type { Clock } from "../ports/clock.ts";
import type { Files } from "../ports/files.ts";
import { CONFIG_FILE, MAX_CONFIG_BYTES, parseProjectConfig, type ProjectConfig } from "./config.ts";
import { newSettings, writeNewSettings } from "./new-project.ts";
import { configText } from "./settings.ts";

/** A project on disk, and the editor that has its start scene open. */
export interface OpenProject {
  /** Its settings. */
  readonly config: ProjectConfig;
  /** With the start scene open. */
  readonly editor: EmbeddedEditor;
  /** The settings of a project that has no file yet; absent where they are in one. */
  readonly fresh?: JsonObject;
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
 * Opens a project: its settings, its assets and its start scene, or nothing. An empty folder (hidden
 * names do not count) opens as a new project, and a project without any scene with a new one; nothing
 * is written before the scene is saved or a setting is changed.
 *
 * @returns 404 `project-missing` or `config-missing`, 422 `project-unreadable`, `config-unreadable` or
 * `config-invalid`, or why the scene did not open.
 */
export async function openProject(
  options: OpenProjectOptions,
): Promise<Result<OpenProject, Problem>> {
  const { files, root } = options;
  const config = await readProjectConfig(files, root);
  if (config.ok) return await openWith(options, config.value);
  if (config.error.code !== "config-missing" || !await isEmpty(files, root)) return config;
  const fresh = newSettings(root);
  const checked = parseProjectConfig(encodeUtf8(configText(fresh)));
  if (!checked.ok) throw new TypeError(checked.error.message);
  const opened = await openWith(options, checked.value, {
    beforeSave: (startScene) => writeNewSettings(files, root, { ...fresh, startScene }),
  });
  return opened.ok ? ok({ ...opened.value, fresh }) : opened;
}

async function openWith(
  options: OpenProjectOptions,
  config: ProjectConfig,
  more: Pick<EmbeddedEditorOptions, "beforeSave"> = {},
): Promise<Result<OpenProject, Problem>> {
  const { name, startScene, viewport } = config;
  const editor = await openEmbeddedEditor({
    ...options,
    ...more,
    project: name,
    scenePath: startScene,
    ...(viewport === undefined ? {} : { viewport }),
  });
  return editor.ok ? ok({ config, editor: editor.value }) : editor;
}

async function isEmpty(files: Files, root: string): Promise<boolean> {
  const entries = await attempt(() => files.list(root));
  return entries.ok && (entries.value ?? []).every(({ name }) => name.startsWith("."));
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
  if (bytes.value === null) {
    return refuse(
      404,
      "config-missing",
      `Cannot open project "${root}": found no ${CONFIG_FILE} in it`,
      `Give the folder that holds ${CONFIG_FILE}, or an empty one for a new project; or write there ` +
        JSON.stringify(newSettings(root)),
    );
  }
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
