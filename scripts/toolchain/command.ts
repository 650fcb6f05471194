import { type Failure, ok, type Result } from "../../lib/core/result.ts";
import type { Runtime } from "../../lib/ports/runtime.ts";
import {
  type DescribeOptions,
  isToolId,
  type LookOptions,
  TOOL_IDS,
  type Toolchain,
  type ToolId,
} from "../../lib/toolchain/mod.ts";
import { type CommandLine, type Flag, unknownWord } from "../shared/command-line.ts";
import type { Output } from "../shared/output.ts";
import type { ToolProject } from "./project.ts";
import type { Screen } from "./screen.ts";

/** A command's answer: the object of `--json`, the text for people, the exit code. */
export interface Answer {
  readonly value: object;
  readonly text: string;
  readonly code: 0 | 1;
  /** A failure that is printed on stderr, in addition to the answer. */
  readonly absent?: Failure;
}

/** Everything that a command works with. */
export interface CommandContext {
  readonly toolchain: Toolchain;
  readonly runtime: Runtime;
  readonly line: CommandLine;
  /** The word after the command; empty when the command takes none. */
  readonly word: string;
  readonly output: Output;
  readonly screen: Screen;
  /** The project that the command works for; absent outside a project. */
  readonly project?: ToolProject | undefined;
}

/** Checks the rest of the command line, before anything is read or run; then does the work. */
export type Prepare = (
  line: CommandLine,
  word: string,
) => Result<(context: CommandContext) => Promise<Result<Answer, Failure>>, Failure<"usage">>;

/** A command of the script. A new one is a row in the table of `toolchain.ts`. */
export interface Command {
  /** Its line in `--help`. */
  readonly doc: string;
  /** The word that the command needs, and its allowed values. */
  readonly word?: {
    readonly name: string;
    readonly what: string;
    readonly known: readonly string[];
    /** Whether it takes several. */
    readonly isList?: boolean;
  };
  /** The flags that mean something to it, with their docs. */
  readonly flags: Readonly<Record<string, Flag>>;
  readonly prepare: Prepare;
}

/** The word of commands that are about one tool. */
export const TOOL_WORD = { name: "ID", what: "a tool id", known: TOOL_IDS } as const;

/**
 * Decides how tools are looked for: as a build of the project does, unless the command line says
 * otherwise.
 */
export function lookOf(
  { line: { values }, project }: Pick<CommandContext, "line" | "project">,
): LookOptions & DescribeOptions {
  const { java, "android-sdk": sdk } = values;
  return {
    ...project?.needed,
    overrides: {
      ...project?.needed.overrides,
      ...(java !== undefined && { java }),
      ...(sdk !== undefined && { "android-sdk": sdk }),
    },
  };
}

/** The tool that a word names. */
export function toolId(word: string): Result<ToolId, Failure<"usage">> {
  return isToolId(word) ? ok(word) : unknownWord("tool", word, TOOL_IDS);
}

/** The work of a command that is about one tool. */
export function aboutTool(
  work: (id: ToolId, context: CommandContext) => Promise<Result<Answer, Failure>>,
): Prepare {
  return (_line, word) => {
    const id = toolId(word);
    return id.ok ? ok((context) => work(id.value, context)) : id;
  };
}
