import { encodeUtf8 } from "../../core/bytes.ts";
import { sha256Hex } from "../../core/sha256.ts";
import { EMBEDDED_MANIFEST_FILE } from "../../ota-format/mod.ts";
import { BUILD_MARK } from "../../ota-publish/mod.ts";
import type { Files } from "../../ports/files.ts";

/** The largest file that is looked into, in bytes. */
const MAX_FILE_BYTES = 512 * 1024 * 1024;

/**
 * A hash of every path and every byte below a folder, but for what a build of ours adds when its command
 * is over: the same for a copy of a build that nobody has put anything into.
 *
 * @returns `null` where there is something else than files and folders, or a file that is too large.
 */
export async function contentHash(files: Files, folder: string): Promise<string | null> {
  const lines: string[] = [];
  return await collect(files, { folder, inner: "" }, lines)
    ? await sha256Hex(encodeUtf8(lines.join("\n")))
    : null;
}

async function collect(
  files: Files,
  { folder, inner }: { readonly folder: string; readonly inner: string },
  lines: string[],
): Promise<boolean> {
  for (const { name, kind } of await files.list(`${folder}/${inner}`) ?? []) {
    const path = `${inner}${name}`;
    if (path === BUILD_MARK || path === EMBEDDED_MANIFEST_FILE) continue;
    if (kind === "directory") {
      lines.push(`${JSON.stringify(path)} folder`);
      if (!await collect(files, { folder, inner: `${path}/` }, lines)) return false;
      continue;
    }
    const size = kind === "file" ? (await files.stat(`${folder}/${path}`))?.size ?? 0 : Infinity;
    const bytes = size > MAX_FILE_BYTES
      ? null
      : await files.read(`${folder}/${path}`, MAX_FILE_BYTES);
    if (bytes === null) return false;
    lines.push(`${JSON.stringify(path)} ${await sha256Hex(bytes)}`);
  }
  return true;
}
