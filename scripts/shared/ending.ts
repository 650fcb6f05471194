import process from "node:process";
import { setTimeout } from "node:timers";
import { messageOf } from "../../lib/core/result.ts";

/**
 * Exit codes of a process that a signal ended, as a shell reports them (POSIX: 128 plus its
 * number).
 */
const SIGNAL_EXIT = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** A signal on which a process ends in order. */
type EndSignal = keyof typeof SIGNAL_EXIT;

/**
 * Calls at each signal that ends this process. A closing terminal sends SIGHUP; without a terminal,
 * that signal keeps its meaning, as `nohup` expects. Windows has no signal that leaves time.
 */
function onEndSignals(call: (signal: EndSignal) => void): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => call(signal));
  if (process.platform === "win32" || process.stderr.isTTY !== true) return;
  let isClosed = false;
  process.on("SIGHUP", () => {
    if (isClosed) return; // a shell sends it on, the system too
    isClosed = true;
    // Writing to a closed terminal fails.
    for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
    call("SIGHUP");
  });
}

/** The system ends the process: nothing in it can delay that. */
function endBy(signal: EndSignal): void {
  process.emit("exit", 1); // removes temporary data of the process
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/**
 * Returns a signal that Ctrl-C, SIGTERM or the end of the terminal aborts, so that work can end in
 * order; the process then ends with 130, 143 or 129. A second signal ends it immediately.
 */
export function interrupted(): AbortSignal {
  const abort = new AbortController();
  onEndSignals((signal) => {
    // The system ends it at the next one: npm and the terminal may both send the first one at the
    // same time.
    if (signal !== "SIGHUP") process.removeAllListeners(signal);
    process.exitCode = SIGNAL_EXIT[signal];
    abort.abort(new Error(`interrupted by ${signal}`));
  });
  return abort.signal;
}

/** How long open resources may take to close, in milliseconds: the process ends within 5 s. */
const CLOSE_MS = 4_000;
/** Interval of checks whether the system still works for this process, in milliseconds. */
const LOOK_MS = 50;

/** Following a supervisor's SIGTERM is a success; a user's Ctrl-C is reported to the shell. */
const EXIT: Readonly<Record<EndSignal, number>> = { ...SIGNAL_EXIT, SIGTERM: 0 };

/**
 * Ends a service at the first SIGINT or SIGTERM or the end of its terminal, whatever hangs: with
 * 130, 0 or 129 when everything has closed, and otherwise by the signal itself. So does the second
 * signal, immediately. Called before anything is opened: everything that a signal would leave
 * behind is removed at the exit.
 *
 * @returns Registers a function to close something then, in order.
 */
export function endOnSignal(
  { closeMs = CLOSE_MS }: { readonly closeMs?: number } = {},
): (close: () => Promise<void>) => void {
  const open: (() => Promise<void>)[] = [];
  const closeAll = async () => {
    for (const close of open) await close();
  };
  let ending = false;
  const onSignal = (signal: EndSignal) => {
    if (ending) return endBy(signal);
    ending = true;
    setTimeout(() => {
      console.error(`warning: ended by ${signal}: not everything closed within ${closeMs} ms`);
      endBy(signal);
    }, closeMs);
    closeAll().then(() => exitWhenIdle(EXIT[signal]), (thrown: unknown) => {
      console.error(`warning: ended by ${signal}: cannot close: ${messageOf(thrown)}`);
      endBy(signal);
    });
  };
  onEndSignals(onSignal);
  return (close) => void open.push(close);
}

/**
 * Ends the process after that time, unless it ends before: nobody sends a signal when its client
 * has gone.
 */
export function endAfter(ms: number): void {
  setTimeout(() => endBy("SIGTERM"), ms).unref();
}

/**
 * Node joins its threads when it exits: one that waits for a file or a name would block it for
 * ever.
 */
function exitWhenIdle(code: number): void {
  const pending = "Deno" in globalThis ? [] : process.getActiveResourcesInfo();
  if (pending.some((name) => name.includes("Req"))) setTimeout(exitWhenIdle, LOOK_MS, code);
  else process.exit(code);
}
