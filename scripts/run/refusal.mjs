import process from "node:process";

/** Ends the run with a sentence and the next step. */
export class Refusal extends Error {
  constructor(message, next, exitCode = 1) {
    super(message);
    this.next = next;
    this.exitCode = exitCode;
  }
}

/** Writes a line to stderr. */
export function say(text) {
  process.stderr.write(`${text}\n`);
}
