import { type ChildProcess, spawn } from "node:child_process";
import { stat } from "node:fs/promises";
import process from "node:process";
import { concatBytes } from "../../lib/core/bytes.ts";
import { messageOf } from "../../lib/core/result.ts";
import type { Processes, RunOutput, RunRequest, RunResult } from "../../lib/ports/processes.ts";
import { LONGEST_TIMER_MS } from "./clock.ts";
import { killGroup, killTree, marked } from "./kill-tree.ts";

/** How long output may arrive after the process itself has ended, in milliseconds. */
const DRAIN_MS = 250;
const onWindows = process.platform === "win32";

/** Runs programs on `node:child_process`. */
export function createProcesses(): Processes {
  return { run };
}

async function run(request: RunRequest): Promise<RunResult> {
  if (request.signal?.aborted) {
    return { kind: "killed", by: "cancel", stdout: "", stderr: "", truncated: false };
  }
  const mark = crypto.randomUUID();
  try {
    const child = spawn(request.command, [...request.args], {
      cwd: request.cwd,
      env: marked(request.env, mark),
      stdio: [request.heldInput === undefined ? "ignore" : "pipe", "pipe", "pipe"],
      detached: !onWindows, // a process group of its own, so that all of it can be killed
      windowsHide: true,
      windowsVerbatimArguments: request.verbatimArguments === true,
      shell: false,
    });
    return await watch(child, { ...request, mark });
  } catch (thrown) {
    return { kind: "not-started", reason: await whyNotStarted(request, thrown) };
  }
}

type Ending = { readonly by: "timeout" | "cancel" } | {
  readonly code: number | null;
  readonly signalName: string | null;
};

/** A request, with the mark that finds its processes. */
type MarkedRequest = RunRequest & { readonly mark: string };

/** Waits for a program's end. @throws The reason why it could not start. */
async function watch(child: ChildProcess, request: MarkedRequest): Promise<RunResult> {
  child.stdin?.on("error", () => undefined); // the program does not read it, or has ended
  child.stdin?.write(request.heldInput ?? "");
  const stdout = collect(child, "stdout", request);
  const stderr = collect(child, "stderr", request);
  const ending = await untilEnded(child, request);
  await untilDrained(child);
  child.stdin?.destroy();
  child.stdout?.destroy();
  child.stderr?.destroy();
  const output: RunOutput = {
    stdout: stdout.end(),
    stderr: stderr.end(),
    truncated: stdout.truncated() || stderr.truncated(),
  };
  if ("by" in ending) return { kind: "killed", by: ending.by, ...output };
  return ending.code === null
    ? { kind: "signalled", signalName: ending.signalName ?? "unknown", ...output }
    : { kind: "exited", code: ending.code, ...output };
}

/** Waits for the process itself, and kills it and all it started when it has to. */
function untilEnded(
  child: ChildProcess,
  { timeoutMs, signal, mark }: MarkedRequest,
): Promise<Ending> {
  return new Promise((resolve, reject) => {
    let killed: { readonly by: "timeout" | "cancel"; readonly all: Promise<void> } | null = null;
    const kill = (by: "timeout" | "cancel") => {
      if (child.pid === undefined || killed !== null) return;
      killed = { by, all: killTree(child.pid, mark) };
    };
    const onAbort = () => kill("cancel");
    const timer = setTimeout(() => kill("timeout"), Math.min(timeoutMs, LONGEST_TIMER_MS));
    signal?.addEventListener("abort", onAbort, { once: true });
    const release = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    child.on("error", (error) => {
      if (child.pid !== undefined) return; // it runs; a signal could not be sent
      release();
      reject(error);
    });
    child.on("exit", (code, signalName) => {
      release();
      const { by, all } = killed ?? {};
      if (by === undefined || all === undefined) resolve({ code, signalName });
      else all.then(() => resolve({ by }));
    });
  });
}

/**
 * Waits for the rest of the output. A child of the child may hold the pipes open: its output is not
 * part of the answer, so it is killed.
 */
function untilDrained(child: ChildProcess): Promise<void> {
  if ([child.stdout, child.stderr].every((pipe) => pipe === null || pipe.closed)) {
    return Promise.resolve();
  }
  return new Promise((resolve) => {
    const grace = setTimeout(() => {
      if (child.pid !== undefined) killGroup(child.pid);
      resolve();
    }, DRAIN_MS);
    child.once("close", () => {
      clearTimeout(grace);
      resolve();
    });
  });
}

interface Collected {
  /** Ends the stream. @returns The kept output, decoded. */
  readonly end: () => string;
  readonly truncated: () => boolean;
}

/** Keeps the first bytes of a stream, and reads the rest away so that the process is not held up. */
function collect(child: ChildProcess, stream: "stdout" | "stderr", request: RunRequest): Collected {
  const { maxOutputBytes, onOutput } = request;
  const onBytes = stream === "stdout" ? request.onBytes : undefined;
  const kept: Uint8Array[] = [];
  const decoder = new TextDecoder();
  let size = 0;
  let truncated = false;
  const tell = (text: string) => {
    if (text !== "") onOutput?.(text, stream);
  };
  child[stream]?.on("data", (chunk: Uint8Array) => {
    if (onBytes !== undefined) return onBytes(new Uint8Array(chunk));
    tell(decoder.decode(chunk, { stream: true }));
    const room = maxOutputBytes - size;
    if (chunk.length > room) truncated = true;
    if (room <= 0) return;
    const part = new Uint8Array(chunk.subarray(0, room)); // a copy: the chunk may be part of a pool
    kept.push(part);
    size += part.length;
  });
  child[stream]?.on("error", () => undefined); // destroyed above, once no more output is needed
  return {
    end() {
      tell(decoder.decode());
      // If the bound splits a character, its first half is dropped.
      return new TextDecoder().decode(concatBytes(kept), { stream: truncated });
    },
    truncated: () => truncated,
  };
}

/**
 * Distinguishes a missing program from a missing folder, for which the system reports the same
 * error.
 */
async function whyNotStarted({ command, cwd }: RunRequest, thrown: unknown): Promise<string> {
  const folder = await stat(cwd).catch(() => null);
  if (folder === null) return `Cannot start ${command} in ${cwd}: there is no such folder`;
  if (!folder.isDirectory()) return `Cannot start ${command} in ${cwd}: not a folder`;
  const program = await stat(command).catch(() => null);
  if (program === null) return `Cannot start ${command}: there is no such program`;
  if (!program.isFile()) return `Cannot start ${command}: not a program`;
  if (thrown instanceof Error && "code" in thrown && thrown.code === "EACCES") {
    return `Cannot start ${command}: this user may not execute it`;
  }
  return `Cannot start ${command}: ${messageOf(thrown)}`;
}
