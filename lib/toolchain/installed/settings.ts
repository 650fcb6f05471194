import { encodeUtf8 } from "../../core/bytes.ts";
import { parseJson } from "../../core/json-text.ts";
import { isRecord, own } from "../../core/json.ts";
import { fail, type Failure, messageOf, ok, type Result } from "../../core/result.ts";
import type { ToolchainFolder } from "../work/folder.ts";

/** More than any settings file of ours has, in bytes. */
const MAX_BYTES = 64 * 1024;

/** Contents of settings.json (FIND-16). */
export interface SettingsReading {
  /** The file. */
  readonly path: string;
  /** Absent when the toggle was never set, or the file is damaged. */
  readonly allowSystemToolchain?: boolean;
  /** Set when the file is there and says nothing we can use; the defaults hold then. */
  readonly problem?: Failure<"settings-damaged" | "settings-unreadable">;
  /** All members, so that writing keeps what a newer version put there. */
  readonly members: Readonly<Record<string, unknown>>;
}

/** Result of a change of the settings. */
export interface SettingsWritten {
  /** The file. */
  readonly path: string;
  /** New path of a damaged file, which was moved before the new one was written. */
  readonly setAside?: string;
}

/** Reads settings.json of the toolchain folder. Never throws; a damaged file counts as none. */
export async function readSettings(
  folder: ToolchainFolder,
): Promise<SettingsReading> {
  const path = folder.at("settings.json");
  let bytes: Uint8Array | null;
  try {
    bytes = await folder.files.read(path, MAX_BYTES);
  } catch (thrown) {
    return {
      path,
      members: {},
      problem: {
        code: "settings-unreadable",
        message: `${toldBy(thrown, `Cannot read ${path}`)}; the defaults hold`,
        next: "Make the file readable, or remove it",
      },
    };
  }
  if (bytes === null) return { path, members: {} };
  const members = parseObject(bytes);
  const toggle = members === null ? undefined : own(members, "allowSystemToolchain");
  if (members === null) return damaged(path, "it is not a JSON object");
  if (toggle === undefined) return { path, members };
  if (typeof toggle === "boolean") return { path, members, allowSystemToolchain: toggle };
  return damaged(
    path,
    `"allowSystemToolchain" is ${JSON.stringify(toggle)}, expected true or false`,
  );
}

/**
 * Saves the toggle, completely or not at all. A damaged file is moved aside first, never overwritten.
 */
export async function writeSettings(
  allowSystemToolchain: boolean,
  folder: ToolchainFolder,
): Promise<Result<SettingsWritten, Failure<"settings-unwritable">>> {
  const { files } = folder;
  const current = await readSettings(folder);
  const { path } = current;
  try {
    const setAside = current.problem === undefined ? undefined : await freeName(path, folder);
    if (setAside !== undefined) await files.rename(path, setAside);
    await files.makeDirectory(folder.root);
    const members = { ...current.members, allowSystemToolchain };
    await files.writeAtomic(path, encodeUtf8(`${JSON.stringify(members, null, 2)}\n`));
    return ok(setAside === undefined ? { path } : { path, setAside });
  } catch (thrown) {
    return fail(
      "settings-unwritable",
      toldBy(thrown, `Cannot write ${path}`),
      "Make the folder writable, or set SVC_TOOLCHAIN_DIR to another one",
    );
  }
}

/** Message of an error; the failed action comes first unless the error names it. */
function toldBy(thrown: unknown, what: string): string {
  const message = messageOf(thrown);
  return message.startsWith(what) ? message : `${what}: ${message}`;
}

function damaged(path: string, found: string): SettingsReading {
  return {
    path,
    members: {},
    problem: {
      code: "settings-damaged",
      message: `Cannot use ${path}: ${found}; the defaults hold`,
      next: "Correct or remove the file; setting the toggle moves it aside",
    },
  };
}

function parseObject(bytes: Uint8Array): Record<string, unknown> | null {
  const value = parseJson(bytes);
  return isRecord(value) ? value : null;
}

async function freeName(path: string, { files }: ToolchainFolder): Promise<string> {
  for (let i = 1;; i++) {
    const name = `${path}.damaged-${i}`;
    if ((await files.stat(name)) === null) return name;
  }
}
