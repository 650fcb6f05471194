import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { packageRoot } from "../shared/runtime.ts";

// A native core as a process with its own disk, network and clock, asked over JSON lines
// (vectors/INTERPRETING.md, "The device as a process").

/** Java's heap is limited to what an app's core may use on a phone, without the virtual machine. */
const JAVA_OPTIONS = "-Xmx48m";

/** Below `native/`. */
export type CoreFolder = "ios" | "android";

/** A core that runs. */
export interface CoreProcess {
  /** Opens the device with files below a folder. */
  open(root: string): void;
  /** Asks for an operation, which must not fail. */
  ask(op: string, request: object): Promise<unknown>;
  /** Peak memory in bytes; `null` if the system does not report it. */
  peakBytes(): number | null;
  close(): Promise<void>;
}

/** Starts a core, and builds it if necessary; `null` if it cannot be built here. */
export async function startCore(core: CoreFolder): Promise<CoreProcess | null> {
  const child = spawn(join(packageRoot(), "native", core, "device"), [], {
    stdio: ["pipe", "pipe", "ignore"],
    // glibc keeps memory per thread, more with every staging; no phone has glibc.
    env: { ...process.env, MALLOC_ARENA_MAX: "1", SLIPWAY_JAVA_OPTIONS: JAVA_OPTIONS },
  });
  const waiting = new Map<number, (answer: Record<string, unknown> | null) => void>();
  const ended = new Promise<void>((resolve) => {
    const end = () => {
      for (const hear of waiting.values()) hear(null);
      resolve();
    };
    child.once("error", end);
    child.once("close", end);
  });
  child.stdin.on("error", () => undefined); // its end is reported separately
  createInterface({ input: child.stdout }).on("line", (line) => {
    const answer: Record<string, unknown> = JSON.parse(line);
    waiting.get(Number(answer["id"]))?.(answer);
  });
  const send = (message: object) => void child.stdin.write(`${JSON.stringify(message)}\n`);
  let last = 0;
  const ask = async (op: string, request: object): Promise<unknown> => {
    const id = ++last;
    const answered = new Promise<Record<string, unknown> | null>((hear) => waiting.set(id, hear));
    send({ id, op, request });
    const answer = await answered;
    waiting.delete(id);
    if (answer === null) throw new Error(`The core in native/${core} ended while asked to ${op}`);
    if ("error" in answer) throw new Error(`${op}: ${JSON.stringify(answer["error"])}`);
    return answer["answer"];
  };
  const hasStarted = await ask("cancel", {}).then(() => true, () => false);
  if (!hasStarted) return null;
  return {
    ask,
    open: (root) => send({ open: { root, supplies: [] } }),
    peakBytes: () => peakOf(child.pid),
    async close() {
      child.stdin.end();
      child.kill();
      await ended;
    },
  };
}

function peakOf(pid: number | undefined): number | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
    return kibibytes === undefined ? null : Number(kibibytes) * 1024;
  } catch {
    return null; // only Linux reports it
  }
}
