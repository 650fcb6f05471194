import { Fragment } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Problem } from "../../core/problem.ts";
import { sizeText } from "../../core/sizes.ts";
import type { PageJob } from "../model/job-log.ts";
import { jobs, lastJob, leaveJobs, startJob, watchJobs } from "../model/jobs.ts";
import {
  allowSystem,
  GROUPS,
  isLooking,
  loadToolchain,
  type PageToolchain,
  toolchain,
  toolchainProblem,
} from "../model/toolchain.ts";
import { Icon } from "../parts/icon.tsx";
import { BuildTargets } from "./build-targets.tsx";
import { JobView, NotStarted, RefusalText } from "./job-view.tsx";
import { toolName } from "./tool-names.ts";
import { ToolRow } from "./tool-row.tsx";

/** Title of the job that installs all missing tools, as the service names it. */
const ALL = "all that is missing";

/** Dialog of the tools that builds need, and of the builds. */
export function BuildSupport() {
  const found = toolchain.value;
  const installs = jobs.value.filter(({ kind }) => kind === "install");
  const builds = jobs.value.filter(({ kind }) => kind === "build");
  const shown = [...lastOfEach(installs), ...builds.slice(-1)];
  const ended = [...installs, ...builds].filter(({ state }) => state !== "running").length;
  useEffect(() => watchJobs(shown));
  useEffect(() => leaveJobs, []);
  useEffect(() => void loadToolchain(), [ended]); // a finished job may have changed the toolchain
  if (found === null) {
    return toolchainProblem.value === "" || isLooking.value
      ? <p class="empty dim" role="status">Looking for tools…</p>
      : (
        <>
          <RefusalText detail={toolchainProblem.value} hint="" />
          <button type="button" class="button" onClick={() => void loadToolchain()}>
            Look again
          </button>
        </>
      );
  }
  return (
    <div class="build-support">
      <div class="row">
        <label class="row">
          <input
            type="checkbox"
            checked={found.allowsSystem}
            onChange={({ currentTarget }) => void allowSystem(currentTarget.checked)}
          />
          Use system-installed tools
        </label>
        <span class="dim">
          Off: tools that Slipway can install are used only if Slipway installed them.
        </span>
        <button
          type="button"
          class="button end"
          disabled={isLooking.value}
          onClick={() => void loadToolchain()}
        >
          {isLooking.value ? "Looking…" : "Look again"}
        </button>
      </div>
      {toolchainProblem.value !== "" && <RefusalText detail={toolchainProblem.value} hint="" />}
      {found.warnings.map((warning) => (
        <p key={warning} class="level-warn">
          <bdi>{warning}</bdi>
        </p>
      ))}
      <InstallAll found={found} installs={installs} />
      <BuildTargets found={found} builds={builds} />
      <Groups found={found} installs={installs} />
      <p class="dim">
        Slipway's own tools lie in <bdi class="mono">{found.directory}</bdi>
      </p>
    </div>
  );
}

/** Button that installs everything installable, with its size. */
function InstallAll({ found, installs }: {
  readonly found: PageToolchain;
  readonly installs: readonly PageJob[];
}) {
  const [refused, setRefused] = useState<Problem | null>(null);
  const { ids, bytes, disk } = found.installable;
  const job = lastJob(installs, ({ key }) => key === ALL);
  const install = async () => {
    const started = await startJob("install_missing", {});
    setRefused(started.ok ? null : started.error);
  };
  const accepted = found.tools.filter(({ id }) => ids.includes(id))
    .flatMap(({ licences }) => licences.map(({ title }) => title));
  if (ids.length === 0 && job === undefined) {
    return (
      <p class="outcome">
        <Icon name="check" /> All that can be installed here is there.
      </p>
    );
  }
  return (
    <section class="card" aria-label="All that is missing">
      {ids.length > 0 && (
        <div class="row">
          <div class="grow">
            <p>
              <strong>{ids.map(toolName).join(", ")}</strong> can be installed: {sizeText(bytes)}
              {" "}
              to download, {sizeText(disk)} of disk.
            </p>
            <p class="dim">
              That accepts the terms of{" "}
              {[...new Set(accepted)].join(", ") || "no one"}. They can be read below.
            </p>
          </div>
          <button
            type="button"
            class="button primary end"
            disabled={job?.state === "running"}
            onClick={() => void install()}
          >
            Install all
          </button>
        </div>
      )}
      <NotStarted problem={refused} job={job} />
      {job !== undefined && <JobView key={job.id} job={job} title="Install all that is missing" />}
    </section>
  );
}

function Groups({ found, installs }: {
  readonly found: PageToolchain;
  readonly installs: readonly PageJob[];
}) {
  const [refused, setRefused] = useState<readonly [string, Problem] | null>(null);
  const install = async (id: string, how: { readonly reinstall?: true }) => {
    const started = await startJob("install_tool", { id, ...how });
    setRefused(started.ok ? null : [id, started.error]);
  };
  const isRunning = (key: string) =>
    installs.some((job) => job.key === key && job.state === "running");
  return (
    <div class="groups">
      {GROUPS.map((group) => (
        <section key={group} class="card" aria-label={`${group} tools`}>
          <h3>
            {group}{" "}
            {group === "iOS" && found.platform !== "darwin" && <span class="dim">needs a Mac</span>}
          </h3>
          <ul>
            {found.tools.filter((tool) => tool.group === group).map((tool) => (
              <Fragment key={tool.id}>
                <ToolRow
                  tool={tool}
                  job={lastJob(installs, ({ key }) =>
                    key === tool.id)}
                  busy={isRunning(tool.id) || isRunning(ALL)}
                  onInstall={(how) => void install(tool.id, how)}
                />
                {refused?.[0] === tool.id && (
                  <NotStarted
                    problem={refused[1]}
                    job={lastJob(installs, ({ key }) => key === tool.id)}
                  />
                )}
              </Fragment>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

/** The newest of each tool. */
function lastOfEach(installs: readonly PageJob[]): readonly PageJob[] {
  return [...new Map(installs.map((job) => [job.key, job])).values()];
}
