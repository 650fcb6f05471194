import { decodeUtf8 } from "../core/bytes.ts";
import type { Files } from "../ports/files.ts";
import type { Host } from "../ports/host.ts";
import { hostPaths } from "./host-paths.ts";

const LINUX = hostPaths("linux");

/** More than the mounts of any machine take, in bytes. */
const MAX_MOUNTS = 4 * 1024 * 1024;

/** The end of a sentence about a program on such a file system. */
export const NOEXEC = "it lies on a file system that forbids running programs (noexec)";

/**
 * Returns whether a path is on a file system that was mounted `noexec`. Only Linux reports that;
 * otherwise `false`.
 */
export async function isOnNoexec(
  path: string,
  { files, host }: {
    readonly files: Pick<Files, "read" | "realPath">;
    readonly host: Pick<Host, "platform">;
  },
): Promise<boolean> {
  if (host.platform !== "linux") return false;
  try {
    const bytes = await files.read("/proc/self/mountinfo", MAX_MOUNTS);
    const text = bytes === null ? null : decodeUtf8(bytes);
    return text !== null && optionsOf(await files.realPath(path) ?? path, text).includes("noexec");
  } catch {
    return false; // missing or unreadable: unknown
  }
}

/**
 * Returns the options of the mount that contains a path: the longest one, and among equal ones the
 * last.
 */
function optionsOf(path: string, mountinfo: string): readonly string[] {
  let best: { readonly folder: string; readonly options: string } = { folder: "", options: "" };
  for (const line of mountinfo.split("\n")) {
    const [, , , , point, options] = line.split(" ");
    if (point === undefined || options === undefined) continue;
    const folder = point.replace(/\\([0-7]{3})/g, (_, octal) =>
      // a space is written `\040`
      String.fromCharCode(parseInt(octal, 8)));
    if (folder.length >= best.folder.length && LINUX.isWithin(path, folder)) {
      best = { folder, options };
    }
  }
  return best.options.split(",");
}
