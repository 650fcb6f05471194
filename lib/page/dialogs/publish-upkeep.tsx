import { useState } from "preact/hooks";
import { isRecord } from "../../core/json.ts";
import type { Problem } from "../../core/problem.ts";
import { sizeText } from "../../core/sizes.ts";
import type { PageJob } from "../model/job-log.ts";
import { startJob } from "../model/jobs.ts";
import { isSure } from "../model/questions.ts";
import type { UpdateStatus } from "../model/updates.ts";
import { Icon } from "../parts/icon.tsx";
import { listOf, numberOf, textOrEmpty } from "../wire/read.ts";
import { JobView, NotStarted } from "./job-view.tsx";

/** Maintenance of published updates. */
export function PublishUpkeep({ status, verify, prune }: {
  readonly status: UpdateStatus;
  /** The newest verification of the served release, and the newest pruning. */
  readonly verify: PageJob | undefined;
  readonly prune: PageJob | undefined;
}) {
  return (
    <>
      <Verify status={status} job={verify} />
      <Prune job={prune} />
    </>
  );
}

function Verify({ status: { baseUrl }, job }: {
  readonly status: UpdateStatus;
  readonly job: PageJob | undefined;
}) {
  const [refused, setRefused] = useState<Problem | null>(null);
  const start = async () => {
    const started = await startJob("svc_ota_verify", {});
    setRefused(started.ok ? null : started.error);
  };
  return (
    <section class="card" aria-label="Verify">
      <div class="row">
        <h3>Verify</h3>
        <span class="dim cut">
          every file that <bdi>{baseUrl}</bdi> serves, as a device and as an auditor read it
        </span>
        <button
          type="button"
          class="button end"
          disabled={job?.state === "running"}
          onClick={() => void start()}
        >
          Verify
        </button>
      </div>
      <NotStarted problem={refused} job={job} />
      {job !== undefined && <JobView key={job.id} job={job} title="Verify the served release" />}
      {job !== undefined && job.result !== null && <Verified result={job.result} />}
    </section>
  );
}

function Verified({ result }: { readonly result: Readonly<Record<string, unknown>> }) {
  const findings = listOf(result["findings"], (one) => isRecord(one) ? one : null);
  const isSound = result["sound"] === true;
  const bundles = listOf(result["bundles"], (one) => isRecord(one) ? one : null);
  return (
    <>
      <p class="outcome" role="status">
        <Icon name={isSound ? "check" : "error"} />
        {isSound
          ? `All is as it was signed: ${
            bundles.map(({ name, version, files, bytes }) =>
              `${textOrEmpty(name)} ${textOrEmpty(version)}, ${numberOf(files)} files, ${
                sizeText(numberOf(bytes))
              }`
            ).join("; ")
          }`
          : "Players should not receive this:"}
      </p>
      <ul>
        {findings.map(({ level, where, message, next }, n) => (
          <li key={n} class={`finding ${textOrEmpty(level)}`}>
            <Icon name={level === "error" ? "error" : "info"} />
            <div>
              <p>
                <bdi class="mono">{textOrEmpty(where)}</bdi>: <bdi>{textOrEmpty(message)}</bdi>
              </p>
              <p class="dim">
                <bdi>{textOrEmpty(next)}</bdi>
              </p>
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}

const WHY: Readonly<Record<string, string>> = {
  released: "stays: players get it",
  newest: "stays: among the newest",
  young: "stays: it is young",
  empty: "its files are already removed",
};

function Prune({ job }: { readonly job: PageJob | undefined }) {
  const [keep, setKeep] = useState("3");
  const [days, setDays] = useState("7");
  const [refused, setRefused] = useState<Problem | null>(null);
  const start = async (how: Readonly<Record<string, unknown>>) => {
    const started = await startJob("svc_ota_prune", how);
    setRefused(started.ok ? null : started.error);
  };
  const result = job?.state === "done" ? job.result : null;
  const objects = numberOf(result?.["objects"]);
  const bytes = numberOf(result?.["bytes"]);
  const isApplied = result?.["applied"] === true;
  const apply = async () => {
    const sure = await isSure({
      title: `Remove ${objects} objects?`,
      text: `Removes ${objects} objects of ${sizeText(bytes)} from the bucket, for good. Players ` +
        "cannot be given these versions again.",
      done: "Remove them",
    });
    // Applies the plan as shown, whatever the fields contain now.
    if (sure) {
      await start({ keep: result?.["keep"], graceDays: result?.["graceDays"], apply: true });
    }
  };
  return (
    <section class="card" aria-label="Prune">
      <h3>Prune</h3>
      <p class="dim">
        Removes the files of versions that no player can receive any more. Their names stay
        reserved, so that none is used twice.
      </p>
      <div class="form">
        <label>
          Newest versions to keep
          <input
            type="text"
            inputMode="numeric"
            value={keep}
            onInput={({ currentTarget }) => setKeep(currentTarget.value)}
          />
        </label>
        <label>
          Minimum age in days
          <input
            type="text"
            inputMode="numeric"
            value={days}
            onInput={({ currentTarget }) => setDays(currentTarget.value)}
          />
        </label>
      </div>
      <div class="row">
        <button
          type="button"
          class="button end"
          disabled={job?.state === "running"}
          onClick={() => void start({ keep, graceDays: days })}
        >
          Show removals
        </button>
      </div>
      <NotStarted problem={refused} job={job} />
      {job !== undefined && <JobView key={job.id} job={job} title={`Prune: ${job.key}`} />}
      {result !== null && (
        <>
          <ul>
            {listOf(result["versions"], (one) => isRecord(one) ? one : null).map((one) => (
              <li key={textOrEmpty(one["version"])}>
                <strong>{textOrEmpty(one["version"])}</strong> {WHY[textOrEmpty(one["verdict"])] ??
                  `${numberOf(one["objects"])} objects, ${sizeText(numberOf(one["bytes"]))} ${
                    isApplied ? "were removed" : "would be removed"
                  }`}
              </li>
            ))}
          </ul>
          {isApplied
            ? (
              <p class="outcome" role="status">
                {objects} objects of {sizeText(bytes)} were removed.
              </p>
            )
            : objects === 0
            ? <p class="outcome">There is nothing to remove.</p>
            : (
              <button type="button" class="button danger" onClick={() => void apply()}>
                Remove {objects} objects…
              </button>
            )}
        </>
      )}
    </section>
  );
}
