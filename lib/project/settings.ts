import { encodeUtf8 } from "../core/bytes.ts";
import { atResolved } from "../core/inside.ts";
import { invisibleIn } from "../core/invisible.ts";
import { isJsonObject, type JsonObject, type JsonValue, own } from "../core/json.ts";
import { type Problem, refuse } from "../core/problem.ts";
import { err, ok, type Result } from "../core/result.ts";
import { attempt } from "../core/attempt.ts";
import { readProjectFile, resolvedIn, unwritable } from "../editor/files/mod.ts";
import type { EmbeddedEditor, TouchFiles } from "../editor/mod.ts";
import { parseJsonFile } from "../core/json-text.ts";
import type { Actor } from "../editor/ports/mod.ts";
import { Turns } from "../core/turns.ts";
import type { Files } from "../ports/files.ts";
import { CONFIG_FILE } from "./config/config-file.ts";
import { MAX_CONFIG_BYTES, parseProjectConfig } from "./config/config.ts";
import { configText } from "./config/new-settings.ts";
import { configMissing } from "./config/read-config.ts";
import { checkOutFolder } from "./building/out-folder.ts";
import { readIcon } from "./icons/read-icon.ts";

/** A project's settings as agents and routes reach them. */
export interface ProjectSettings {
  /**
   * Reads all of `project.config.json`; in an unsaved project, its future content.
   *
   * @returns 404 `config-missing`, 422 `config-invalid`.
   */
  read(): Promise<Result<JsonObject, Problem>>;
  /**
   * Merges members into it: objects member by member, `null` removes one, anything else replaces
   * (RFC 7396). Checks the complete result before writing it. One step of undo.
   *
   * @returns 422 `config-invalid` naming what would be wrong; `unsafe-out` or `out-not-empty` for a
   * new `build.web.out` that no build could empty; `icon-invalid` for an unusable new `icon`.
   */
  change(patch: JsonObject, source?: Actor): Promise<Result<ChangedSettings, Problem>>;
}

/** Settings that were changed. */
export interface ChangedSettings {
  /** All settings before the change. */
  readonly before: JsonObject;
  /** All settings after it. */
  readonly after: JsonObject;
  /** The commands that this change will have run on this machine: `build.web.command: node build.mjs`. */
  readonly runs: readonly string[];
  /** The step of undo; `null` if nothing changed, or without a history. */
  readonly undo: number | null;
}

type Written = Omit<ChangedSettings, "undo">;

/** The dependencies of reading and writing settings. */
export interface ProjectSettingsOptions {
  /** The file system with the project's files. */
  readonly files: Files;
  /** The project's folder, absolute. */
  readonly root: string;
  /** Records changes as steps of undo; without it there are none. */
  readonly editor?: Pick<EmbeddedEditor, "changeFiles">;
  /** Initial settings of a project without a file. */
  readonly fresh?: JsonObject | undefined;
}

