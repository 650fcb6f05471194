import type { Jobs, JobSnapshot, JobStart } from "../../core/jobs.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Problem } from "../../core/problem.ts";
import { err, ok, type Result } from "../../core/result.ts";
import type { Clock } from "../../ports/clock.ts";
import type {
  DescribeOptions,
  InstalledTool,
  InstallPlan,
  LookOptions,
  Toolchain,
  ToolId,
  Uninstalled,
} from "../../toolchain/mod.ts";
import { orNullAfterTimeout } from "./project-job.ts";
import { installProblem, installTool } from "./tool-install.ts";

/** The installations of a toolchain, as agents and routes reach them (INST-10). */
export interface Installs {
  /**
   * Starts installing, or attaches to the running installation of the same tool. The call accepts
   * the tool's licences (INST-9).
   *
   * @param options `reinstall` installs even an installed and intact tool.
   * @returns The job within a second, or why none was started: 422 `not-installable` for a tool
   * that the editor does not provide.
   */
  install(
    id: ToolId,
    options?: JobStart & { readonly reinstall?: boolean | undefined },
  ): Promise<Result<JobSnapshot, Problem>>;
  /**
   * Starts installing all missing tools that can be installed, one after another, or attaches to
   * the job that does. A failure does not stop the others. The call accepts the licences of all.
   */
  installAll(options?: JobStart): Promise<Result<JobSnapshot, Problem>>;
  /** Plans the installation: its downloads and commands. @returns 422 `not-installable`. */
  plan(id: ToolId): Promise<Result<InstallPlan, Problem>>;
  /** Removes an installed tool; never one of the system. */
  uninstall(id: ToolId): Promise<Result<Uninstalled, Problem>>;
}

/** The key of the job that installs all missing tools. */
const ALL = "all that is missing";

/** The dependencies of {@linkcode createInstalls}. */
export interface InstallsOptions {
  /** Installs and removes. */
  readonly toolchain: Pick<Toolchain, "install" | "planInstall" | "uninstall" | "status">;
  /**
   * How the project's builds look for tools; when absent, the look of a machine without a project.
   */
  readonly needed?: (() => Promise<LookOptions & DescribeOptions>) | undefined;
  /** The jobs of installations. */
  readonly jobs: Pick<Jobs, "list" | "start">;
  /** Paces progress, and bounds how long a start may take. */
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
}

/** The installations of one toolchain. */
export function createInstalls(
  { toolchain, jobs, clock, needed = () => Promise.resolve({}) }: InstallsOptions,
): Installs {
  return {
    async install(id, { reinstall = false, author } = {}) {
      const running = jobs.list().find(({ kind, key, state }) =>
        kind === "install" && key === id && state === "running"
      );
      if (running !== undefined) return ok(running);
      let settle: (refused: Problem | null) => void = () => undefined;
      const begun = new Promise<Problem | null>((resolve) => settle = resolve);
      const job = jobs.start("install", id, async (context) => {
        // The first report of the work counts as its start: the job itself reports later failures.
        const begins =
          <T extends readonly unknown[]>(tell: (...words: T) => void) => (...words: T) => {
            settle(null);
            tell(...words);
          };
        const installed = await installTool({ toolchain, clock }, id, {
          reinstall,
          context: {
            ...context,
            log: begins(context.log),
            progress: begins(context.progress),
          },
        });
        const refused = !installed.ok && installed.error.code === "not-installable";
        settle(refused ? installed.error : null);
        return installed.ok ? ok(installedOf(installed.value)) : installed;
      }, { author });
      const refused = await orNullAfterTimeout(begun, clock);
      return refused === null ? ok(job) : err(refused);
    },
    installAll: (options) =>
      Promise.resolve(ok(jobs.start("install", ALL, async (context) => {
        const { installable: { ids } } = await toolchain.status({
          ...await needed(),
          signal: context.signal,
        });
        const failed: Problem[] = [];
        for (const id of ids) {
          if (context.signal.aborted) break;
          context.log(`install: ${id}`);
          const installed = await installTool({ toolchain, clock }, id, { context });
          if (installed.ok) continue;
          const { detail, hint } = installed.error;
          context.log(`${detail}. ${hint}`, "stderr");
          failed.push(installed.error);
        }
        return allInstalled(ids, failed);
      }, options))),
    async plan(id) {
      const plan = await toolchain.planInstall(id);
      return plan.ok ? plan : err(installProblem(id, plan.error));
    },
    async uninstall(id) {
      const removed = await toolchain.uninstall(id);
      return removed.ok ? removed : err(installProblem(id, removed.error));
    },
  };
}

function allInstalled(
  ids: readonly ToolId[],
  [first, ...more]: readonly Problem[],
): Result<JsonObject, Problem> {
  if (first === undefined) return ok({ ids });
  const others = more.length === 0 ? "" : `; ${more.length} more failed, see the log`;
  return err({ ...first, detail: `${first.detail}${others}` });
}

function installedOf({ id, tool }: InstalledTool): JsonObject {
  const { path, version } = tool;
  return { id, path, ...(version !== undefined && { version }) };
}
