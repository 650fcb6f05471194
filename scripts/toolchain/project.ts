import { dirname, resolve } from "node:path";
import process from "node:process";
import { fail, type Failure, ok, type Result } from "../../lib/core/result.ts";
import { shellWord } from "../../lib/core/shell-word.ts";
import type { Runtime } from "../../lib/ports/runtime.ts";
import { neededTools } from "../../lib/project/building/mod.ts";
import { readProjectConfig } from "../../lib/project/config/mod.ts";
import type { DescribeOptions, LookOptions, Preflight } from "../../lib/toolchain/mod.ts";
import type { CommandLine, Flag } from "../shared/command-line.ts";

/** A project's settings for the tools of its builds. */
export interface ToolProject {
  /** Its folder, absolute. */
  readonly root: string;
  readonly name: string;
  /** How the project's builds look for tools. */
  readonly needed: LookOptions & DescribeOptions;
}

/** The flags of commands that look for tools as a build of a project does. */
export const PROJECT_FLAGS = {
  project: {
    kind: "value",
    doc: "the project whose targets and settings count (default: the one in this folder)",
  },
  java: { kind: "value", doc: "the JDK folder that the project names (user.sdk)" },
  "android-sdk": { kind: "value", doc: "the SDK folder that the project names (user.sdk)" },
} as const satisfies Readonly<Record<string, Flag>>;

/**
 * Finds the project that the command line names, or the one in the folder in which the script was
 * started.
 *
 * @returns `null` when that folder is not a project; `project-above` when a folder above it is one.
 * That one does not count: the folder above may be writable for everybody, and a project decides
 * what a build runs.
 */
export async function toolProject(
  { values }: CommandLine,
  { files, host }: Pick<Runtime, "files" | "host">,
  cwd: string = process.cwd(),
): Promise<Result<ToolProject | null, Failure>> {
  const named = values["project"];
  const root = resolve(cwd, named ?? ".");
  const read = await readProjectConfig(files, root);
  if (!read.ok) {
    const { code, detail, hint } = read.error;
    if (named !== undefined || code !== "config-missing") return fail(code, detail, hint);
    const above = await projectAbove(root, files);
    return above === null ? ok(null) : fail(
      "project-above",
      `The project in ${above} does not count in this folder`,
      `Change to its folder, or add --project ${shellWord(above)}`,
    );
  }
  const needed = await neededTools({ files, host }, root, read.value);
  return ok({ root, name: read.value.name, needed });
}

/**
 * Returns a fix as it is typed in the folder of the terminal. The one that adds packages to an Android SDK names
 * the project: without it, it would add them to the SDK of that folder.
 *
 * @param root The project's folder, absolute; absent without a project.
 */
export function typedHere(
  fix: string,
  root: string | undefined,
  cwd: string = process.cwd(),
): string {
  return root === undefined || root === cwd || !fix.includes(" toolchain add ")
    ? fix
    : `${fix} --project ${shellWord(root)}`;
}

/** Returns a preflight with its fixes as {@linkcode typedHere} writes them. */
export function withTypedFixes<Found extends Pick<Preflight, "missing">>(
  found: Found,
  root: string,
): Found {
  const missing = found.missing.map((tool) => ({ ...tool, fix: typedHere(tool.fix, root) }));
  return { ...found, missing };
}

async function projectAbove(root: string, files: Runtime["files"]): Promise<string | null> {
  const folder = dirname(root);
  if (folder === root) return null;
  const read = await readProjectConfig(files, folder);
  return read.ok ? folder : await projectAbove(folder, files);
}
