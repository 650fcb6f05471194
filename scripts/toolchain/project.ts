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

/** The parts of a command line that a fix has to repeat. */
export interface TypedFrom {
  /** The project's folder, absolute; absent without a project. */
  readonly root: string | undefined;
  /** The flags with values; none if absent. */
  readonly values?: CommandLine["values"];
}

/**
 * Returns a fix as it is typed in the folder of the terminal. A fix that adds packages to an Android SDK names
 * the project and the folders of the command line; otherwise the packages would go to another SDK.
 */
function typedHere(fix: string, { root, values = {} }: TypedFrom): string {
  if (!fix.includes(" toolchain add ")) return fix;
  const flags = Object.entries(
    {
      project: root === process.cwd() ? undefined : root,
      java: values["java"],
      "android-sdk": values["android-sdk"],
    } satisfies Record<keyof typeof PROJECT_FLAGS, string | undefined>,
  );
  const repeated = flags.flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name} ${shellWord(value)}`]
  );
  return [fix, ...repeated].join(" ");
}

/** Returns a tool with its fix, if it has one, as {@linkcode typedHere} writes it. */
export function withTypedFix<Tool extends { readonly fix?: string }>(
  tool: Tool,
  from: TypedFrom,
): Tool {
  return tool.fix === undefined ? tool : { ...tool, fix: typedHere(tool.fix, from) };
}

/** Returns a preflight with its fixes as {@linkcode typedHere} writes them. */
export function withTypedFixes<Found extends Pick<Preflight, "missing">>(
  found: Found,
  from: TypedFrom,
): Found {
  return { ...found, missing: found.missing.map((tool) => withTypedFix(tool, from)) };
}

async function projectAbove(root: string, files: Runtime["files"]): Promise<string | null> {
  const folder = dirname(root);
  if (folder === root) return null;
  const read = await readProjectConfig(files, folder);
  return read.ok ? folder : await projectAbove(folder, files);
}
