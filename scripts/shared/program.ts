import { asksForJson, commandLine } from "./cli.ts";
import { type CommandSpec, parseCommandLine } from "./command-line.ts";
import { type CommandName, COMMANDS, isCommandName } from "./commands.ts";
import { invocation } from "./invocation.ts";
import { packageVersion } from "./runtime.ts";

/** A command's module. */
export interface CommandModule {
  /** Usage and flags of the command. */
  readonly SPEC: CommandSpec;
  /** The command, from its command line to its exit code. */
  readonly main: (argv: readonly string[]) => Promise<number>;
}

/** The commands of a program, each loaded when it is called. */
type CommandModules = Readonly<Partial<Record<CommandName, () => Promise<CommandModule>>>>;

/** A divided command line: the command, and its arguments. */
interface Call {
  readonly name: CommandName;
  readonly module: CommandModule;
  readonly argv: readonly string[];
}

/** Commands as one program. */
export interface Program {
  /** The program's own options, without a command. */
  readonly SPEC: CommandSpec;
  /**
   * Finds the command in a command line. Flags may precede it, and values may look like commands
   * (`--name build publish`): the command is the first word that leaves its command a valid command
   * line.
   */
  readonly findCall: (argv: readonly string[]) => Promise<Call | null>;
  /** The program, from its command line to its exit code. */
  readonly main: (argv: readonly string[]) => Promise<number>;
}

/** Makes a program of commands. */
export function createProgram(modules: CommandModules): Program {
  const names = Object.keys(COMMANDS).filter(isCommandName).filter((name) => name in modules);
  const SPEC: CommandSpec = {
    usage: [
      `${invocation()} COMMAND [flags]`,
      "",
      ...names.map((name) => `  ${name.padEnd(14)}  ${COMMANDS[name]}`),
      "",
      `'${invocation()} COMMAND --help' lists its flags`,
    ].join("\n"),
    commands: names,
    flags: { version: { kind: "switch", doc: "print the version" } },
    takesWords: true,
  };
  const isCommand = (word: string): word is CommandName =>
    isCommandName(word) && names.includes(word);
  const findCall = async (argv: readonly string[]): Promise<Call | null> => {
    const calls: Call[] = [];
    for (const [at, name] of argv.entries()) {
      if (name === "--") break;
      const load = isCommand(name) ? modules[name] : undefined;
      if (!isCommand(name) || load === undefined) continue;
      const call = { name, module: await load(), argv: argv.toSpliced(at, 1) };
      if (at === 0 || parseCommandLine(call.argv, call.module.SPEC).ok) return call;
      calls.push(call);
    }
    return calls[0] ?? null;
  };
  return {
    SPEC,
    findCall,
    async main(argv) {
      const [first = "--help"] = argv;
      const call = first.startsWith("-") || isCommand(first) ? await findCall(argv) : null;
      if (call !== null) return await call.module.main(call.argv);
      if (first.startsWith("-") && argv.includes("--version")) {
        const version = packageVersion();
        console.log(asksForJson() ? JSON.stringify({ ok: true, version }) : version);
        return 0;
      }
      const line = commandLine(first.startsWith("-") && argv.length > 0 ? argv : [first], SPEC);
      return typeof line === "number" ? line : 2;
    },
  };
}
