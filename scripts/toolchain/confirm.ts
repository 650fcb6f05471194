import process from "node:process";
import { createInterface } from "node:readline/promises";

/** Asks on the terminal; where there is none, calling the command was the answer. */
export async function confirm(question: string): Promise<boolean> {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) return true;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}

/** Where the script was started: relative paths of the command line begin there. */
export function workingFolder(): string {
  return process.cwd();
}