/** The settings of one project. A change counts from the next time that something reads them. */
export function createProjectSettings(
  { files, root, editor, fresh }: ProjectSettingsOptions,
): ProjectSettings {
  const turns = new Turns();

  async function read(): Promise<Result<JsonObject, Problem>> {
    const bytes = await readProjectFile(files, root, {
      path: CONFIG_FILE,
      maxBytes: MAX_CONFIG_BYTES,
    });
    if (!bytes.ok) return bytes;
    if (bytes.value === null) {
      return fresh === undefined ? configMissing(root) : ok(fresh);
    }
    const parsed = parseJsonFile(CONFIG_FILE, bytes.value);
    if (!parsed.ok) return invalid(parsed.error.message, parsed.error.next);
    return isJsonObject(parsed.value)
      ? ok(parsed.value)
      : invalid(`Cannot use ${CONFIG_FILE}: expected an object`, "Correct the file");
  }

  async function write(
    patch: JsonObject,
    touch: TouchFiles,
  ): Promise<Result<Written, Problem>> {
    const before = await read();
    if (!before.ok) return before;
    const after = merged(before.value, patch);
    const bytes = encodeUtf8(configText(after));
    const checked = parseProjectConfig(bytes);
    if (!checked.ok) return invalid(checked.error.message);
    const { startScene } = checked.value;
    const invisible = invisibleIn(`${after["name"]}`);
    if (invisible !== null && after["name"] !== before.value["name"]) {
      return invalid(`name: found the invisible character ${invisible}`, "Leave it out");
    }
    if (startScene !== before.value["startScene"]) {
      const found = await attempt(() => files.stat(`${root}/${startScene}`));
      // A project without its start scene could not be opened again.
      if (!found.ok || found.value === null) return noStartScene(startScene);
    }
    const { icon } = checked.value;
    if (icon !== undefined && icon !== before.value["icon"]) {
      const usable = await readIcon(files, root, icon);
      if (!usable.ok) return usable;
    }
    const outWay = ["build", "web", "out"] as const;
    if (JSON.stringify(at(after, outWay)) !== JSON.stringify(at(before.value, outWay))) {
      const emptiable = await checkOutFolder(files, root, checked.value);
      if (!emptiable.ok) return emptiable;
    }
    const runs = newCommands(before.value, after);
    // Settings that stay as they are keep their spelling.
    const located = await resolvedIn(files, root, CONFIG_FILE);
    if (!located.ok) return located;
    const path = located.value;
    const found = await attempt(() => files.stat(path));
    if (!found.ok) return err(unwritable(CONFIG_FILE, found.error.message));
    const isSame = JSON.stringify(before.value) === JSON.stringify(after);
    if (isSame && found.value !== null) return ok({ before: before.value, after, runs });
    const touched = await touch([CONFIG_FILE]);
    if (!touched.ok) return touched;
    const written = await attempt(() => atResolved(files).writeAtomic(path, bytes));
    if (!written.ok) return err(unwritable(CONFIG_FILE, written.error.message));
    return ok({ before: before.value, after, runs });
  }

  return {
    read,
    async change(patch, source = "agent") {
      if (editor === undefined) {
        const done = await turns.take(() => write(patch, () => Promise.resolve(ok(null))));
        return done.ok ? ok({ ...done.value, undo: null }) : done;
      }
      const names = Object.keys(patch);
      const done = await editor.changeFiles(
        {
          label: `Set ${names.slice(0, 5).join(", ")} of the project`,
          source,
          type: "project-settings",
          note: ({ runs }: Written) => ({ names, ...(runs.length > 0 && { runs }) }),
        },
        (touch) => write(patch, touch),
      );
      return done.ok ? ok({ ...done.value.value, undo: done.value.undo }) : done;
    },
  };
}

/** Settings that name programs to run: build commands, and folders of programs. */
const RUN = [
  ["build", "web", "command"],
  ["build", "android", "steps"],
  ["build", "ios", "steps"],
  ["user", "sdk", "java"],
  ["user", "sdk", "android-sdk"],
] as const;

/** Commands that would run after a change, and would not have before. */
function newCommands(before: JsonObject, after: JsonObject): readonly string[] {
  return RUN.flatMap((way) => {
    const now = JSON.stringify(at(after, way));
    return now === undefined || now === JSON.stringify(at(before, way))
      ? []
      : [`${way.join(".")}: ${now}`];
  });
}

function at(settings: JsonObject, way: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = settings;
  for (const name of way) value = isJsonObject(value) ? own(value, name) : undefined;
  return value;
}

function invalid(
  message: string,
  next: string = "Correct the values; nothing was written",
): Result<never, Problem> {
  return refuse(422, "config-invalid", message, next);
}

function noStartScene(path: string): Result<never, Problem> {
  return refuse(
    422,
    "config-invalid",
    `Cannot use startScene ${JSON.stringify(path)}: found no such file in the project`,
    "list_scenes lists scenes; new_scene and save_scene create one; nothing was written",
  );
}

/** RFC 7396 §2. */
function merged(target: JsonObject, patch: JsonObject): JsonObject {
  const members = new Map(Object.entries(target));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null || value === undefined) members.delete(name);
    else members.set(name, mergedValue(members.get(name), value));
  }
  return Object.fromEntries(members);
}

function mergedValue(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isJsonObject(patch)) return patch;
  return merged(isJsonObject(target) ? target : {}, patch);
}
