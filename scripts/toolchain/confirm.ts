import process from "node:process";
import { createInterface } from "node:readline/promises";

/**
 * Asks on the terminal. Without a terminal on stdin nobody can answer, and running the command
 * counts as `yes`; with one whose user cannot see the question, the answer is `unseen`.
 */
export async function confirm(question: string): Promise<"yes" | "no" | "unseen"> {
  if (process.stdin.isTTY !== true) return "yes";
  if (process.stderr.isTTY !== true) return "unseen";
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  // Restores the terminal before the signal ends the process.
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
