#!/usr/bin/env node
import { fail } from "../lib/core/result.ts";
import { openToolchain } from "../lib/toolchain/mod.ts";
import { commandLine, failureOf, printFailure, runScript } from "./shared/cli.ts";
import type { CommandLine, CommandSpec, Flag } from "./shared/command-line.ts";
import { usageOf } from "./shared/commands.ts";
import { invocation, isMain } from "./shared/invocation.ts";
import { createOutput } from "./shared/output.ts";
import { loadRuntime } from "./shared/runtime.ts";
import { addCommand } from "./toolchain/adding.ts";
import type { Command } from "./toolchain/command.ts";
import { diagnosticsCommand } from "./toolchain/diagnostics.ts";
import {
  detectCommand,
  guideCommand,
  preflightCommand,
  resolveCommand,
  settingsCommand,
  statusCommand,
} from "./toolchain/finding.ts";
import { exportCommand, importCommand } from "./toolchain/bundling.ts";
import {
  installCommand,
  licencesCommand,
  repairCommand,
  uninstallCommand,
  verifyCommand,
} from "./toolchain/installing.ts";
import { verifyPinsCommand } from "./toolchain/pinning.ts";
import { cleanCommand } from "./toolchain/cleaning.ts";
import { environmentText } from "./toolchain/environment.ts";
import { toolProject } from "./toolchain/project.ts";
import { screenOfStdout } from "./toolchain/screen.ts";

/** Every command; a new one is a row here and a file in `toolchain/`. */
const COMMANDS: Readonly<Record<string, Command>> = {
  status: statusCommand,
  detect: detectCommand,
  resolve: resolveCommand,
  guide: guideCommand,
  preflight: preflightCommand,
  settings: settingsCommand,
  diagnostics: diagnosticsCommand,
  install: installCommand,
  add: addCommand,
  uninstall: uninstallCommand,
  verify: verifyCommand,
  repair: repairCommand,
  licences: licencesCommand,
  export: exportCommand,
  import: importCommand,
  "verify-pins": verifyPinsCommand,
  clean: cleanCommand,
};

/** Usage and flags of the command. */
export const SPEC: CommandSpec = {
  usage: [
    usageOf("toolchain", "COMMAND [flags]"),
    "",
    ...Object.entries(COMMANDS).map(([name, { word, doc }]) =>
      `  ${`${name} ${word?.name ?? ""}`.padEnd(18)}  ${doc}`
    ),
  ].join("\n"),
  after: environmentText,
  commands: Object.keys(COMMANDS),
  takesWords: true,
  flags: Object.assign(
    {},
    ...Object.values(COMMANDS).map(({ flags }): Record<string, Flag> => flags),
  ),
};

/** The command, from its command line to its exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const line = commandLine(argv, SPEC);
  if (typeof line === "number") return line;
  const prepared = prepare(line);
  if (!prepared.ok) return printFailure(prepared.error);
  const output = createOutput(line);
  const runtime = await loadRuntime();
  const project = await toolProject(line, runtime);
  // An unreadable project is an error only if it was named.
  if (!project.ok) {
    if (line.values["project"] !== undefined) return output.failure(project.error);
    output.warning(project.error);
  }
  const here = project.ok ? project.value ?? undefined : undefined;
  const toolchain = openToolchain(
    here === undefined ? runtime : { ...runtime, project: here.root },
  );
  if (!toolchain.ok) return output.failure(failureOf(toolchain.error));
  const { problem } = await toolchain.value.settings();
  if (problem !== undefined) output.warning(problem); // the defaults hold
  const answer = await prepared.value({
    toolchain: toolchain.value,
    runtime,
    line,
    word: line.positionals[0] ?? "",
    output,
    screen: screenOfStdout(),
    project: here,
  });
  if (!answer.ok) return output.failure(answer.error);
  const { value, text, absent } = answer.value;
  output.result(value, text);
  if (absent !== undefined) output.problem(absent);
  return answer.value.code;
}

/** Validates the complete command line before anything is read or run. */
export function prepare(line: CommandLine): ReturnType<Command["prepare"]> {
  const { command: name = "", positionals, values, switches } = line;
  const command = COMMANDS[name];
  if (command === undefined) return fail("usage", "No command is given", SPEC.usage);
  const given = [...Object.keys(values), ...Object.keys(switches)];
  const misplaced = given.find((flag) => flag in SPEC.flags && !(flag in command.flags));
  if (misplaced !== undefined) {
    return fail("usage", `${name} takes no flag --${misplaced}`, "Remove it");
  }
  const extra = command.word?.isList === true
    ? undefined
    : positionals[command.word === undefined ? 0 : 1];
  if (extra !== undefined) {
    return fail("usage", `${name} takes no word ${JSON.stringify(extra)}`, "Remove it");
  }
  if (command.word !== undefined && (positionals[0] ?? "") === "") {
    const { what, known } = command.word;
    const choices = known.length === 0 ? "" : `: expected one of ${known.join(", ")}`;
    const example = `${invocation()} toolchain ${name} ${known.at(-1) ?? command.word.name}`;
    return fail("usage", `${name} needs ${what}${choices}`, `Run '${example}', for example`);
  }
  return command.prepare(line, positionals[0] ?? "");
}

if (isMain(import.meta)) await runScript(main);
