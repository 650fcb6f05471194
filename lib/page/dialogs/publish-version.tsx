import { useState } from "preact/hooks";
import type { Problem } from "../../core/problem.ts";
import { isRecord } from "../../core/json.ts";
import { sizeText } from "../../core/sizes.ts";
import type { PageJob } from "../model/job-log.ts";
import { startJob } from "../model/jobs.ts";
import { isSure } from "../model/questions.ts";
import { isSavedFor } from "../model/scenes.ts";
import { releaseUrl, type UpdateStatus } from "../model/updates.ts";
import { Icon } from "../parts/icon.tsx";
import { listOf, numberOf, textOrEmpty } from "../wire/read.ts";
import { JobView, NotStarted } from "./job-view.tsx";
import { OutLink } from "./out-link.tsx";
import { QrCode } from "./qr-code.tsx";

/** Problem codes of a version that would take players back, which the user may confirm. */
const BEHIND: readonly string[] = ["older", "superseded"];

const RESTARTS = { "0": "may play on", "1": "must restart into it" } as const;

/** The form that plans and publishes a new version, with the outcome. */
export function PublishVersion({ status, job }: {
  readonly status: UpdateStatus;
  /** The newest publication or plan. */
  readonly job: PageJob | undefined;
}) {
  const [typed, setTyped] = useState<string | null>(null);
  const [mandatory, setMandatory] = useState("");
  const [refused, setRefused] = useState<Problem | null>(null);
  const [behind, setBehind] = useState("");
  const [goesBack, setGoesBack] = useState("");
  const version = (typed ?? status.nextVersion).trim();
  const ended = job?.key.split(" ").includes(version) ? job.problem?.code ?? "" : "";
  const isBehind = behind === version || BEHIND.includes(ended);
  const allowOlder = isBehind && goesBack === version;
  const isRunning = job?.state === "running";
  const before = status.release?.mandatory === true ? "1" : "0";
  const isMandatory = (mandatory || before) === "1";
  const publish = async () => {
    if (!await isSavedFor(`Publish ${version}`)) return;
    const sure = !isMandatory || await isSure({
      title: `Publish ${version} as mandatory?`,
      text:
        "Every player is shown a screen that asks to close and reopen the game, and cannot play " +
        "before. A published version cannot be withdrawn, only followed by another.",
      done: `Publish ${version}`,
    });
    const meant = sure && (!allowOlder || await isSure({
      title: `Take players back to ${version}?`,
      text: `At their next start players of ${status.release?.version || "a newer version"} get ` +
        `${version}, even those whose app came with a newer one. Games saved in the newer ` +
        "version must be readable in this one.",
      done: `Go back to ${version}`,
    }));
    if (meant) await start(false);
  };
  const start = async (plan: boolean) => {
    const started = await startJob("svc_ota_publish", {
      ...(version !== "" && { version }),
      ...(mandatory !== "" && { mandatory: mandatory === "1" }),
      ...(allowOlder && { allowOlder }),
      ...(plan && { plan }),
    });
    setRefused(started.ok ? null : started.error);
    if (!started.ok && BEHIND.includes(started.error.code)) setBehind(version);
    if (started.ok && !plan) setTyped(null);
  };
  return (
    <>
      <section class="card" aria-label="New version">
        <div class="form">
          <label>
            Version
            <input
              type="text"
              value={version}
              placeholder="v1"
              spellcheck={false}
              autocomplete="off"
              onInput={({ currentTarget }) => setTyped(currentTarget.value)}
            />
          </label>
          <label>
            Players that get it
            <select
              value={mandatory}
              onChange={({ currentTarget }) => setMandatory(currentTarget.value)}
            >
              <option value="">as before: {RESTARTS[before]}</option>
              <option value="0">{RESTARTS[0]}</option>
              <option value="1">{RESTARTS[1]}</option>
            </select>
          </label>
        </div>
        {isBehind && (
          <label class="row">
            <input
              type="checkbox"
              checked={goesBack === version}
              onChange={({ currentTarget }) => setGoesBack(currentTarget.checked ? version : "")}
            />
            Players go back to {version}: all get the older version, whatever their app came with
          </label>
        )}
        <p class="dim">
          The project is built fresh and goes to{" "}
          <bdi>{status.bucket || "no bucket yet"}</bdi>. A version is never used twice.
        </p>
        <div class="row">
          <button
            type="button"
            class="button end"
            disabled={isRunning}
            onClick={() => void start(true)}
          >
            Plan
          </button>
          <button
            type="button"
            class="button primary"
            disabled={isRunning}
            onClick={() => void publish()}
          >
            Publish {version}
            {isMandatory || allowOlder ? "…" : ""}
          </button>
        </div>
        <NotStarted problem={refused} job={job} />
      </section>
      {job !== undefined && <JobView key={job.id} job={job} title={titleOf(job.key)} />}
      {job?.state === "done" && job.result !== null && (
        job.result["plan"] === true
          ? <Plan plan={job.result} />
          : <Published result={job.result} baseUrl={status.baseUrl} />
      )}
    </>
  );
}

function titleOf(key: string): string {
  const what = key.replace(/ plan=true$/, "");
  return `${what === key ? "Publish" : "Plan"} ${what}`;
}

/** The files that a publication would upload, and the sizes that devices would download. */
function Plan({ plan }: { readonly plan: Readonly<Record<string, unknown>> }) {
  const rows = listOf(plan["updates"], (one) => isRecord(one) ? one : null);
  return (
    <section class="card" aria-label="Plan">
      <h3>
        Plan for <bdi>{textOrEmpty(plan["version"])}</bdi>
      </h3>
      <p>
        {numberOf(plan["newFiles"])} new files of {sizeText(numberOf(plan["newBytes"]))}{" "}
        sent to the bucket; {numberOf(plan["knownFiles"])} are there already.
      </p>
      {rows.length === 0 ? <p class="dim">No device has an earlier version.</p> : (
        <table>
          <thead>
            <tr>
              <th scope="col">A device on</th>
              <th scope="col">loads</th>
              <th scope="col">as</th>
              <th scope="col">in requests</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={textOrEmpty(row["from"])}>
                <td>{textOrEmpty(row["from"])}</td>
                <td>{sizeText(numberOf(row["bytes"]))}</td>
                <td>{row["way"] === "zip" ? "the whole game" : "what changed"}</td>
                <td>{numberOf(row["requests"])}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

/** The published version, with its address for a phone's camera. */
function Published({ result, baseUrl }: {
  readonly result: Readonly<Record<string, unknown>>;
  readonly baseUrl: string;
}) {
  const url = releaseUrl(baseUrl);
  const isServed = result["readBack"] === "served";
  return (
    <section class="card row" aria-label="Published">
      <QrCode text={url} label={`QR code of ${url}`} />
      <div>
        <p class="outcome" role="status">
          <Icon name={isServed ? "check" : "info"} />
          <span>
            <bdi>{textOrEmpty(result["version"])}</bdi> is release {numberOf(result["sequence"])}.
            {" "}
            {isServed
              ? "Players get it from now on."
              : "It is in the bucket; the public address does not serve it yet."}
          </span>
        </p>
        {listOf(result["warnings"], textOrEmpty).map((warning) => (
          <p key={warning} class="level-warn">
            <bdi>{warning}</bdi>
          </p>
        ))}
        <OutLink url={url} />
        <p class="dim">A phone's camera reads the code and opens the signed record.</p>
      </div>
    </section>
  );
}
