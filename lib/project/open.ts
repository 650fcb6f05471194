import { encodeUtf8 } from "../core/bytes.ts";
import type { JsonObject } from "../core/json.ts";
import type { Problem } from "../core/problem.ts";
import { ok, type Result } from "../core/result.ts";
import { attempt } from "../core/attempt.ts";
import {
  type EmbeddedEditor,
  type EmbeddedEditorOptions,
  openEmbeddedEditor,
} from "../editor/mod.ts";
import type { TraitSchema } from "../editor/ports/mod.ts";
import type { Clock } from "../ports/clock.ts";
import type { Files } from "../ports/files.ts";
import { parseProjectConfig, type ProjectConfig } from "./config/config.ts";
import { configText, newSettings } from "./config/new-settings.ts";
import { writeNewSettings } from "./new-project.ts";
import { readProjectConfig } from "./config/read-config.ts";

/** A project on disk, and the editor that has its start scene open. */
export interface OpenProject {
  /** Its settings. */
  readonly config: ProjectConfig;
  /** Its start scene is open. */
  readonly editor: EmbeddedEditor;
  /** The settings of a project without a settings file; absent if the file exists. */
  readonly fresh?: JsonObject;
}

/** The options of opening a project. */
export interface OpenProjectOptions {
  /** The file system with the project's files. */
  readonly files: Files;
  /** Stamps the lines of the console. */
  readonly clock: Clock;
  /** The project's folder, absolute. */
  readonly root: string;
  /** Traits of the game, in addition to the built-in ones. */
  readonly traits?: readonly TraitSchema[];
}

/**
 * Opens a project completely or not at all: its settings, its assets and its start scene. An empty
 * folder (hidden names do not count) opens as a new project, and a project without any scene with a
 * new one; nothing is written before the scene is saved or a setting is changed.
 *
 * @returns 404 `project-missing` or `config-missing`, 422 `project-unreadable`, `config-unreadable`
 * or `config-invalid`, or why the scene did not open.
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
  const { name, startScene, editScene, viewport } = config;
  const found = editScene !== undefined &&
    await attempt(() => options.files.stat(`${options.root}/${editScene}`));
  const exists = found !== false && found.ok && found.value !== null;
  const editor = await openEmbeddedEditor({
    ...options,
    ...more,
    project: name,
    scenePath: exists ? editScene : startScene,
    ...(viewport === undefined ? {} : { viewport }),
  });
  return editor.ok ? ok({ config, editor: editor.value }) : editor;
}

async function isEmpty(files: Files, root: string): Promise<boolean> {
  const entries = await attempt(() => files.list(root));
  return entries.ok && (entries.value ?? []).every(({ name }) => name.startsWith("."));
}
