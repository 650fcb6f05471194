#!/usr/bin/env node
import { asksForJson, commandLine, runScript } from "./shared/cli.ts";
import { type CommandSpec, parseCommandLine } from "./shared/command-line.ts";
import { type CommandName, COMMANDS, isCommandName } from "./shared/commands.ts";
import { invocation, isMain } from "./shared/invocation.ts";
import { packageVersion } from "./shared/runtime.ts";

// All commands as one program. A command is loaded when it is called.

/** A command's module. */
export interface CommandModule {
  /** Usage and flags of the command. */
  readonly SPEC: CommandSpec;
  /** The command, from its command line to its exit code. */
  readonly main: (argv: readonly string[]) => Promise<number>;
}

const MODULES: Readonly<Record<CommandName, () => Promise<CommandModule>>> = {
  start: () => import("./start.ts"),
  mcp: () => import("./mcp.ts"),
  build: () => import("./build.ts"),
  replay: () => import("./replay.ts"),
  toolchain: () => import("./toolchain.ts"),
  keygen: () => import("./ota-keygen.ts"),
  publish: () => import("./ota-publish.ts"),
  verify: () => import("./ota-verify.ts"),
  history: () => import("./ota-history.ts"),
  rollback: () => import("./ota-rollback.ts"),
  prune: () => import("./ota-prune.ts"),
  "embed-manifest": () => import("./ota-embed-manifest.ts"),
  "ota-doctor": () => import("./ota-doctor.ts"),
  device: () => import("./ota-device.ts"),
  demo: () => import("./demo.ts"),
};

/** The program's own options, without a command. */
export const SPEC: CommandSpec = {
  usage: [
    `${invocation()} COMMAND [flags]`,
    "",
    ...Object.entries(COMMANDS).map(([name, doc]) => `  ${name.padEnd(14)}  ${doc}`),
    "",
    `'${invocation()} COMMAND --help' tells its flags`,
  ].join("\n"),
  commands: Object.keys(COMMANDS),
  flags: { version: { kind: "switch", doc: "print the version" } },
  takesWords: true,
};

/** A divided command line: the command, and its arguments. */
interface Call {
  readonly name: CommandName;
  readonly module: CommandModule;
  readonly argv: readonly string[];
}

/**
 * Finds the command in a command line. Flags may precede it, and values may look like commands
 * (`--name build publish`): the command is the first word that leaves its command a valid command
 * line.
 */
export async function findCall(argv: readonly string[]): Promise<Call | null> {
  const calls: Call[] = [];
  for (const [at, name] of argv.entries()) {
    if (name === "--") break;
    if (!isCommandName(name)) continue;
    const call = { name, module: await MODULES[name](), argv: argv.toSpliced(at, 1) };
    if (at === 0 || parseCommandLine(call.argv, call.module.SPEC).ok) return call;
    calls.push(call);
  }
  return calls[0] ?? null;
}

/** The program, from its command line to its exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const [first = "--help"] = argv;
  const call = first.startsWith("-") || isCommandName(first) ? await findCall(argv) : null;
  if (call !== null) return await call.module.main(call.argv);
  if (first.startsWith("-") && argv.includes("--version")) {
    const version = packageVersion();
    console.log(asksForJson() ? JSON.stringify({ ok: true, version }) : version);
    return 0;
  }
  const line = commandLine(first.startsWith("-") && argv.length > 0 ? argv : [first], SPEC);
  return typeof line === "number" ? line : 2;
}

if (isMain(import.meta)) await runScript(main);
