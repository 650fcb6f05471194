import { type Problem, problem, refuse } from "../../core/problem.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { TimeoutError, withTimeout } from "../../core/timeout.ts";
import type { RenderTask } from "../../editor/ports/mod.ts";
import type { RenderAnswer } from "./answer.ts";
import { type BrowserParts, HeadlessBrowser } from "./browser.ts";
import { DrawingPages } from "./drawing-pages.ts";
import { isForAnother, RenderQueue } from "./queue.ts";

/**
 * Deadline of one picture, in milliseconds: the first one compiles all shaders, which takes minutes
 * on a busy machine without a graphics card.
 */
const DRAW_MS = 300_000;
/** Deadline of a window if a browser can draw instead, in milliseconds. */
const WINDOW_MS = 60_000;

/** A request that waits for a picture. */
export interface Waiting {
  /** Cancels the wait. */
  readonly signal: AbortSignal;
  /** Called with the current stage, in a few words. */
  readonly tell: (stage: string) => void;
}

/** Drawers of captures: windows that a user has opened, else a browser of the service (CAP-2). */
export class Drawers {
  readonly queue: RenderQueue = new RenderQueue();
  readonly pages: DrawingPages = new DrawingPages(this.queue);
  readonly #parts: Omit<BrowserParts, "onEnd">;
  readonly #browser: HeadlessBrowser;
  #origin: () => Promise<Result<string, Problem>> = notServed;

  constructor(parts: Omit<BrowserParts, "onEnd">) {
    this.#parts = parts;
    this.#browser = new HeadlessBrowser({
      ...parts,
      onEnd: (why) => {
        this.pages.dismissBrowser();
        this.queue.fail(why, "browser");
      },
    });
  }

  /** Sets the origin of the page that draws. */
  servedAt(origin: () => Promise<Result<string, Problem>>): void {
    this.#origin = origin;
  }

  async close(): Promise<void> {
    this.queue.fail(problem(503, "closed", "The service is closed", "Start it again"));
    await this.#browser.close();
  }

  /** Checks that something can draw, before anything is changed for a picture. @returns 503. */
  async ready(): Promise<Result<null, Problem>> {
    return this.pages.hasWindow(new Set()) ? ok(null) : await this.#ensureBrowser();
  }

  /** Has a picture drawn: by an open window, otherwise by a browser of the service's own. */
  async ask(task: RenderTask, waiting: Waiting): Promise<Result<RenderAnswer, Problem>> {
    return await this.#askWindows(task, waiting) ?? await this.#askBrowser(task, waiting);
  }

  /** @returns `null` if no window is open, or all have closed, sleep or fail to draw it. */
  async #askWindows(
    task: RenderTask,
    { signal, tell }: Waiting,
  ): Promise<Result<RenderAnswer, Problem> | null> {
    const without = new Set<string>();
    while (this.pages.hasWindow(without)) {
      const timeoutMs = await this.#browser.isAvailable() ? WINDOW_MS : DRAW_MS;
      tell("waits for an open window");
      let takenBy: string | null = null;
      const onTaken = (key: string) => {
        takenBy = key;
        tell("an open window draws it");
      };
      try {
        const drawn = await withTimeout(
          (ended) => this.queue.ask(task, { drawer: "window", signal: ended, onTaken, without }),
          { clock: this.#parts.clock, timeoutMs, signal },
        );
        if (drawn.ok || !isForAnother(drawn.error)) return drawn;
      } catch (thrown) {
        if (!(thrown instanceof TimeoutError)) throw thrown;
        this.pages.late(takenBy);
      }
      if (takenBy !== null) without.add(takenBy);
    }
    return null;
  }

  async #askBrowser(
    task: RenderTask,
    { signal, tell }: Waiting,
  ): Promise<Result<RenderAnswer, Problem>> {
    tell("waits for a browser");
    const onTaken = () => tell("a browser draws it; its first picture takes longest");
    const started = await this.#ensureBrowser();
    if (!started.ok) return started;
    try {
      return await withTimeout(
        (ended) => this.queue.ask(task, { drawer: "browser", signal: ended, onTaken }),
        { clock: this.#parts.clock, timeoutMs: DRAW_MS, signal },
      );
    } catch (thrown) {
      if (!(thrown instanceof TimeoutError)) throw thrown;
      await this.#browser.stop(); // a hanging browser is not asked again
      const detail = `The picture was not drawn within ${DRAW_MS / 1000} s`;
      return refuse(503, "draw-timeout", detail, "Call it again, with fewer pixels");
    }
  }

  async #ensureBrowser(): Promise<Result<null, Problem>> {
    const origin = await this.#origin();
    if (!origin.ok) return origin;
    const page = `${origin.value}/render/`;
    const started = await this.#browser.ensure(() => `${page}#${this.pages.admitBrowser()}`);
    if (started.ok) return started;
    const { error } = started;
    const address = `${page}#${this.pages.admitWindow()}`;
    const hint = `${error.hint}; or open ${address} in a browser, and call again while it is open`;
    return err({ ...error, hint });
  }
}

function notServed(): Promise<Result<never, Problem>> {
  return Promise.resolve(refuse(
    503,
    "not-served",
    "Captures are drawn by a page of this service, and it is served over no port",
    "Start Slipway with its start command, and connect to /mcp of its address",
  ));
}
