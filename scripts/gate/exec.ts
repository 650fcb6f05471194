import { type ChildProcess, spawn } from "node:child_process";
import process from "node:process";

/** Options for running a command. */
export interface ExecOptions {
  readonly cwd: string;
  /** Added to the environment of the gate; `undefined` takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * Milliseconds without output after which the command is considered hung and its process tree is
   * killed. Total time never kills it, because a slow machine is not a defect.
   */
  readonly silenceMs?: number;
  /** Output that does not count as activity, such as a runner's idle message. Has the flag `g`. */
  readonly idle?: RegExp;
  /**
   * Milliseconds that a hung command has, after SIGINT, to report what it was doing before it is
   * killed. Absent: it is killed immediately.
   */
  readonly lastWordsMs?: number;
  /** Whether it yields to other commands: one of many, while others are one of few. */
  readonly last?: boolean;
}

/** Result of a command. */
export interface Ran {
  /** `null` when it could not be started or was killed. */
  readonly code: number | null;
  readonly stdout: string;
  /** Both streams, interleaved and bounded. */
  readonly output: string;
  readonly timedOut: boolean;
  /** Whether it ended without something that it had started, which was then killed. */
  readonly leftBehind: boolean;
  readonly ms: number;
}

/** Runs commands, a bounded number at a time. */
export interface Executor {
  /** Waits for a free place, then runs `command` (its words; no shell) to its end. */
  exec(command: readonly string[], options: ExecOptions): Promise<Ran>;
  /** Starts a service, which runs until `stop` and does not count as a concurrent command. */
  start(command: readonly string[], options: ExecOptions): Service;
  /** Kills every command that is still running, with its children. */
  killAll(): void;
}

/** A command in the background. */
export interface Service {
  /** Resolves to the first match in its output, or to `null` when it ends or after `timeoutMs`. */
  waitFor(pattern: RegExp, timeoutMs: number): Promise<RegExpExecArray | null>;
  /** Sends SIGINT to all of its processes, as Ctrl-C does, and waits; kills them after `timeoutMs`. */
  stop(timeoutMs: number): Promise<Ran>;
}

/** Compilers are silent until they are done; none takes this long on a working machine. */
const SILENCE_MS = 900_000;
const KEPT_BYTES = 64 * 1024 * 1024;
/** How long pipes may stay open after the command itself has ended; longer for a service. */
const DRAIN_MS = 1_000;
const SERVICE_DRAIN_MS = 10_000;

/** Creates an executor that runs `places` commands at a time. */
export function createExecutor(places: number): Executor {
  const running = new Set<ChildProcess>();
  const waiting = { first: new Array<() => void>(), last: new Array<() => void>() };
  let free = places;

  async function place(queue: "first" | "last"): Promise<void> {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting[queue].push(resolve));
  }
  function leave(): void {
    const next = waiting.first.shift() ?? waiting.last.shift();
    if (next === undefined) free++;
    else next();
  }

  function launch(command: readonly string[], options: ExecOptions, drainMs: number) {
    const [program = "", ...args] = command;
    const started = performance.now();
    const child = spawn(program, args, {
      cwd: options.cwd,
      env: environment(options.env),
      stdio: ["ignore", "pipe", "pipe"],
      detached: process.platform !== "win32", // its own group, so that the tree can be killed
    });
    running.add(child);
    const kept = { stdout: "", output: "", timedOut: false, leftBehind: false };
    let lastWords: ReturnType<typeof setTimeout> | undefined;
    const silence = options.silenceMs === undefined ? undefined : setTimeout(() => {
      kept.timedOut = true;
      if (options.lastWordsMs === undefined) return killTree(child);
      interrupt(child, "itself");
      lastWords = setTimeout(() => killTree(child), options.lastWordsMs);
    }, options.silenceMs);
    const keep = (text: string, own: boolean) => {
      if (!kept.timedOut && !isIdle(text, options.idle)) silence?.refresh();
      if (own && kept.stdout.length < KEPT_BYTES) kept.stdout += text;
      if (kept.output.length < KEPT_BYTES) kept.output += text;
    };
    child.stdout.setEncoding("utf8").on("data", (text: string) => keep(text, true));
    child.stderr.setEncoding("utf8").on("data", (text: string) => keep(text, false));
    const ended = new Promise<Ran>((resolve) => {
      let over = false;
      const end = (code: number | null) => {
        if (over) return;
        over = true;
        clearTimeout(silence);
        clearTimeout(lastWords);
        running.delete(child);
        killTree(child); // including leftover processes
        child.stdout.destroy();
        child.stderr.destroy();
        resolve({ ...kept, code, ms: performance.now() - started });
      };
      child.on("error", (error) => {
        keep(`Cannot start ${program}: ${error.message}\n`, false);
        end(null);
      });
      child.on("close", (code) => end(code));
      // A child of the command may hold its pipes open for ever.
      child.on("exit", (code) => {
        setTimeout(() => {
          kept.leftBehind = !over;
          end(code);
        }, drainMs).unref();
      });
    });
    return { child, kept, ended };
  }

  return {
    async exec(command, options) {
      await place(options.last === true ? "last" : "first");
      try {
        const silenceMs = options.silenceMs ?? SILENCE_MS;
        return await launch(command, { ...options, silenceMs }, DRAIN_MS).ended;
      } finally {
        leave();
      }
    },
    start(command, options) {
      const { child, kept, ended } = launch(command, options, SERVICE_DRAIN_MS);
      return {
        async waitFor(pattern, timeoutMs) {
          let over = false;
          ended.then(() => over = true);
          for (const until = Date.now() + timeoutMs; Date.now() < until && !over;) {
            const match = pattern.exec(kept.output);
            if (match !== null) return match;
            await new Promise((resolve) => setTimeout(resolve, 50));
          }
          return pattern.exec(kept.output);
        },
        async stop(timeoutMs) {
          interrupt(child, "all");
          const timer = setTimeout(() => {
            kept.timedOut = true;
            killTree(child);
          }, timeoutMs);
          const ran = await ended;
          clearTimeout(timer);
          return ran;
        },
      };
    },
    killAll() {
      for (const child of running) killTree(child);
    },
  };
}

function environment(changes: ExecOptions["env"]): Record<string, string> {
  const merged: Record<string, string> = {};
  const all = { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined, ...changes };
  for (const [name, value] of Object.entries(all)) {
    if (value !== undefined) merged[name] = value;
  }
  return merged;
}

function isIdle(text: string, idle: RegExp | undefined): boolean {
  return idle !== undefined && text.replace(idle, "").trim() === "";
}

/** @param whom The command itself, or its whole process group. */
function interrupt({ pid }: ChildProcess, whom: "itself" | "all"): void {
  if (pid === undefined) return;
  try {
    process.kill(whom === "itself" || process.platform === "win32" ? pid : -pid, "SIGINT");
  } catch {
    // ESRCH: it has already ended, and stop() reports its exit code.
  }
}

function killTree(child: ChildProcess): void {
  if (child.pid === undefined) return;
  if (process.platform === "win32") {
    spawn("taskkill", ["/pid", String(child.pid), "/t", "/f"], { stdio: "ignore" });
    return;
  }
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // ESRCH: the group has already ended.
  }
}
