import type { Problem } from "../../core/problem.ts";
import type { Authored } from "../../editor/ports/mod.ts";
import type { JobMessage } from "../wire/jobs.ts";
import { numberOf, textOrEmpty } from "../wire/read.ts";

// A job as the page keeps it, and how its messages extend it.

/** A line of a log. */
export interface JobLine {
  readonly key: number;
  readonly text: string;
  readonly isError: boolean;
}

/** Progress of a job; a `total` of 0 means unknown. */
export interface PageJobProgress {
  readonly done: number;
  readonly total: number;
  readonly unit: string;
  readonly label: string;
}

/** A job as the page keeps it. */
export interface PageJob {
  readonly id: string;
  /** Kind of work: `install`, `build`, `publish`, … */
  readonly kind: string;
  /** Its subject: the tool, the target, the bundle and version. */
  readonly key: string;
  /** The caller that started it; `null` if unknown. */
  readonly author: Authored | null;
  readonly state: "running" | "done" | "failed" | "cancelled";
  readonly lines: readonly JobLine[];
  readonly progress: PageJobProgress | null;
  /** The result; `null` until the job is done and the result has been read. */
  readonly result: Readonly<Record<string, unknown>> | null;
  /** Why it failed. */
  readonly problem: Pick<Problem, "code" | "detail" | "hint"> | null;
}

/** Number of lines to keep, the same as in the service. */
const MOST_LINES = 10_000;
/** Characters of a line to show: a line can have a megabyte. */
const MOST_CHARACTERS = 2_000;
/** The job after these messages. */
export function withMessages(job: PageJob, messages: readonly JobMessage[]): PageJob {
  let { progress, result, problem, state } = job;
  const lines: JobLine[] = [];
  let key = (job.lines.at(-1)?.key ?? 0) + 1;
  for (const { event, data } of messages) {
    switch (event) {
      case "log":
        for (const text of textOrEmpty(data["line"]).split("\n")) {
          lines.push({ key: key++, text: shortened(text), isError: data["stream"] === "stderr" });
        }
        break;
      case "progress":
        progress = {
          done: numberOf(data["done"]),
          total: numberOf(data["total"]),
          unit: textOrEmpty(data["unit"]),
          label: textOrEmpty(data["label"]),
        };
        break;
      case "done":
        [state, result] = ["done", data];
        break;
      case "problem":
        state = data["code"] === "cancelled" ? "cancelled" : "failed";
        problem = {
          code: textOrEmpty(data["code"]),
          detail: textOrEmpty(data["detail"]),
          hint: textOrEmpty(data["hint"]),
        };
        break;
    }
  }
  const all = [...job.lines, ...lines].slice(-MOST_LINES);
  return { ...job, state, progress, result, problem, lines: all };
}

function shortened(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text;
  return `${text.slice(0, MOST_CHARACTERS)}… (${text.length} characters)`;
}
