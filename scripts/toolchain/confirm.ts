import process from "node:process";
import { createInterface } from "node:readline/promises";

/**
 * Asks on the terminal. Where nobody sits at one, calling the command was the answer; where somebody
 * does and cannot see the question, it is `unseen`.
 */
export async function confirm(question: string): Promise<"yes" | "no" | "unseen"> {
  if (process.stdin.isTTY !== true) return "yes";
  if (process.stderr.isTTY !== true) return "unseen";
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  // The terminal is given back before the process ends as the signal says.
  const endBy = (signal: NodeJS.Signals) => {
    lines.close();
    process.stderr.write("\n");
    process.kill(process.pid, signal);
  };
  const onTerm = () => endBy("SIGTERM");
  lines.once("SIGINT", () => endBy("SIGINT"));
  process.once("SIGTERM", onTerm);
  // The end of the input is an answer too; without it the question waits for ever.
  const left = new Promise<string>((resolve) => lines.once("close", () => resolve("")));
  try {
    const answer = await Promise.race([lines.question(`${question} [y/N] `), left]);
    return /^y(?:es)?$/i.test(answer.trim()) ? "yes" : "no";
  } finally {
    process.off("SIGTERM", onTerm);
    lines.close();
  }
}
