import { type Problem, problem, refuse } from "../../core/problem.ts";
import { err, ok, type Result } from "../../core/result.ts";
import type { RenderTask } from "../../editor/ports/mod.ts";
import type { RenderAnswer } from "./answer.ts";

/** Where a page that draws runs: in a window that somebody opened, or in a browser of the service's own. */
export type Drawer = "window" | "browser";

/** A task with the number that its answer names. */
export interface NumberedTask {
  /** Its number. */
  readonly id: string;
  /** What is to be drawn. */
  readonly task: RenderTask;
}

/** Who is to draw a task, and how long it is waited for. */
export interface AskOptions {
  readonly drawer: Drawer;
  /** Ends the waiting. */
  readonly signal: AbortSignal;
  /** Told which page has taken the task. */
  readonly onTaken?: (key: string) => void;
}

interface Asked extends NumberedTask, AskOptions {
  /** The key of the page that draws it. */
  takenBy: string | null;
  readonly end: (answer: Result<RenderAnswer, Problem>) => void;
}

/** Where captures are asked for, and where pages that draw take them: each is drawn by one page. */
export class RenderQueue {
  /** By their numbers, in the order in which they were asked for. */
  readonly #asked = new Map<string, Asked>();
  #pages: (() => void)[] = [];
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
      };
      signal.addEventListener("abort", cancel, { once: true });
      this.#asked.set(id, { ...options, id, task, takenBy: null, end });
      for (const wake of this.#pages.splice(0)) wake();
    });
  }

  /** The next task for a page; waits for one. @returns `null` once the signal is aborted. */
  async next(
    { key, drawer }: { readonly key: string; readonly drawer: Drawer },
    signal: AbortSignal,
  ): Promise<NumberedTask | null> {
    while (!signal.aborted) {
      for (const asked of this.#asked.values()) {
        if (asked.takenBy !== null || asked.drawer !== drawer) continue;
        asked.takenBy = key;
        asked.onTaken?.(key);
        return { id: asked.id, task: asked.task };
      }
      await new Promise<void>((wake) => {
        this.#pages.push(wake);
        signal.addEventListener("abort", () => wake(), { once: true });
      });
    }
    return null;
  }

  /** Whether a page draws a task now: that one, or any. */
  isDrawing(key: string, id?: string): boolean {
    return [...this.#asked.values()].some((asked) =>
      asked.takenBy === key && (id === undefined || asked.id === id)
    );
  }

  /** Takes what a page drew. */
  answer(id: string, answer: Result<RenderAnswer, Problem>): void {
    this.#asked.get(id)?.end(answer);
  }

  /** Ends what a page has taken that is gone; where it was the last, what waits for one as well. */
  leave(key: string, { isLast }: { readonly isLast: boolean }): void {
    for (const { takenBy, drawer, end } of [...this.#asked.values()]) {
      if (takenBy === key || (isLast && takenBy === null && drawer === "window")) {
        end(err(problem(503, PAGE_CLOSED, "The window that drew it was closed", "Call it again")));
      }
    }
  }

  /** Ends what is waited for of one drawer, or all: nobody draws it any more. */
  fail(why: Problem, of?: Drawer): void {
    for (const { drawer, end } of [...this.#asked.values()]) {
      if (of === undefined || drawer === of) end(err(why));
    }
  }
}

/** The code of a task that another page may draw. */
export const PAGE_CLOSED = "page-closed";

function cancelled(): Result<never, Problem> {
  const detail = "The capture was cancelled before it was drawn";
  return refuse(409, "cancelled", detail, "Call it again for a picture");
}

/** An answer with pictures. @returns 422 `not-drawn` for one that only says why there are none. */
export function drawn(answer: Result<RenderAnswer, Problem>): Result<RenderAnswer, Problem> {
  if (!answer.ok || answer.value.report.error === undefined) return answer;
  const detail = `The picture could not be drawn: ${answer.value.report.error}`;
  const hint = "svc_diagnose says what is wrong with the scene; call again";
  return answer.value.pictures.length > 0
    ? ok(answer.value)
    : refuse(422, "not-drawn", detail, hint);
}
