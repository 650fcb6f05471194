import { isRecord } from "../../../core/json.ts";
import type { Files } from "../../../ports/files.ts";
import { folderAbove, readJsonObject, readText } from "./project-text.ts";
import { compareVersions } from "./versions.ts";

// The Node that a project asks for. Only a version manager's own program follows these files: without one a
// build runs on the Node of PATH, whatever they say (TOOL-16).

/** A version or range of Node that a file of a project asks for. */
export interface NodeRequest {
  /** Its text in the file: `22`, `lts/jod`, `^20.11 || >=22`. */
  readonly range: string;
  /** The file, from the project's folder, with the field. */
  readonly from: string;
}

/** Maximum characters of a range. */
const MAX_RANGE = 100;

/** Files of version managers, and the range in each. A manager takes the nearest one, above the project too. */
const VERSION_FILES:
  readonly (readonly [path: string, read: (text: string) => string | undefined])[] = [
    [".nvmrc", lineOf],
    [".node-version", lineOf],
    // Of several, the first that is installed counts.
    [
      ".tool-versions",
      (text) => /^nodejs[ \t]+([^#\r\n]+)/m.exec(text)?.[1]?.trim().split(/[ \t]+/).join(" || "),
    ],
    ["mise.toml", (text) => /^node[ \t]*=[ \t]*["']([^"'\r\n]+)["']/m.exec(text)?.[1]],
  ];

/** Returns what the files of a project ask for, those of version managers first. */
export async function nodeRequests(files: Files, root: string): Promise<readonly NodeRequest[]> {
  const own = await files.realPath(root) ?? root;
  const nearest = await Promise.all(
    VERSION_FILES.map(([path, read]) => nearestRequest(files, own, { path, read })),
  );
  const manifest = await readJsonObject(files, root, "package.json") ?? {};
  const { volta, engines, devEngines } = manifest;
  const runtime = isRecord(devEngines) ? [devEngines["runtime"]].flat() : [];
  const asked: readonly (readonly [from: string, range: unknown])[] = [
    ["volta in package.json", isRecord(volta) ? volta["node"] : undefined],
    ["engines in package.json", isRecord(engines) ? engines["node"] : undefined],
    ...runtime.map((each) =>
      ["devEngines in package.json", nodeOf(each)] satisfies readonly [string, unknown]
    ),
  ];
  return [
    ...nearest.filter((request) => request !== null),
    ...asked.flatMap(([from, range]) => requestOf(range, from) ?? []),
  ];
}

function requestOf(range: unknown, from: string): NodeRequest | null {
  return typeof range === "string" && range.trim() !== "" && range.length <= MAX_RANGE
    ? { range: range.trim(), from }
    : null;
}

/** Finds a version file with a range in a folder or the nearest above it. */
async function nearestRequest(
  files: Files,
  own: string,
  { path, read }: { readonly path: string; readonly read: (text: string) => string | undefined },
): Promise<NodeRequest | null> {
  let from = path;
  for (let folder: string | null = own; folder !== null; folder = folderAbove(folder)) {
    const request = requestOf(read(await readText(files, folder, path) ?? ""), from);
    if (request !== null) return request;
    from = `../${from}`;
  }
  return null;
}

/** The first line of a version file that is not a comment. */
function lineOf(text: string): string | undefined {
  return text.split(/\r?\n/).map((line) => line.replace(/#.*/, "").trim())
    .find((line) => line !== "");
}

function nodeOf(runtime: unknown): unknown {
  return isRecord(runtime) && runtime["name"] === "node" ? runtime["version"] : undefined;
}

/** Major versions by the names of their long support. */
const LTS: ReadonlyMap<string, string> = new Map([
  ["gallium", "16"],
  ["hydrogen", "18"],
  ["iron", "20"],
  ["jod", "22"],
  ["krypton", "24"],
]);

/**
 * Whether a version of Node is what is asked for.
 *
 * @returns `null` if that is not known: `lts/*`, an alias.
 */
export function isAskedFor(version: string, { range }: NodeRequest): boolean | null {
  const code = /^lts[/-](\w+)$/i.exec(range)?.[1]?.toLowerCase();
  const text = code === undefined ? range : LTS.get(code);
  if (text === undefined) return null;
  const sets = text.split("||").map((set) => limitsOf(set.trim()));
  if (sets.some((set) => set?.every(({ holds }) => holds(version)))) return true;
  return sets.includes(null) ? null : false;
}

/** A condition of a range. */
interface Limit {
  readonly holds: (version: string) => boolean;
}

/** The conditions of a range that hold together; `null` if they cannot be read. */
function limitsOf(set: string): readonly Limit[] | null {
  const [, from, to] = /^(\S+)\s+-\s+(\S+)$/.exec(set) ?? [];
  const words = from === undefined || to === undefined
    ? set.replace(/([<>=~^])\s+/g, "$1").split(/\s+/)
    : [`>=${from}`, `<=${to}`];
  const limits = words.map(limitOf);
  return limits.every((limit) => limit !== null) ? limits : null;
}

/** A sign and a version, of which numbers may be missing: `>=22`, `^20.11`, `18.x`. */
const LIMIT = /^([<>]=?|=|\^|~>?)?v?(\d{1,5}|[x*])(?:\.(\d{1,5}|[x*]))?(?:\.(\d{1,5}|[x*]))?$/i;

function limitOf(word: string): Limit | null {
  const [, sign = "", ...found] = LIMIT.exec(word) ?? [];
  if (found.length === 0) return null;
  const wild = found.findIndex((part) => part === undefined || /[x*]/i.test(part));
  const numbers = found.slice(0, wild < 0 ? found.length : wild).map(Number);
  if (numbers.length === 0) return { holds: () => true };
  const least = numbers.join(".");
  const next = (at: number) =>
    numbers.slice(0, at + 1).map((part, n) => part + Number(n === at)).join(".");
  const atLeast = (version: string) => compareVersions(version, least) >= 0;
  const below = (version: string, limit: string) => compareVersions(version, limit) < 0;
  const end = next(numbers.length - 1); // the first version after `22.1`, which stands for 22.1.0 to 22.1.x
  switch (sign) {
    case ">=":
      return { holds: atLeast };
    case "<":
      return { holds: (version) => below(version, least) };
    case ">":
      return { holds: (version) => !below(version, end) };
    case "<=":
      return { holds: (version) => below(version, end) };
    case "^":
      return { holds: (version) => atLeast(version) && below(version, next(0)) };
    case "~":
    case "~>":
      return {
        holds: (version) =>
          atLeast(version) && below(version, next(Math.min(1, numbers.length - 1))),
      };
    default:
      return { holds: (version) => atLeast(version) && below(version, end) };
  }
}
