import type { Platform } from "../ports/host.ts";

// Paths in the host's own spelling, for any platform on any host: Windows rules are tested on Linux.

/** `\` on Windows, `/` elsewhere. */
export function separator(platform: Platform): string {
  return platform === "win32" ? "\\" : "/";
}

/** Whether `path` names one place wherever it is used: no relative, no drive-relative path. */
export function isAbsolutePath(path: string, platform: Platform): boolean {
  return platform === "win32"
    ? /^(?:[A-Za-z]:[\\/]|[\\/]{2}[^\\/])/.test(path)
    : path.startsWith("/");
}

/** Whether `path` names a server (`\\server\share`, `//server/share`), or a device in its spelling. */
export function isNetworkPath(path: string): boolean {
  return /^[\\/]{2}/.test(path);
}

/** Whether an absolute path is a folder or lies below it, by their spelling. */
export function liesIn(path: string, folder: string, platform: Platform): boolean {
  const plain = (text: string) =>
    platform === "win32" ? text.replaceAll("/", "\\").toLowerCase() : text;
  const base = withoutTrailingSeparator(plain(folder), platform);
  return `${plain(path)}${separator(platform)}`.startsWith(`${base}${separator(platform)}`);
}

/** Appends a relative path, written with `/`, to a folder. */
export function joinPath(folder: string, relative: string, platform: Platform): string {
  if (relative === "" || relative === ".") return folder;
  const sep = separator(platform);
  const base = withoutTrailingSeparator(folder, platform);
  return `${base === sep ? "" : base}${sep}${relative.split("/").join(sep)}`;
}

/** The folder that `path` lies in; the root is its own. */
export function parentPath(path: string, platform: Platform): string {
  const trimmed = withoutTrailingSeparator(path, platform);
  const cut = platform === "win32"
    ? Math.max(trimmed.lastIndexOf("\\"), trimmed.lastIndexOf("/"))
    : trimmed.lastIndexOf("/");
  if (cut < 0) return trimmed;
  if (cut === 0) return trimmed.slice(0, 1);
  if (/^[A-Za-z]:$/.test(trimmed.slice(0, cut))) return trimmed.slice(0, cut + 1);
  return trimmed.slice(0, cut);
}

/** The last segment of `path`. */
export function lastSegment(path: string, platform: Platform): string {
  const segments = path.split(platform === "win32" ? /[\\/]/ : "/");
  return segments[segments.length - 1] ?? "";
}

function withoutTrailingSeparator(path: string, platform: Platform): string {
  let end = path.length;
  while (end > 1 && (path[end - 1] === "/" || (platform === "win32" && path[end - 1] === "\\"))) {
    end--;
  }
  return path.slice(0, end);
}

/** The name under which the environment holds `name`: on Windows whatever its case. */
export function environmentKey(
  env: Readonly<Record<string, string>>,
  name: string,
  platform: Platform,
): string | undefined {
  if (platform !== "win32") return Object.hasOwn(env, name) ? name : undefined;
  const wanted = name.toUpperCase();
  // Sorted, so that an environment with both `PATH` and `Path` reads the same everywhere.
  return Object.keys(env).sort().find((key) => key.toUpperCase() === wanted);
}
