import { spawn } from "node:child_process";
import process from "node:process";
import type { Readable } from "node:stream";
import { isJsonObject, type JsonObject, type JsonValue } from "../../lib/core/json.ts";

/** A running program that speaks JSON lines; it ends with the test. */
export interface LineProgram {
  send(message: JsonObject | readonly JsonValue[]): void;
  /** Called with each line that the program prints from this point; only one listener at a time. */
  onMessage: (message: JsonObject) => void;
  /** Called with the reason when the program ended unasked. */
  onEnd: (why: Error) => void;
  readonly pid: number;
  /** Kills it without warning, as a phone does. */
  kill(): Promise<void>;
}

const isLogged = process.env["SLIPWAY_DEVICE_LOG"] === "1";

/** Starts a program. Its standard error goes to the terminal. */
export function startLineProgram(command: readonly [string, ...string[]]): LineProgram {
  const [name, ...args] = command;
  const child = spawn(name, args, { stdio: ["pipe", "pipe", "inherit"] });
  let isEnded = false;
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const program: LineProgram = {
    send(message) {
      const line = JSON.stringify(message);
      if (isLogged) console.error(`> ${line}`);
      child.stdin.write(`${line}\n`);
    },
    onMessage: () => undefined,
    onEnd: () => undefined,
    pid: child.pid ?? 0,
    async kill() {
      isEnded = true;
      child.kill("SIGKILL");
      await ended;
    },
  };
  const end = (why: string) => {
    if (isEnded) return;
    isEnded = true;
    program.onEnd(new Error(`${name} ${args.join(" ")} ended: ${why}`));
  };
  child.once("error", (error) => end(error.message));
  child.once("exit", (code, signal) => end(`${signal ?? `exit code ${code}`}`));
  child.stdin.on("error", (error) => end(error.message));
  readLines(child.stdout, (line) => {
    if (isLogged) console.error(`< ${line}`);
    const message: unknown = JSON.parse(line);
    if (!isJsonObject(message)) throw new Error(`${name} printed what is no object: ${line}`);
    program.onMessage(message);
  });
  for (const one of [child, child.stdin, child.stdout]) {
    if ("unref" in one && typeof one.unref === "function") one.unref(); // so that a running program does not keep the test alive
  }
  return program;
}

function readLines(stdout: Readable, onLine: (line: string) => void): void {
  let begun: Uint8Array[] = [];
  stdout.on("data", (chunk: Uint8Array) => {
    let rest = chunk;
    for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10)) {
      const line = Buffer.concat([...begun, rest.subarray(0, at)]).toString("utf8");
      begun = [];
      rest = rest.subarray(at + 1);
      onLine(line);
    }
    if (rest.length > 0) begun.push(rest);
  });
}
