import { type Problem, problem } from "../core/problem.ts";

/** Maximum open event streams of one service. */
const MAX_STREAMS = 256;

/** Counts the event streams that are open. */
export class OpenStreams {
  #open = 0;

  /** Returns why no further stream may be opened: 503 `too-many-streams`; `null` if one may. */
  refusal(): Problem | null {
    return this.#open < MAX_STREAMS ? null : problem(
      503,
      "too-many-streams",
      `${this.#open} event streams are open, expected fewer than ${MAX_STREAMS}`,
      "Close some, or ask with job_get",
    );
  }

  /** Counts an opened stream. @returns Counts it as closed; repeated calls do nothing. */
  open(): () => void {
    this.#open++;
    let open = true;
    return () => {
      if (open) this.#open--;
      open = false;
    };
  }
}
