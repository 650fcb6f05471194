import { type Problem, refuse } from "../../core/problem.ts";
import { err, ok, type Result } from "../../core/result.ts";
import type { RenderTask } from "../../editor/ports/mod.ts";
import type { RenderAnswer } from "./answer.ts";

/** A task with the number that its answer names. */
export interface NumberedTask {
  /** Its number. */
  readonly id: string;
  /** What is to be drawn. */
  readonly task: RenderTask;
}

interface Asked extends NumberedTask {
  readonly end: (answer: Result<RenderAnswer, Problem>) => void;
}

/** Where captures are asked for, and where pages that draw take them: each is drawn by one page. */
export class RenderQueue {
  readonly #waiting: Asked[] = [];
  readonly #taken = new Map<string, Asked>();
  #pages: (() => void)[] = [];
  #last = 0;

  /** Asks for a picture, and waits until a page has drawn it. @param signal Ends the waiting. */
  ask(task: RenderTask, signal: AbortSignal): Promise<Result<RenderAnswer, Problem>> {
    return new Promise((resolve) => {
      const id = String(++this.#last);
      const cancel = () => end(cancelled());
      const end: Asked["end"] = (answer) => {
        signal.removeEventListener("abort", cancel);
        this.#taken.delete(id);
        const at = this.#waiting.findIndex((one) => one.id === id);
        if (at >= 0) this.#waiting.splice(at, 1);
        resolve(answer);
      };
      if (signal.aborted) return resolve(cancelled());
      signal.addEventListener("abort", cancel, { once: true });
      this.#waiting.push({ id, task, end });
      for (const wake of this.#pages.splice(0)) wake();
    });
  }

  /** The next task, for a page; waits for one. @returns `null` once the signal is aborted. */
  async next(signal: AbortSignal): Promise<NumberedTask | null> {
    while (!signal.aborted) {
      const asked = this.#waiting.shift();
      if (asked !== undefined) {
        this.#taken.set(asked.id, asked);
        return { id: asked.id, task: asked.task };
      }
      await new Promise<void>((wake) => {
        this.#pages.push(wake);
        signal.addEventListener("abort", () => wake(), { once: true });
      });
    }
    return null;
  }

  /** Whether a task of that number is drawn now. */
  isTaken(id: string): boolean {
    return this.#taken.has(id);
  }

  /** Takes what a page drew. */
  answer(id: string, answer: Result<RenderAnswer, Problem>): void {
    this.#taken.get(id)?.end(answer);
  }

  /** Ends all that is waited for: nobody draws any more. */
  fail(why: Problem): void {
    for (const { end } of [...this.#taken.values(), ...this.#waiting]) end(err(why));
  }
}

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
