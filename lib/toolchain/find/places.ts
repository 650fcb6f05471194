import { hostPaths } from "../../programs/mod.ts";
import type { Places } from "../tools/descriptor.ts";
import type { ToolchainFolder } from "../work/folder.ts";
import type { Platform, ToolchainDeps } from "../work/ports.ts";

/** Newest first: `21.0.11` before `21.0.9`. */
const byVersion = new Intl.Collator("en", { numeric: true });

/**
 * The folders that `places` stands for on this machine, in order. A pattern without a `*` is kept
 * whether it is there or not; one with a `*` gives the folders that are, newest version first.
 *
 * @param base The folder that relative places start from.
 */
export async function expandPlaces(
  places: Places,
  base: string,
  deps: Pick<ToolchainDeps, "files" | "host">,
): Promise<string[]> {
  const { platform } = deps.host;
  const paths = hostPaths(platform);
  const folders: string[] = [];
  for (const pattern of places[platform]) {
    const [start, rest] = rootOf(pattern, base, deps);
    if (start !== null) folders.push(...(await expand(start, rest, deps)));
  }
  return [...new Set(folders)].map((folder) => folder.replaceAll("/", paths.separator));
}

/** Maximum places that a search log names; it counts the others. */
const MAX_DESCRIBED = 5;

/** Describes well-known places for the search log. */
export function describePlaces(places: Places, platform: Platform): string {
  const all = places[platform];
  const named = all.filter((place) => !place.startsWith("%")).slice(0, MAX_DESCRIBED);
  const more = all.length - named.length;
  return named.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** Returns the folder in the toolchain folder that contains all the own places of a tool. */
export function ownFolder(places: Places, folder: ToolchainFolder): string {
  const [first = ""] = (places[folder.paths.platform][0] ?? "").split("/");
  return first === "" ? "" : folder.at(first);
}

function rootOf(
  pattern: string,
  base: string,
  { host }: Pick<ToolchainDeps, "host">,
): [string | null, string[]] {
  const segments = pattern.split("/");
  const [first = "", ...rest] = segments;
  if (first === "~") return [host.home, rest];
  const variable = /^%(.+)%$/.exec(first)?.[1];
  if (variable !== undefined) {
    const value = hostVariable(variable, { host });
    return [value !== null && hostPaths(host.platform).isAbsolute(value) ? value : null, rest];
  }
  if (first === "") return ["/", rest];
  if (/^[A-Za-z]:$/.test(first)) return [`${first}/`, rest];
  return [base, segments];
}

async function expand(
  folder: string,
  segments: readonly string[],
  deps: Pick<ToolchainDeps, "files" | "host">,
): Promise<string[]> {
  const paths = hostPaths(deps.host.platform);
  const star = segments.findIndex((segment) => segment.endsWith("*"));
  if (star < 0) return [paths.join(folder, segments.join("/"))];
  const parent = paths.join(folder, segments.slice(0, star).join("/"));
  const prefix = (segments[star] ?? "").slice(0, -1);
  const names = newestFirst(await childFolders(parent, deps))
    .filter((name) => name.startsWith(prefix));
  const found: string[] = [];
  for (const name of names) {
    const child = paths.join(parent, name);
    found.push(...(await expand(child, segments.slice(star + 1), deps)));
  }
  return found;
}

/** Names of versions, the newest first. */
export function newestFirst(names: readonly string[]): string[] {
  return names.toSorted((a, b) => byVersion.compare(b, a));
}

/**
 * The names of the folders in a folder. Links count: distributions link their default version. A folder
 * we may not read has none.
 */
export async function childFolders(
  folder: string,
  { files }: Pick<ToolchainDeps, "files">,
): Promise<string[]> {
  try {
    return ((await files.list(folder)) ?? [])
      .filter((entry) => entry.kind === "directory" || entry.kind === "symlink")
      .map((entry) => entry.name);
  } catch {
    return []; // not a folder, or not ours to read: either way nothing can be found in it
  }
}

/** The variable `name` of the host, trimmed and without quotes around it; empty is not set. */
export function hostVariable(
  name: string,
  { host }: Pick<ToolchainDeps, "host">,
): string | null {
  const value = (host.env(name) ?? "").trim().replace(/^"(.*)"$/, "$1");
  return value === "" ? null : value;
}

/**
 * `SVC_TOOLCHAIN_DIR`, else `<userData>/toolchain` (FIND-15).
 *
 * @throws {RangeError} on a relative one.
 */
export function toolchainDirectory(deps: Pick<ToolchainDeps, "host">): string {
  const { platform, userData } = deps.host;
  const paths = hostPaths(platform);
  const named = hostVariable("SVC_TOOLCHAIN_DIR", deps);
  if (named === null) return paths.join(userData, "toolchain");
  if (paths.isAbsolute(named)) return named;
  throw new RangeError(
    `Cannot use SVC_TOOLCHAIN_DIR ${JSON.stringify(named)}: it is not an absolute path`,
  );
}

/** Resolves the links of a path; returns one that cannot be resolved as it is. */
export async function realPath(
  path: string,
  { files }: Pick<ToolchainDeps, "files">,
): Promise<string> {
  try {
    return (await files.realPath(path)) ?? path;
  } catch {
    return path;
  }
}
