import process from "node:process";
import { createInterface } from "node:readline/promises";

/** Asks on the terminal; where there is none, calling the command was the answer. */
export async function confirm(question: string): Promise<boolean> {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) return true;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  // Ctrl-C and the end of the input are answers too; without them the question waits for ever.
  const left = new Promise<string>((resolve) => {
    lines.once("SIGINT", () => resolve(""));
    lines.once("close", () => resolve(""));
  });
  try {
    const answer = await Promise.race([lines.question(`${question} [y/N] `), left]);
    return /^y(?:es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
}

/** Where the script was started: relative paths of the command line begin there. */
export function workingFolder(): string {
  return process.cwd();
}
