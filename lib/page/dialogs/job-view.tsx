import type { Problem } from "../../core/problem.ts";
import { amountText } from "../../core/sizes.ts";
import type { PageJob, PageJobProgress } from "../model/job-log.ts";
import { cancelJob } from "../model/jobs.ts";
import { Author } from "../parts/author.tsx";
import { Icon } from "../parts/icon.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";

const ROW = 20;
const STATE = { running: "running", done: "done", failed: "failed", cancelled: "cancelled" };

/** A job: its progress, result and log. */
export function JobView({ job, title }: {
  readonly job: PageJob;
  /** Its work, in words. */
  readonly title: string;
}) {
  const { id, author, state, progress, problem, lines } = job;
  const isRunning = state === "running";
  return (
    <section class={`job ${state}`} aria-label={title}>
      <div class="row">
        <strong class="cut">
          <bdi>{title}</bdi>
        </strong>
        <span class="badge" role="status">{STATE[state]}</span>
        {author !== null && <Author {...author} />}
        {isRunning && progress !== null && <Amount progress={progress} />}
        {isRunning && (
          <button type="button" class="button end" onClick={() => void cancelJob(id)}>
            Cancel
          </button>
        )}
      </div>
      {isRunning && (
        <progress
          aria-label={`Progress of ${title}`}
          {...(progress !== null && progress.total > 0 &&
            { value: progress.done, max: progress.total })}
        />
      )}
      {problem !== null && <RefusalText detail={problem.detail} hint={problem.hint} />}
      <details class="log" open={isRunning || state === "failed"}>
        <summary>{lines.length === 1 ? "1 line" : `${lines.length} lines`}</summary>
        <VirtualList
          class="lines"
          role="log"
          tabIndex={0}
          aria-label={`Log of ${title}`}
          items={lines}
          rowHeight={ROW}
          stick
          keyOf={({ key }) => key}
          row={({ text, isError }) => (
            <p class={`line mono ${isError ? "level-warn" : ""}`}>
              <bdi>{text}</bdi>
            </p>
          )}
        />
      </details>
    </section>
  );
}

function Amount(
  { progress: { done, total, unit, label } }: { readonly progress: PageJobProgress },
) {
  const amount = unit === "bytes"
    ? amountText(done, total)
    : total > 0
    ? `${done} of ${total} ${unit}`
    : "";
  return (
    <span class="dim cut">
      <bdi>{label}</bdi> {amount}
    </span>
  );
}

/** Reason why no job was started; empty if the job's own result states it. */
export function NotStarted({ problem, job }: {
  readonly problem: Problem | null;
  readonly job?: PageJob | undefined;
}) {
  if (problem === null || job?.problem?.detail === problem.detail) return null;
  return <RefusalText detail={problem.detail} hint={problem.hint} />;
}

/** Why something was refused, and the next step. */
export function RefusalText({ detail, hint }: { readonly detail: string; readonly hint: string }) {
  return (
    <div class="refusal" role="alert">
      <Icon name="error" />
      <div>
        <p>
          <bdi>{detail}</bdi>
        </p>
        {hint !== "" && (
          <p class="dim">
            <bdi>{hint}</bdi>
          </p>
        )}
      </div>
    </div>
  );
}
