import { type ChildProcess, spawn } from "node:child_process";
import { Buffer } from "node:buffer";
import process from "node:process";
import { messageOf } from "../../lib/core/result.ts";
import type { Processes, RunOutput, RunRequest, RunResult } from "../../lib/ports/processes.ts";

/** How long output may still come once the process itself has ended, in milliseconds. */
const DRAIN_MS = 250;
const onWindows = process.platform === "win32";

/** Runs programs on `node:child_process`. */
export function createProcesses(): Processes {
  return { run };
}

function run(request: RunRequest): Promise<RunResult> {
  if (request.signal?.aborted) {
    return Promise.resolve({
      kind: "killed",
      by: "cancel",
      stdout: "",
      stderr: "",
      truncated: false,
    });
  }
  let child: ChildProcess;
  try {
    child = spawn(request.command, [...request.args], {
      cwd: request.cwd,
      env: { ...request.env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: !onWindows, // a process group of its own, so that all of it can be killed
      windowsHide: true,
      windowsVerbatimArguments: request.verbatimArguments === true,
      shell: false,
    });
  } catch (thrown) {
    return Promise.resolve({ kind: "not-started", reason: messageOf(thrown) });
  }
  return watch(child, request);
}

function watch(child: ChildProcess, request: RunRequest): Promise<RunResult> {
  const { timeoutMs, signal } = request;
  const stdout = collect(child, "stdout", request);
  const stderr = collect(child, "stderr", request);
  return new Promise((resolve) => {
    let killedBy: "timeout" | "cancel" | null = null;
    let settled = false;
    const kill = (by: "timeout" | "cancel") => {
      killedBy ??= by;
      killTree(child);
    };
    const onAbort = () => kill("cancel");
    const timer = setTimeout(() => kill("timeout"), timeoutMs);
    signal?.addEventListener("abort", onAbort, { once: true });
    const settle = (result: (output: RunOutput) => RunResult) => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      child.stdout?.destroy();
      child.stderr?.destroy();
      resolve(result({
        stdout: stdout.end(),
        stderr: stderr.end(),
        truncated: stdout.truncated() || stderr.truncated(),
      }));
    };
    const ended = (code: number | null, signalName: string | null) =>
      settle((output): RunResult => {
        if (killedBy !== null) return { kind: "killed", by: killedBy, ...output };
        return code === null
          ? { kind: "signalled", signalName: signalName ?? "unknown", ...output }
          : { kind: "exited", code, ...output };
      });
    child.on("error", (error) => settle(() => ({ kind: "not-started", reason: error.message })));
    child.on("close", ended);
    child.on("exit", (code, signalName) => {
      // A child of the child may hold the pipes open: what it prints is nobody's answer.
      const grace = setTimeout(() => {
        killTree(child);
        ended(code, signalName);
      }, DRAIN_MS);
      child.once("close", () => clearTimeout(grace));
    });
  });
}

interface Collected {
  /** What was kept, decoded. */
  readonly end: () => string;
  readonly truncated: () => boolean;
}

/** Keeps the first bytes of a stream, and reads the rest away so that the process is not held up. */
function collect(child: ChildProcess, stream: "stdout" | "stderr", request: RunRequest): Collected {
  const { maxOutputBytes, onOutput } = request;
  const kept: Uint8Array[] = [];
  const decoder = new TextDecoder();
  let size = 0;
  let truncated = false;
  child[stream]?.on("data", (chunk: Uint8Array) => {
    onOutput?.(decoder.decode(chunk, { stream: true }), stream);
    const room = maxOutputBytes - size;
    if (chunk.length > room) truncated = true;
    if (room <= 0) return;
    const part = chunk.subarray(0, room);
    kept.push(part);
    size += part.length;
  });
  child[stream]?.on("error", () => undefined); // destroyed above, once nothing more is wanted
  return {
    end: () => new TextDecoder().decode(Buffer.concat(kept)),
    truncated: () => truncated,
  };
}

function killTree(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  if (onWindows) {
    const system = process.env["SystemRoot"] ?? "C:\\Windows";
    spawn(`${system}\\System32\\taskkill.exe`, ["/pid", String(pid), "/T", "/F"], {
      stdio: "ignore",
      windowsHide: true,
    })
      .on("error", () => child.kill("SIGKILL"));
    return;
  }
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    child.kill("SIGKILL"); // the group is gone; the process itself may not be
  }
}
