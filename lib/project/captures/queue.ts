import { type Problem, problem, refuse } from "../../core/problem.ts";
import { err, ok, type Result } from "../../core/result.ts";
import type { RenderTask } from "../../editor/ports/mod.ts";
import type { RenderAnswer } from "./answer.ts";

/** The home of a drawing page: a window that a person opened, or a browser of the service's own. */
export type Drawer = "window" | "browser";

/** A task with the number that its answer names. */
export interface QueuedTask {
  /** Its number. */
  readonly id: string;
  /** Picture to draw. */
  readonly task: RenderTask;
}

/** The drawer of a task, and how long to wait for it. */
export interface AskOptions {
  readonly drawer: Drawer;
  /** Cancels the wait. */
  readonly signal: AbortSignal;
  /** Called with the page that has taken the task. */
  readonly onTaken?: (key: string) => void;
  /** Pages that are not to draw it: they have not before. */
  readonly without?: ReadonlySet<string>;
}

interface Asked extends QueuedTask, AskOptions {
  /** The key of the page that draws it. */
  takenBy: string | null;
  /** Whether that page is sending its answer. */
  isAnswered: boolean;
  readonly end: (answer: Result<RenderAnswer, Problem>) => void;
}

/** The queue between requested captures and drawing pages: each capture is drawn by one page. */
export class RenderQueue {
  /** By their numbers, in the order of the requests. */
  readonly #asked = new Map<string, Asked>();
  readonly #pages = new Set<() => void>();
  #last = 0;

  /** Asks for a picture, and waits until a page has drawn it. */
  ask(task: RenderTask, options: AskOptions): Promise<Result<RenderAnswer, Problem>> {
    const { signal } = options;
    return new Promise((resolve) => {
      if (signal.aborted) return resolve(cancelled());
      const id = String(++this.#last);
      const cancel = () => end(cancelled());
      const end: Asked["end"] = (answer) => {
        signal.removeEventListener("abort", cancel);
        this.#asked.delete(id);
        resolve(answer);
        this.#wake();
      };
      signal.addEventListener("abort", cancel, { once: true });
      this.#asked.set(id, { ...options, id, task, takenBy: null, isAnswered: false, end });
      this.#wake();
    });
  }

  /**
   * Returns a page's next task, or the one that it has not drawn; waits for one.
   *
   * @returns `null` once the signal is aborted.
   */
  async next(
    { key, drawer }: { readonly key: string; readonly drawer: Drawer },
    signal: AbortSignal,
  ): Promise<QueuedTask | null> {
    while (!signal.aborted) {
      const all = [...this.#asked.values()];
      const asked = all.find(({ takenBy }) => takenBy === key) ??
        all.find((one) =>
          one.takenBy === null && one.drawer === drawer && one.without?.has(key) !== true
        );
      if (asked?.isAnswered === false) { // otherwise its answer is arriving
        asked.takenBy = key;
        asked.onTaken?.(key);
        return { id: asked.id, task: asked.task };
      }
      await new Promise<void>((wake) => {
        this.#pages.add(wake);
        signal.addEventListener("abort", () => {
          this.#pages.delete(wake);
          wake();
        }, { once: true });
      });
    }
    return null;
  }

  #wake(): void {
    const pages = [...this.#pages];
    this.#pages.clear();
    for (const wake of pages) wake();
  }

  /** Whether a page draws a task now: that one, or any. */
  isDrawing(key: string, id?: string): boolean {
    return [...this.#asked.values()].some((asked) =>
      asked.takenBy === key && (id === undefined || asked.id === id)
    );
  }

  /** Starts a page's answer, once per task. @returns Whether the page may send it. */
  beginAnswer(key: string, id: string): boolean {
    const asked = this.#asked.get(id);
    if (asked === undefined || asked.takenBy !== key || asked.isAnswered) return false;
    asked.isAnswered = true;
    return true;
  }

  /**
   * Takes a page's answer, or a sentence about a wrong one: another page may then draw the task.
   */
  answer(id: string, answer: Result<RenderAnswer, string>): void {
    const asked = this.#asked.get(id);
    asked?.end(answer.ok ? drawn(answer.value, asked.task) : err(badAnswer(answer.error)));
  }

  /**
   * Ends the tasks of a page that has left; if it was the last one, also the tasks that wait for a
   * page.
   */
  leave(key: string, { isLast }: { readonly isLast: boolean }): void {
    for (const { takenBy, drawer, end } of [...this.#asked.values()]) {
      if (takenBy === key || (isLast && takenBy === null && drawer === "window")) {
        end(err(problem(503, PAGE_CLOSED, "The window that drew it was closed", "Call it again")));
      }
    }
  }

  /** Ends all waits for one drawer, or all: it no longer draws. */
  fail(why: Problem, of?: Drawer): void {
    for (const { drawer, end } of [...this.#asked.values()]) {
      if (of === undefined || drawer === of) end(err(why));
    }
  }
}

const PAGE_CLOSED = "page-closed";
const BAD_ANSWER = "bad-render-answer";

/** Returns whether another page may draw a task that one did not. */
export function isForAnother({ code }: Problem): boolean {
  return code === PAGE_CLOSED || code === BAD_ANSWER;
}

function badAnswer(detail: string): Problem {
  return problem(503, BAD_ANSWER, detail, "Call it again; reload the page that draws");
}

function cancelled(): Result<never, Problem> {
  const detail = "The capture was cancelled before it was drawn";
  return refuse(409, "cancelled", detail, "Call it again for a picture");
}

/**
 * Returns an answer with pictures. @returns 422 `not-drawn` for one that only says why there are
 * none.
 */
function drawn(answer: RenderAnswer, { kind }: RenderTask): Result<RenderAnswer, Problem> {
  const { report: { error }, pictures } = answer;
  if (error === undefined || pictures.length > 0) return ok(answer);
  const hint = kind === "draw"
    ? "svc_diagnose lists faults of the scene; call again"
    : "Make the captures that it names again";
  return refuse(422, "not-drawn", `The picture could not be drawn: ${error}`, hint);
}
