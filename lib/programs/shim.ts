import { decodeUtf8 } from "../core/bytes.ts";
import type { Files, SyncStat } from "../ports/files.ts";
import { hostPaths } from "./host-paths.ts";
import { searchPath } from "./which.ts";

/** The program behind a shim: its path, and the arguments before the caller's. */
export interface BehindShim {
  /** Absolute path of the program. */
  readonly command: string;
  /** The script, or the class path and the class. */
  readonly args: readonly string[];
}

/** The parts that reading a shim needs. */
export interface ShimContext {
  /** Reads the shim. */
  readonly files: Pick<Files, "read">;
  /** Reads facts of the files that it names. */
  readonly stat: SyncStat;
  /** The environment that the shim would run in: a runtime is looked up on its PATH. */
  readonly env: Readonly<Record<string, string>>;
}

const WINDOWS = hostPaths("win32");

/** More than any shim has, in bytes. */
const MAX_SHIM_BYTES = 16 * 1024;

/** Runtimes whose shims are known; all other shims stay with cmd.exe. */
const RUNTIMES = ["node.exe", "ruby.exe"];

/** The last line of a shim of npm, pnpm or RubyGems: a program, a script, and all the arguments. */
const FORWARD = /"([^"\r\n]+)"[ \t]+"([^"\r\n]+)"[ \t]+%\*[ \t]*\r?\n?\s*$/;

/**
 * Reads which program a `.cmd` or `.bat` shim of npm, pnpm or RubyGems starts, so that it can be
 * started without cmd.exe: the only way in which every argument arrives unchanged (decision 59).
 * `null` for any other file.
 *
 * @param command Absolute Windows path of the shim.
 */
export async function behindShim(
  command: string,
  context: ShimContext,
): Promise<BehindShim | null> {
  const text = await shimText(command, context);
  const match = text === null ? null : FORWARD.exec(text);
  if (match === null) return null;
  const [, first = "", second = ""] = match;
  const program = first === "%_prog%" ? nodeBeside(command, context) : expand(first, command);
  const script = expand(second, command);
  if (program === null || script === null) return null;
  const known = RUNTIMES.includes(WINDOWS.name(program).toLowerCase());
  return known && isFile(program, context) && isFile(script, context)
    ? { command: program, args: [script] }
    : null;
}

/** Finds the programs of a Node folder's `npm.cmd` and `npx.cmd` by their places alone. */
export function behindNpm(command: string, stat: SyncStat): BehindShim | null {
  const name = /^(npm|npx)\.cmd$/i.exec(WINDOWS.name(command))?.[1]?.toLowerCase();
  if (name === undefined) return null;
  const folder = WINDOWS.parent(command);
  const node = WINDOWS.join(folder, "node.exe");
  const script = WINDOWS.join(folder, `node_modules/npm/bin/${name}-cli.js`);
  return isFile(node, { stat }) && isFile(script, { stat })
    ? { command: node, args: [script] }
    : null;
}

async function shimText(command: string, { files }: ShimContext): Promise<string | null> {
  try {
    const bytes = await files.read(command, MAX_SHIM_BYTES);
    return bytes === null ? null : decodeUtf8(bytes);
  } catch {
    return null; // too large for a shim, or not ours to read
  }
}

/** Finds the `node.exe` of npm's shims: beside them, else on PATH. */
function nodeBeside(command: string, { env, stat }: ShimContext): string | null {
  const beside = WINDOWS.join(WINDOWS.parent(command), "node.exe");
  if (isFile(beside, { stat })) return beside;
  return searchPath("node.exe", { platform: "win32", env, stat })[0] ?? null;
}

/** Replaces the batch file's own place in `text`; `null` if any other expansion remains. */
function expand(text: string, command: string): string | null {
  const folder = WINDOWS.parent(command);
  const slashed = folder.endsWith("\\") ? folder : `${folder}\\`;
  const filled = text
    .replace(/^%~dpn0/i, () => command.replace(/\.[^.\\/]*$/, ""))
    .replace(/^%~dp0\\?/i, () => slashed)
    .replace(/^%dp0%\\?/i, () => slashed);
  return filled.includes("%") || !WINDOWS.isAbsolute(filled) ? null : normalized(filled);
}

/** Backslashes, and no `..` that a prefix hides. */
function normalized(path: string): string {
  const kept: string[] = [];
  for (const segment of path.replaceAll("/", "\\").split("\\")) {
    if (segment === "..") kept.pop();
    else if (segment !== ".") kept.push(segment);
  }
  return kept.join("\\");
}

function isFile(path: string, { stat }: Pick<ShimContext, "stat">): boolean {
  return stat(path).kind === "file";
}
