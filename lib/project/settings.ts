import { encodeUtf8 } from "../core/bytes.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { type Problem, refuse } from "../core/problem.ts";
import { err, ok, type Result } from "../core/result.ts";
import { attempt } from "../editor/attempt.ts";
import { parseJsonFile } from "../editor/json-text.ts";
import { unwritable } from "../editor/scene-files.ts";
import { Turns } from "../editor/turns.ts";
import type { Files } from "../ports/files.ts";
import { CONFIG_FILE, MAX_CONFIG_BYTES, parseProjectConfig } from "./config.ts";

/** A project's settings as agents and routes reach them. */
export interface ProjectSettings {
  /** The whole of `project.config.json`. */
  read(): Promise<Result<JsonObject, Problem>>;
  /**
   * Merges members into it: objects member by member, `null` removes one, anything else replaces
   * (RFC 7396). The result is checked whole before it is written.
   *
   * @returns The settings before and after; 422 `config-invalid` naming what would be wrong.
   */
  change(
    patch: JsonObject,
  ): Promise<Result<{ readonly before: JsonObject; readonly after: JsonObject }, Problem>>;
}

/** What settings are read and written with. */
export interface ProjectSettingsOptions {
  /** The file system that the project lies on. */
  readonly files: Files;
  /** The project's folder, absolute. */
  readonly root: string;
}

/** The settings of one project. A change counts from the next time that something reads them. */
export function createProjectSettings(
  { files, root }: ProjectSettingsOptions,
): ProjectSettings {
  const turns = new Turns();
  const path = `${root}/${CONFIG_FILE}`;

  async function read(): Promise<Result<JsonObject, Problem>> {
    const bytes = await attempt(() => files.read(path, MAX_CONFIG_BYTES));
    if (!bytes.ok) return err(unwritable(CONFIG_FILE, bytes.error.message));
    if (bytes.value === null) return err(unwritable(CONFIG_FILE, "it is not there"));
    const parsed = parseJsonFile(CONFIG_FILE, bytes.value);
    if (!parsed.ok) return invalid(parsed.error.message);
    return isJsonObject(parsed.value) ? ok(parsed.value) : invalid("expected an object");
  }

  return {
    read,
    change: (patch) =>
      turns.take(async () => {
        const before = await read();
        if (!before.ok) return before;
        const after = merged(before.value, patch);
        const bytes = encodeUtf8(`${JSON.stringify(after, null, 2)}\n`);
        const checked = parseProjectConfig(bytes);
        if (!checked.ok) return invalid(checked.error.message);
        const written = await attempt(() => files.writeAtomic(path, bytes));
        if (!written.ok) return err(unwritable(CONFIG_FILE, written.error.message));
        return ok({ before: before.value, after });
      }),
  };
}

function invalid(message: string): Result<never, Problem> {
  return refuse(422, "config-invalid", message, "Correct the values; nothing was written");
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
