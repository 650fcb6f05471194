import { useState } from "preact/hooks";
import type { Problem } from "../../core/problem.ts";
import type { PageJob } from "../model/job-log.ts";
import { startJob } from "../model/jobs.ts";
import type { PageToolchain, PlannedFact, TargetLacks } from "../model/toolchain.ts";
import { Icon } from "../parts/icon.tsx";
import { textOrEmpty } from "../wire/read.ts";
import { JobView, NotStarted } from "./job-view.tsx";
import { toolName } from "./tool-names.ts";

const TARGETS = [["web", "Web"], ["android", "Android"], ["ios", "iOS"]] as const;
type Target = (typeof TARGETS)[number][0];

/** List of the project's build targets: the missing tools of each, and its build. */
export function BuildTargets({ found, builds }: {
  readonly found: PageToolchain;
  /** All known builds, oldest first. */
  readonly builds: readonly PageJob[];
}) {
  const [refused, setRefused] = useState<Problem | null>(null);
  const running = builds.find(({ state }) => state === "running");
  const build = async (target: Target) => {
    const started = await startJob("build_project", { target });
    setRefused(started.ok ? null : started.error);
  };
  const last = builds.at(-1);
  return (
    <section aria-label="Builds">
      <div class="targets">
        {TARGETS.map(([target, title]) => (
          <TargetCard
            key={target}
            title={title}
            lacks={found.lacks[target]}
            isElsewhere={target === "ios" && found.platform !== "darwin"}
            busy={running !== undefined}
            onBuild={() => void build(target)}
          />
        ))}
      </div>
      <NotStarted problem={refused} job={last} />
      {last !== undefined && <JobView key={last.id} job={last} title={`Build ${last.key}`} />}
      {last?.state === "done" && last.result !== null && <Built result={last.result} />}
    </section>
  );
}

function TargetCard(
  { title, lacks: { ready, missing, project, plan }, isElsewhere, busy, onBuild }: {
    readonly title: string;
    readonly lacks: TargetLacks;
    readonly isElsewhere: boolean;
    readonly busy: boolean;
    readonly onBuild: () => void;
  },
) {
  const known = plan.some(({ value }) => value === null) ? ", as far as known" : "";
  return (
    <section class={`card ${ready ? "serves" : isElsewhere ? "elsewhere" : "required"}`}>
      <div class="row">
        <Icon name={ready ? "check" : isElsewhere ? "info" : "error"} />
        <h3>{title}</h3>
        <span class="dim">
          {ready ? `can be built${known}` : isElsewhere ? "on a Mac" : "cannot be built yet"}
        </span>
        <button
          type="button"
          class="button end"
          disabled={busy || !ready}
          aria-label={`Build ${title}`}
          onClick={onBuild}
        >
          Build
        </button>
      </div>
      <ul>
        {missing.map(({ id, reason, fix, canInstall }) => (
          <li key={id}>
            <strong>{toolName(id)}</strong>: <bdi>{reason}</bdi>
            {!canInstall && !isElsewhere && (
              <p class="dim mono">
                <bdi>{fix}</bdi>
              </p>
            )}
          </li>
        ))}
        {!isElsewhere && project.map(({ name, reason, fix }) => (
          <li key={name + reason}>
            <strong>
              <bdi>{name}</bdi>
            </strong>: <bdi>{reason}</bdi>
            <p class="dim mono">
              <bdi>{fix}</bdi>
            </p>
          </li>
        ))}
      </ul>
      {plan.length > 0 && !isElsewhere && (
        <details>
          <summary>What it uses{known}</summary>
          <dl class="tried">
            {shownFacts(plan).map(({ name, value, from, why }) => (
              <div key={name}>
                <dt>
                  {name}: <bdi>{value === null ? "not known" : value || "none"}</bdi>
                </dt>
                <dd class="dim">
                  <bdi>{[from, why].filter(Boolean).join(": ")}</bdi>
                </dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </section>
  );
}

/** The facts as they are shown: those that are not known for one reason are one row. */
function shownFacts(plan: TargetLacks["plan"]): TargetLacks["plan"] {
  const isShared = (a: PlannedFact, b: PlannedFact | undefined) =>
    a.value === null && b?.value === null && a.why === b.why;
  return plan.reduce<readonly PlannedFact[]>((rows, fact) => {
    const last = rows.at(-1);
    return last !== undefined && isShared(fact, last)
      ? [...rows.slice(0, -1), { ...last, name: `${last.name}, ${fact.name}` }]
      : [...rows, fact];
  }, []);
}

/** Location of a build's output. */
function Built({ result }: { readonly result: Readonly<Record<string, unknown>> }) {
  const out = textOrEmpty(result["out"]);
  return (
    <p class="outcome" role="status">
      <Icon name="check" />
      {result["target"] === "web"
        ? (
          <span>
            The game lies in <bdi class="mono">{out}/</bdi>{" "}
            of the project: any server of files serves it.
          </span>
        )
        : (
          <span>
            Built. The game lies in{" "}
            <bdi class="mono">{out}/</bdi>; where the app lies is in the last lines of the log.
          </span>
        )}
    </p>
  );
}
