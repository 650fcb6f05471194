import { attempt } from "../../core/attempt.ts";
import { type Problem, problem } from "../../core/problem.ts";
import { err, ok, type Result } from "../../core/result.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Files } from "../../ports/files.ts";
import type { Host } from "../../ports/host.ts";
import {
  howEnded,
  type ProgramMachine,
  runProgram,
  scrubbedEnvironment,
} from "../../programs/mod.ts";
import { BROWSER_VARIABLE, findBrowser } from "../../toolchain/mod.ts";

/** Time after which an unused browser is ended, in milliseconds. */
const IDLE_MS = 3 * 60_000;
/** The longest that one lives, in milliseconds: another is started then. */
const LIFE_MS = 60 * 60_000;

/** Dependencies of the service's own browser. */
export interface BrowserParts extends ProgramMachine {
  readonly files: Files;
  readonly host: Host;
  readonly clock: Pick<Clock, "sleep">;
  /** Called with the reason when drawing has ended. */
  readonly onEnd: (why: Problem) => void;
}

interface Running {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  idle: AbortController;
}

/**
 * A Chromium without a window that draws captures: started on demand, ended when idle and with the
 * service (CAP-4).
 */
export class HeadlessBrowser {
  readonly #parts: BrowserParts;
  #running: Running | null = null;
  #starting: Promise<Result<null, Problem>> | null = null;
  #isClosed = false;

  constructor(parts: BrowserParts) {
    this.#parts = parts;
  }

  /** Whether there is one on this machine. */
  async isAvailable(): Promise<boolean> {
    return (await findBrowser(this.#parts)).present;
  }

  /**
   * Ensures that a browser runs. @param url Returns the page for a new one. @returns 503
   * `no-browser`.
   */
  async ensure(url: () => string): Promise<Result<null, Problem>> {
    if (this.#running === null) {
      this.#starting ??= this.#start(url).finally(() => this.#starting = null);
      const started = await this.#starting;
      if (!started.ok) return started;
    }
    this.#restartIdle();
    return ok(null);
  }

  /** Ends the browser with everything it started, and removes its files. */
  async stop(): Promise<void> {
    await this.#starting;
    this.#running?.stop.abort();
    await this.#running?.ended;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.stop();
  }

  async #start(url: () => string): Promise<Result<null, Problem>> {
    const { files } = this.#parts;
    if (this.#isClosed) return err(noBrowser("the service is closed"));
    const found = await findBrowser(this.#parts);
    if (!found.present) return err(noBrowser(found.reason));
    const folder = await attempt(() => files.makeTemporaryDirectory("slipway-captures-"));
    if (!folder.ok) return err(noBrowser(folder.error.message));
    const profile = folder.value;
    const stop = new AbortController();
    const ended = this.#run(found.path, profile, { url: url(), stop });
    this.#running = { stop, ended, idle: new AbortController() };
    return ok(null);
  }

  async #run(
    program: string,
    profile: string,
    { url, stop }: { readonly url: string; readonly stop: AbortController },
  ): Promise<void> {
    const { files, host, onEnd } = this.#parts;
    const env = {
      ...scrubbedEnvironment(host.environment()),
      XDG_CONFIG_HOME: profile,
      XDG_CACHE_HOME: profile,
    };
    const { command, args, heldInput } = startOf(host, program, { profile, url });
    const end = await runProgram(command, args, {
      machine: this.#parts,
      heldInput,
      cwd: profile,
      env,
      timeoutMs: LIFE_MS,
      signal: stop.signal,
    });
    this.#running?.idle.abort();
    this.#running = null;
    onEnd(problem(
      503,
      "browser-ended",
      `The browser that draws captures ${howEnded(end)}${lastWords(end)}`,
      `Call it again; ${BROWSER_VARIABLE} names another browser`,
    ));
    await attempt(() => files.remove(profile));
  }

  #restartIdle(): void {
    const running = this.#running;
    if (running === null) return;
    running.idle.abort();
    running.idle = new AbortController();
    this.#parts.clock.sleep(IDLE_MS, running.idle.signal).then(
      () => running.stop.abort(),
      () => {},
    );
  }
}

interface Start {
  readonly command: string;
  readonly args: readonly string[];
  readonly heldInput?: string;
}

/**
 * Makes the browser read the debugging protocol (`--remote-debugging-pipe`) from file 3: it ends
 * when that file does, which is when this process has ended, even if it was killed. The file is its
 * standard input, whose other end only this process has. The page's address, which holds a ticket,
 * is sent that way too, so it is in no command line. Answers, on file 4, are discarded.
 */
const FROM_INPUT = 'exec "$0" "$@" 3<&0 4>/dev/null 0</dev/null';

/**
 * Builds the command of a browser. Windows has no such files, so the address is an argument there.
 */
function startOf(
  host: Host,
  program: string,
  { profile, url }: { readonly profile: string; readonly url: string },
): Start {
  const args = argumentsOf(host, profile);
  if (host.platform === "win32") return { command: program, args: [...args, url] };
  const open = { id: 1, method: "Target.createTarget", params: { url } };
  return {
    command: "/bin/sh",
    args: [
      "-c",
      FROM_INPUT,
      program,
      ...args,
      "--remote-debugging-pipe",
      "--no-startup-window",
    ],
    heldInput: `${JSON.stringify(open)}\0`, // a message ends with NUL
  };
}

function argumentsOf({ platform, user }: Host, profile: string): readonly string[] {
  return [
    "--headless=new",
    `--user-data-dir=${profile}`,
    // CAP-3: with a graphics card two machines draw two pictures; this software renderer draws the
    // same everywhere.
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--force-color-profile=srgb",
    "--force-device-scale-factor=1",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-proxy-server",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--disable-background-timer-throttling",
    "--disable-renderer-backgrounding",
    "--mute-audio",
    // Chromium's sandbox refuses the system's first user.
    ...(platform === "linux" && user === "root" ? ["--no-sandbox"] : []),
  ];
}

function lastWords(end: Awaited<ReturnType<typeof runProgram>>): string {
  const tail = "tail" in end ? end.tail.trim().split("\n").at(-1) ?? "" : "";
  return tail === "" ? "" : `: ${tail.slice(0, 300)}`;
}

/** Creates the problem that nothing here can draw. */
function noBrowser(found: string): Problem {
  return problem(
    503,
    "no-browser",
    `Captures need a browser, which cannot be started here: ${found}`,
    `Install Chromium, Chrome or Edge, or name one in ${BROWSER_VARIABLE}, an absolute path`,
  );
}
