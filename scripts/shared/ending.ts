import process from "node:process";
import { setTimeout } from "node:timers";
import { messageOf } from "../../lib/core/result.ts";

/** What a shell sees of a process that a signal ended (POSIX: 128 and its number). */
const SIGNAL_EXIT = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** A signal that a process ends at, in order. */
type EndSignal = keyof typeof SIGNAL_EXIT;

/**
 * Calls at each signal that ends this process. A terminal that closes sends SIGHUP; without one the
 * signal stays what it is there, as `nohup` wants it. Windows has none that leaves time.
 */
function onEndSignals(call: (signal: EndSignal) => void): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => call(signal));
  if (process.platform === "win32" || process.stderr.isTTY !== true) return;
  let isClosed = false;
  process.on("SIGHUP", () => {
    if (isClosed) return; // a shell sends it on, the system too
    isClosed = true;
    // What is written to a terminal that is gone fails.
    for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
    call("SIGHUP");
  });
}

/** The system ends the process: nothing in it can hold that up. */
function endBy(signal: EndSignal): void {
  process.emit("exit", 1); // what is removed with the process
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/**
 * A signal that is aborted by Ctrl-C, SIGTERM or the end of the terminal, so that work can end in
 * order; the process then ends with 130, 143 or 129. The second one ends it at once.
 */
export function interrupted(): AbortSignal {
  const abort = new AbortController();
  onEndSignals((signal) => {
    // The system ends it at the next one: both npm and the terminal send the first at the same time.
    if (signal !== "SIGHUP") process.removeAllListeners(signal);
    process.exitCode = SIGNAL_EXIT[signal];
    abort.abort(new Error(`interrupted by ${signal}`));
  });
  return abort.signal;
}

/** How long everything that is open may take to close, in milliseconds: the process ends within 5 s. */
const CLOSE_MS = 4_000;
/** How often it is looked whether the system still works for this process, in milliseconds. */
const LOOK_MS = 50;

/** A supervisor's SIGTERM that was followed is a success; a person's Ctrl-C is told to the shell. */
const EXIT: Readonly<Record<EndSignal, number>> = { ...SIGNAL_EXIT, SIGTERM: 0 };

/**
 * Ends a service at the first SIGINT or SIGTERM or the end of its terminal, whatever hangs: with 130, 0
 * or 129 when everything has closed, and otherwise by the signal itself. So does the second signal, at
 * once. Called before anything is opened: what a signal would leave behind is removed at the exit.
 *
 * @returns Adds to what is closed then, in order.
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
 * Ends the process after so long, if it does not end by itself meanwhile: when whom it works for is
 * gone, nobody sends it a signal.
 */
export function endAfter(ms: number): void {
  setTimeout(() => endBy("SIGTERM"), ms).unref();
}

/** Node joins its threads when it exits: one that waits for a file or a name would hold it for ever. */
function exitWhenIdle(code: number): void {
  const pending = "Deno" in globalThis ? [] : process.getActiveResourcesInfo();
  if (pending.some((name) => name.includes("Req"))) setTimeout(exitWhenIdle, LOOK_MS, code);
  else process.exit(code);
}
