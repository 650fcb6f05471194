import { parseArgs } from "node:util";
import { didYouMean } from "../../lib/core/nearest.ts";
import { type Err, err, type Failure, ok, type Result } from "../../lib/core/result.ts";

/** A flag of a script. */
export interface Flag {
  /** Whether the flag takes a value (`--port 0`, `--port=0`), one for each occurrence, or none. */
  readonly kind: "value" | "list" | "switch";
  /** One line for `--help`. */
  readonly doc: string;
}

/** Flags by their names. */
export type Flags = Readonly<Record<string, Flag>>;

/** The command line of a script. `--help` and `--json` are switches of every script. */
export interface CommandSpec {
  /** The first line of `--help`. */
  readonly usage: string;
  /** If given, the first word that is not a flag must be one of these. */
  readonly commands?: readonly string[];
  readonly flags: Flags;
  /** Returns the text below the flags in `--help`. */
  readonly after?: () => string;
  /** Whether words that are neither flags nor the command mean something. */
  readonly takesWords?: true;
}

/** A command line, understood. */
export interface CommandLine {
  readonly command?: string;
  readonly positionals: readonly string[];
  readonly values: Readonly<Record<string, string>>;
  readonly switches: Readonly<Record<string, true>>;
  /** Values of the given flags that may be repeated. */
  readonly lists?: Readonly<Record<string, readonly string[]>>;
}

/** The flags of every script. */
export const COMMON_FLAGS: Flags = {
  json: {
    kind: "switch",
    doc: "print one JSON object on stdout; progress as JSON lines on stderr",
  },
  help: { kind: "switch", doc: "print this" },
};

/** Parses a command line. Flags may precede or follow the command; `--` ends them. */
export function parseCommandLine(
  argv: readonly string[],
  spec: CommandSpec,
): Result<CommandLine, Failure<"usage">> {
  const flags = Object.entries({ ...spec.flags, ...COMMON_FLAGS });
  const spelled = new Map<string, { readonly name: string; readonly flag: Flag }>(
    flags.map(([name, flag]) => [`--${name}`, { name, flag }] as const),
  );
  const { tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(
      [...spelled].map(([spelling, { flag }]) =>
        [spelling.slice(2), { type: flag.kind === "switch" ? "boolean" : "string" }] as const
      ),
    ),
    strict: false, // its refusals would not name the flag
    tokens: true,
  });
  const words: string[] = [];
  const values: Record<string, string> = {};
  const switches: Record<string, true> = {};
  const lists: Record<string, string[]> = {};
  for (const token of tokens) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    const { rawName, value, inlineValue } = token;
    const known = spelled.get(rawName);
    if (known === undefined) {
      return unknownWord("flag", rawName, flags.map(([name]) => `--${name}`));
    }
    const { name, flag } = known;
    if (name in values || name in switches) {
      return usage(`Flag ${rawName} is given twice: expected it once`, "Remove one of them");
    }
    if (flag.kind === "switch") {
      if (inlineValue) return usage(`Flag ${rawName} takes no value`, `Write ${rawName} alone`);
      switches[name] = true;
    } else if (value === undefined) {
      return usage(`Flag ${rawName} has no value: expected one after it`, flag.doc);
    } else if (!inlineValue && spelled.has(value)) {
      return usage(
        `Flag ${rawName} has no value: found the flag ${value} after it`,
        `Write ${rawName}=${value} if that is the value`,
      );
    } else if (flag.kind === "list") (lists[name] ??= []).push(value);
    else values[name] = value;
  }
  const isListed = Object.keys(lists).length > 0;
  const line = { positionals: words, values, switches, ...(isListed && { lists }) };
  return switches["help"] === true ? ok(line) : withCommand(line, spec);
}

/** Takes the command from the words, and refuses superfluous words. */
function withCommand(
  line: CommandLine,
  { commands, takesWords, usage: next }: CommandSpec,
): Result<CommandLine, Failure<"usage">> {
  const { positionals } = line;
  const surplus = positionals[commands === undefined ? 0 : 1];
  if (surplus !== undefined && takesWords !== true) {
    const found = JSON.stringify(surplus.slice(0, 80));
    return usage(`Unexpected word ${found}: expected flags only`, next);
  }
  if (commands === undefined) return ok(line);
  const [command, ...rest] = positionals;
  if (command === undefined) {
    return usage(`No command is given: expected one of ${commands.join(", ")}`, next);
  }
  if (!commands.includes(command)) return unknownWord("command", command, commands);
  return ok({ ...line, command, positionals: rest });
}

/** Refuses an unknown word, naming the nearest known ones. */
export function unknownWord(
  what: string,
  word: string,
  known: readonly string[],
): Err<Failure<"usage">> {
  return usage(
    `Unknown ${what} ${JSON.stringify(word.slice(0, 80))}: expected one of ${known.join(", ")}`,
    didYouMean(word, known, "See --help"),
  );
}

function usage(message: string, next: string): Err<Failure<"usage">> {
  return err({ code: "usage", message, next });
}
