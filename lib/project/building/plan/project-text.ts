import { attempt } from "../../../core/attempt.ts";
import { decodeUtf8 } from "../../../core/bytes.ts";
import { atResolved, locationInside } from "../../../core/inside.ts";
import { isRecord } from "../../../core/json.ts";
import { parseJson } from "../../../core/json-text.ts";
import { readInside } from "../../../editor/files/mod.ts";
import type { FileKind, Files } from "../../../ports/files.ts";

// Texts of a project that other programs own: they are read as data, never run.

/** Maximum bytes of such a file. */
export const MAX_TEXT_BYTES: number = 256 * 1024;
/** Bytes that show which kind of file it is. */
const HEAD_BYTES = 512;

/**
 * Reads a text of a folder, without its byte order mark: Notepad and PowerShell write one.
 *
 * @returns `null` if the file is missing, outside of the folder by a link, too large, or not UTF-8.
 */
export async function readText(files: Files, folder: string, path: string): Promise<string | null> {
  const read = await attempt(() => readInside(files, folder, { path, maxBytes: MAX_TEXT_BYTES }));
  if (!read.ok || read.value === null || read.value === "outside") return null;
  return textOf(read.value.bytes);
}

/** Decodes a text, without its byte order mark. @returns `null` if it is not UTF-8. */
export function textOf(bytes: Uint8Array): string | null {
  return decodeUtf8(bytes)?.replace(/^\uFEFF/, "") ?? null;
}

/** Decodes a properties file: older ones are in Latin-1, which Java takes them for. */
export function propertiesText(bytes: Uint8Array): string {
  return textOf(bytes) ?? new TextDecoder("latin1").decode(bytes);
}

/** Whether a path is absolute, on any system. */
export function isAbsolutePath(path: string): boolean {
  return /^(?:[\\/]|[A-Za-z]:[\\/])/.test(path);
}

/** The folder above another one; `null` for the topmost, and the root of the system. */
export function folderAbove(folder: string): string | null {
  const above = folder.replace(/[\\/][^\\/]*$/, "");
  return above === folder || above === "" ? null : above;
}

/** The absolute path of a folder that is given as an absolute path, or as one below the project's. */
export function folderPlace(root: string, folder: string): string {
  return isAbsolutePath(folder) ? folder : folder === "" ? root : `${root}/${folder}`;
}

/** Reads a JSON object of a folder. @returns `null` for none: {@linkcode readText}. */
export async function readJsonObject(
  files: Files,
  folder: string,
  path: string,
): Promise<Readonly<Record<string, unknown>> | null> {
  const value = parseJson(await readText(files, folder, path));
  return isRecord(value) ? value : null;
}

/** Whether a file is at a path, links followed. */
export async function isFile(files: Files, path: string): Promise<boolean> {
  return await kindAt(files, path) === "file";
}

/** Whether a folder is at a path, links followed. */
export async function isFolder(files: Files, path: string): Promise<boolean> {
  return await kindAt(files, path) === "directory";
}

async function kindAt(files: Files, path: string): Promise<FileKind | null> {
  const found = await attempt(async () => {
    const real = await files.realPath(path);
    return real === null ? null : await files.stat(real);
  });
  return found.ok ? found.value?.kind ?? null : null;
}

/** Reads the first bytes of a file of a folder. @returns `null` if it is missing or unreadable, or outside. */
export async function firstBytes(
  files: Files,
  folder: string,
  { path, length }: { readonly path: string; readonly length: number },
): Promise<Uint8Array | "outside" | null> {
  const read = await attempt(async () => {
    const location = await locationInside(files, folder, path);
    return location === null || location === "outside"
      ? location
      : await atResolved(files).readRange(location, 0, length);
  });
  return read.ok ? read.value : null;
}

/** Reads the beginning of a text of a folder; empty for none: {@linkcode readText}. */
export async function headOf(files: Files, folder: string, path: string): Promise<string> {
  const bytes = await firstBytes(files, folder, { path, length: HEAD_BYTES });
  return bytes === null || bytes === "outside" ? "" : new TextDecoder().decode(bytes);
}
