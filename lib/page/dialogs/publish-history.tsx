import { useEffect, useState } from "preact/hooks";
import type { Problem } from "../../core/problem.ts";
import type { PageJob } from "../model/job-log.ts";
import { startJob } from "../model/jobs.ts";
import { isSure } from "../model/questions.ts";
import {
  historyProblem,
  loadHistory,
  type PastRelease,
  releaseHistory,
  type UpdateStatus,
} from "../model/updates.ts";
import { numberOf, textOrEmpty } from "../wire/read.ts";
import { JobView, NotStarted, RefusalText } from "./job-view.tsx";

/** The published releases, and rolling back to them. */
export function PublishHistory({ status, job }: {
  readonly status: UpdateStatus;
  /** The newest rollback. */
  readonly job: PageJob | undefined;
}) {
  const [refused, setRefused] = useState<Problem | null>(null);
  /** Id of the rollback plan that this dialog requested, whose confirmation opens automatically. */
  const [planned, setPlanned] = useState("");
  const found = releaseHistory.value;
  const problem = historyProblem.value;
  const sequence = status.release?.sequence;
  useEffect(() => void loadHistory(), [sequence, job?.state]);
  const goBack = async (to: string, apply: boolean) => {
    const started = await startJob("svc_ota_rollback", { to, ...(apply && { apply }) });
    setRefused(started.ok ? null : started.error);
    if (started.ok && !apply) setPlanned(started.value);
  };
  if (problem !== null) return <RefusalText detail={problem.detail} hint={problem.hint} />;
  if (found === null) return <p class="empty dim" role="status">Opening the bucket…</p>;
  if (found.releases.length === 0) {
    return (
      <p class="empty dim">
        Nothing was published to <bdi>{found.bucket}</bdi> yet.
      </p>
    );
  }
  const current = found.releases.find(({ state }) => state === "current");
  return (
    <>
      <NotStarted problem={refused} job={job} />
      {job !== undefined && (
        <section class="card" aria-label="Going back">
          <JobView key={job.id} job={job} title={`Go back: ${job.key}`} />
          {job.result !== null && (
            <GoingBack
              key={job.id}
              result={job.result}
              asks={job.id === planned}
              onApply={(to) => void goBack(to, true)}
            />
          )}
        </section>
      )}
      <table>
        <caption class="dim">
          Releases in <bdi>{found.bucket}</bdi>
        </caption>
        <thead>
          <tr>
            <th scope="col">Release</th>
            <th scope="col">When</th>
            <th scope="col">Content</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {found.releases.map((release) => (
            <Row
              key={release.sequence}
              release={release}
              own={release.bundles[found.bundleName] ?? ""}
              current={current?.bundles[found.bundleName] ?? ""}
              disabled={job?.state === "running"}
              onGoBack={(to) => void goBack(to, false)}
            />
          ))}
        </tbody>
      </table>
      {found.older > 0 && <p class="dim">{found.older} older releases are not shown.</p>}
    </>
  );
}

function Row({ release, own, current, disabled, onGoBack }: {
  readonly release: PastRelease;
  /** The version of this project's bundle in it, and in the release that players receive. */
  readonly own: string;
  readonly current: string;
  readonly disabled: boolean;
  readonly onGoBack: (to: string) => void;
}) {
  const { sequence, state, writtenAt, bundles, mandatory, problem } = release;
  return (
    <tr>
      <td>{sequence}</td>
      <td>{writtenAt === "" ? "" : new Date(writtenAt).toLocaleString()}</td>
      <td>
        <bdi>
          {problem || Object.entries(bundles).map(([name, one]) => `${name} ${one}`).join(", ")}
        </bdi>
        {mandatory ? ", mandatory" : ""}{" "}
        {state === "current" && <span class="badge">players get this</span>}
        {state === "ahead" && <span class="badge">not what players get</span>}
      </td>
      <td class="end-column">
        {state === "past" && own !== "" && own !== current && (
          <button
            type="button"
            class="button"
            disabled={disabled}
            onClick={() => onGoBack(own)}
          >
            Go back to {own}…
          </button>
        )}
      </td>
    </tr>
  );
}

/** The plan or the result of a rollback. */
function GoingBack({ result, asks, onApply }: {
  readonly result: Readonly<Record<string, unknown>>;
  /** Whether its confirmation opens automatically. */
  readonly asks: boolean;
  readonly onApply: (to: string) => void;
}) {
  const to = textOrEmpty(result["version"]);
  const from = textOrEmpty(result["from"]) || "nothing";
  const sequence = numberOf(result["sequence"]);
  const isPlan = result["changed"] === true && result["applied"] !== true;
  const how = result["mandatory"] === true ? "mandatory" : "not mandatory";
  const decide = async () => {
    const sure = await isSure({
      title: `Go back to ${to}?`,
      text: `Signs release ${sequence}, which names ${to} in place of ${from}; it is ${how} for ` +
        `players. Nothing is uploaded and no version is lost. A phone that has rejected ${to} ` +
        "before keeps its version.",
      done: `Go back to ${to}`,
    });
    if (sure) onApply(to);
  };
  useEffect(() => {
    if (asks && isPlan) void decide();
  }, [asks]);
  if (result["changed"] !== true) return <p class="outcome">Players get {to} already.</p>;
  if (!isPlan) {
    return <p class="outcome" role="status">Players get {to} again: release {sequence}.</p>;
  }
  return (
    <div class="row">
      <span>Release {sequence} would give players {to} in place of {from}, {how}.</span>
      <button type="button" class="button end" onClick={() => void decide()}>
        Give players {to} again…
      </button>
    </div>
  );
}
