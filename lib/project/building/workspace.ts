// Workspaces: one folder installs the packages of several projects below it, which it names by patterns.

/** Maximum patterns of a workspace that are looked at. */
const MAX_PATTERNS = 200;
/** Maximum characters of one. */
const MAX_PATTERN = 300;

/**
 * Whether the patterns of a workspace name a folder: `apps/*`, `games/**`, `!games/old`.
 *
 * @param path The folder, relative to the workspace, with `/`.
 */
export function isMember(path: string, patterns: readonly string[]): boolean {
  const segments = path.split("/");
  const named = (pattern: string) =>
    fitsSegments(pattern.replace(/^\.\//, "").split("/"), segments);
  const known = patterns.filter(({ length }) => length <= MAX_PATTERN).slice(0, MAX_PATTERNS);
  const excluded = known.filter((pattern) => pattern.startsWith("!")).map((each) => each.slice(1));
  return known.some((pattern) => !pattern.startsWith("!") && named(pattern)) &&
    !excluded.some(named);
}

/**
 * Reads the patterns of a `pnpm-workspace.yaml`: a list in lines or in brackets. Many have settings alone:
 * without patterns only the folder of the file itself is in the workspace (pnpm.io/pnpm-workspace_yaml).
 */
export function pnpmMembers(yaml: string): readonly string[] {
  const lines = yaml.split(/\r?\n/);
  const at = lines.findIndex((line) => /^["']?packages["']?[ \t]*:/.test(line));
  if (at < 0) return [];
  const [, inBrackets] = /^[^:]*:\s*\[([^\]]*)/.exec(lines.slice(at).join("\n")) ?? [];
  if (inBrackets !== undefined) {
    return inBrackets.split(",").map(unquoted).filter((each) => each !== "");
  }
  const patterns: string[] = [];
  for (const line of lines.slice(at + 1)) {
    if (/^\s*(?:#.*)?$/.test(line)) continue;
    const [, pattern] = /^[ \t]*-[ \t]+(\S.*)$/.exec(line) ?? [];
    if (pattern === undefined) break;
    patterns.push(unquoted(pattern));
  }
  return patterns;
}

function unquoted(text: string): string {
  if (text.length > MAX_PATTERN) return "";
  const [, quoted, plain = ""] = /^\s*(?:["']([^"']*)["']|([^\s#]*))/.exec(text) ?? [];
  return (quoted ?? plain).replace(/\/+$/, "");
}

function fitsSegments(pattern: readonly string[], path: readonly string[]): boolean {
  return fits(pattern.filter((segment) => segment !== ""), path, {
    isRun: (segment) => segment === "**",
    isOne: (segment, name) =>
      fits([...segment], [...name], {
        isRun: (sign) => sign === "*",
        isOne: (sign, character) => sign === "?" || sign === character,
      }),
  });
}

/**
 * Whether a pattern whose runs stand for any number of items fits. On a mismatch only the last run takes
 * one item more, so that no pattern takes longer than its length times the text's.
 */
function fits(
  pattern: readonly string[],
  text: readonly string[],
  { isRun, isOne }: {
    readonly isRun: (part: string) => boolean;
    readonly isOne: (part: string, item: string) => boolean;
  },
): boolean {
  let [at, run, from] = [0, -1, 0];
  for (let i = 0; i < text.length;) {
    const part = pattern[at];
    if (part !== undefined && isRun(part)) [run, from, at] = [at, i, at + 1];
    else if (part !== undefined && isOne(part, text[i] ?? "")) [at, i] = [at + 1, i + 1];
    else if (run < 0) return false;
    else [at, i, from] = [run + 1, from + 1, from + 1];
  }
  return pattern.slice(at).every(isRun);
}
