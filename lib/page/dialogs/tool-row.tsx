import { useState } from "preact/hooks";
import { sizeText } from "../../core/sizes.ts";
import type { PageJob } from "../model/job-log.ts";
import { isSure } from "../model/questions.ts";
import { type BuildTool, type ToolGuide, type ToolLicence, uninstall } from "../model/toolchain.ts";
import { Icon } from "../parts/icon.tsx";
import { listOf, numberOf, textOrEmpty } from "../wire/read.ts";
import { callService } from "../wire/service.ts";
import { JobView } from "./job-view.tsx";
import { OutLink } from "./out-link.tsx";
import { toolName } from "./tool-names.ts";

const SOURCES: Readonly<Record<string, string>> = {
  "env": "named by a variable",
  "own": "installed by Slipway",
  "bundled": "came with the editor",
  "path": "on PATH",
  "well-known": "found on this machine",
  "override": "named by the project",
};

/** A tool: whether it is there, why not, and how to get it. */
export function ToolRow({ tool, job, busy, onInstall }: {
  readonly tool: BuildTool;
  /** The newest installation of it. */
  readonly job: PageJob | undefined;
  /** Whether something is installed that may be this. */
  readonly busy: boolean;
  readonly onInstall: (how: { readonly reinstall?: true }) => void;
}) {
  const { id, serves, source, version, path, canInstall, reason, need, guide, licences } = tool;
  const isOwn = tool.present && source === "own";
  const name = toolName(id);
  const remove = async () => {
    const sure = await isSure({
      title: `Uninstall ${name}?`,
      text: `Removes Slipway's installation of ${name}. Builds that need it will fail.`,
      done: "Uninstall",
    });
    if (sure) await uninstall(id);
  };
  return (
    <li class={`tool ${serves ? "serves" : need}`}>
      <div class="row">
        <Icon name={serves ? "check" : need === "required" ? "error" : "info"} />
        <strong>{name}</strong>
        <span class="dim cut">{serves ? version : need === "elsewhere" ? "" : "missing"}</span>
        <span class={`badge ${need}`}>{need === "elsewhere" ? "on a Mac" : need}</span>
        <span class="row end">
          {!serves && canInstall && (
            <button
              type="button"
              class="button primary"
              disabled={busy}
              aria-label={`Install ${name}`}
              onClick={() => onInstall({})}
            >
              Install
            </button>
          )}
          {isOwn && serves && (
            <button
              type="button"
              class="button"
              disabled={busy}
              aria-label={`Reinstall ${name}`}
              onClick={() => onInstall({ reinstall: true })}
            >
              Reinstall
            </button>
          )}
          {isOwn && (
            <button
              type="button"
              class="button"
              disabled={busy}
              aria-label={`Uninstall ${name}`}
              onClick={() => void remove()}
            >
              Uninstall
            </button>
          )}
        </span>
      </div>
      {!serves && (
        <p>
          <bdi>{reason}</bdi>
        </p>
      )}
      {serves && (
        <p class="dim path">
          {SOURCES[source] ?? source}: <bdi>{path}</bdi>
        </p>
      )}
      {tool.warnings.map((warning) => (
        <p key={warning} class="level-warn">
          <bdi>{warning}</bdi>
        </p>
      ))}
      {!serves && canInstall && <Terms id={id} licences={licences} />}
      <Why tool={tool} />
      {guide !== null && <HowTo guide={guide} />}
      {job !== undefined && <JobView job={job} title={`Install ${name}`} />}
    </li>
  );
}

/** The cost and the licence terms of an installation, shown before it starts. */
function Terms({ id, licences }: {
  readonly id: string;
  readonly licences: readonly ToolLicence[];
}) {
  const [plan, setPlan] = useState("");
  const open = async () => {
    if (plan !== "") return;
    const answer = await callService("install_tool", { id, dryRun: true });
    if (!answer.ok) return setPlan(answer.error.detail);
    const runs = listOf(answer.value["runs"], textOrEmpty);
    setPlan(
      `${sizeText(numberOf(answer.value["bytes"]))} to download into ${
        textOrEmpty(answer.value["folder"])
      }${runs.length === 0 ? "" : `. Runs ${runs.join("; ")}`}`,
    );
  };
  const titles = licences.map(({ title }) => title).join(", ");
  return (
    <details class="terms" onToggle={() => void open()}>
      <summary>
        {licences.length === 0 ? "Contents" : `Installing accepts the terms of ${titles}`}
      </summary>
      <p class="dim">
        <bdi>{plan}</bdi>
      </p>
      {licences.map(({ title, text, url, accepted }) => (
        <section key={title}>
          <h4>
            {title} {accepted !== "" && <span class="dim">{accepted}</span>}
          </h4>
          <p class="licence">
            <bdi>{text}</bdi>
          </p>
          <OutLink url={url} />
        </section>
      ))}
    </details>
  );
}

function Why({ tool: { tried, lacks } }: { readonly tool: BuildTool }) {
  return (
    <details>
      <summary>Search log</summary>
      {lacks.length > 0 && <p>Lacks {lacks.join(", ")}</p>}
      <dl class="tried">
        {tried.map(({ path, reason }, n) => (
          <div key={n}>
            <dt>
              <bdi>{path}</bdi>
            </dt>
            <dd class="dim">
              <bdi>{reason}</bdi>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

/** Steps for a person. */
function HowTo({ guide: { title, steps, url } }: { readonly guide: ToolGuide }) {
  return (
    <details class="guide">
      <summary>How to get {title}</summary>
      <ol>
        {steps.map((step) => (
          <li key={step}>
            <bdi>{step}</bdi>
          </li>
        ))}
      </ol>
      <OutLink url={url} />
    </details>
  );
}
