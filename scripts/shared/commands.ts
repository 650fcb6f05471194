import { invocation } from "./invocation.ts";

/** Every command of the program with a line of description, in the order of `--help`. */
export const COMMANDS = {
  start: "serves a project's tools to agents, over HTTP and MCP",
  mcp: "serves a project's tools over MCP on standard input and output",
  build: "builds a target of a project",
  replay: "replays a recorded round, and compares its end with the recording",
  toolchain: "finds, installs and removes the tools of a build",
  keygen: "creates a signing key pair, once per game",
  publish: "publishes a built folder to a bucket",
  verify: "checks what players are served",
  history: "lists the signed releases of a bucket",
  rollback: "gives players an earlier version again",
  prune: "removes the files of old versions from a bucket",
  "embed-manifest": "describes the bundle in the app binary",
  "ota-doctor": "lists what keeps an app from updating",
  device: "simulates a phone's updates, step by step",
  demo: "publishes, updates, breaks and recovers, on this machine only",
} as const;

/** A command of the program. */
export type CommandName = keyof typeof COMMANDS;

/** Whether a word names a command. */
export function isCommandName(word: string): word is CommandName {
  return Object.hasOwn(COMMANDS, word);
}

/**
 * Returns the first lines of a command's `--help`. @param rest The text after the command's name.
 */
export function usageOf(command: CommandName, rest: string): string {
  return `${invocation()} ${command} ${rest} : ${COMMANDS[command]}`;
}
