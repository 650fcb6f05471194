import { useEffect, useState } from "preact/hooks";
import type { PageJob } from "../model/job-log.ts";
import { jobs, leaveJobs, watchJobs } from "../model/jobs.ts";
import { settingsStamp } from "../model/editor.ts";
import { loadUpdates, updates, updatesProblem, type UpdateStatus } from "../model/updates.ts";
import { Tabs } from "../parts/tabs.tsx";
import { RefusalText } from "./job-view.tsx";
import { PublishHistory } from "./publish-history.tsx";
import { PublishSetup } from "./publish-setup.tsx";
import { StepsLeft } from "./publish-steps.tsx";
import { PublishUpkeep } from "./publish-upkeep.tsx";
import { PublishVersion } from "./publish-version.tsx";

type Name = "version" | "setup" | "history" | "upkeep";
/** Kinds of jobs that this dialog shows. */
const KINDS = ["publish", "verify", "prune", "rollback"];

/** Dialog for publishing updates, with the published releases. */
export function Publish() {
  const status = updates.value;
  const own = jobs.value.filter(({ kind }) => KINDS.includes(kind));
  const shown = [...new Map(own.map((job) => [job.kind, job])).values()];
  const ended = own.filter(({ state }) => state !== "running").length;
  useEffect(() => watchJobs(shown));
  useEffect(() => leaveJobs, []);
  useEffect(() => void loadUpdates(), [ended, settingsStamp.value]); // the served release may have changed
  if (status === null) {
    const problem = updatesProblem.value;
    return problem === null
      ? <p class="empty dim" role="status">Reading the served release…</p>
      : (
        <>
          <RefusalText detail={problem.detail} hint={problem.hint} />
          <button type="button" class="button" onClick={() => void loadUpdates()}>
            Look again
          </button>
        </>
      );
  }
  return (
    <div class="publish">
      <Served status={status} />
      <PublishTabs status={status} own={own} />
    </div>
  );
}

function PublishTabs({ status, own }: {
  readonly status: UpdateStatus;
  readonly own: readonly PageJob[];
}) {
  const [name, setName] = useState<Name>(isReady(status) ? "version" : "setup");
  const hasPlace = status.enabled && status.bucket !== "";
  const setUp = (
    <StepsLeft
      status={status}
      title="Before anything can be published"
      onSetup={() => setName("setup")}
    />
  );
  const last = (kind: string) => own.findLast((job) => job.kind === kind);
  return (
    <Tabs<Name>
      label="Publish"
      current={name}
      onChange={setName}
      tabs={[
        { name: "version", title: "New version" },
        { name: "setup", title: "Setup", badge: isReady(status) ? undefined : "to do" },
        { name: "history", title: "History" },
        { name: "upkeep", title: "Upkeep" },
      ]}
    >
      <div class="publish-tab">
        {name === "version" &&
          (isReady(status) ? <PublishVersion status={status} job={last("publish")} /> : setUp)}
        {name === "setup" && <PublishSetup status={status} />}
        {name === "history" &&
          (hasPlace ? <PublishHistory status={status} job={last("rollback")} /> : setUp)}
        {name === "upkeep" && (hasPlace
          ? <PublishUpkeep status={status} verify={last("verify")} prune={last("prune")} />
          : setUp)}
      </div>
    </Tabs>
  );
}

/** Whether everything is set that a publish needs. */
function isReady({ enabled, bucket, key }: UpdateStatus): boolean {
  return enabled && bucket !== "" && key.exists && key.matches;
}

/** The release that players receive. */
function Served({ status: { enabled, release, baseUrl } }: { readonly status: UpdateStatus }) {
  return (
    <p class="served-now" role="status">
      {!enabled || release === null
        ? "No app of this project looks for updates yet."
        : release.state === "verified"
        ? (
          <>
            Players get <strong>{release.version || "no version of this game"}</strong>{" "}
            <span class="dim">
              release {release.sequence}, {release.mandatory ? "mandatory" : "not mandatory"}, at
              {" "}
              <bdi>{baseUrl}</bdi>
            </span>
          </>
        )
        : release.state === "none"
        ? (
          <>
            Nothing was published at <bdi>{baseUrl}</bdi> yet.
          </>
        )
        : (
          <>
            What players get is not known: <bdi class="level-warn">{release.reason}</bdi>
          </>
        )}
    </p>
  );
}
