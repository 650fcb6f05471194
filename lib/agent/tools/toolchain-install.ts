import { z } from "zod";
import type { Problem } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { InstallPlan } from "../../toolchain/mod.ts";
import { BUILD_TARGETS, PHONE_TARGETS } from "../../toolchain/tools/mod.ts";
import { unlessChanged } from "../scene/edits.ts";
import { choice, flag, text } from "../declaration/parameters.ts";
import { servicePart } from "../declaration/parts.ts";
import { type Started, startedJob } from "../declaration/started-job.ts";
import { authorOf } from "../declaration/services.ts";
import { refuseMissing } from "../declaration/arguments.ts";
import { defineTool, type Tool } from "../declaration/tool.ts";
import { HOW_TO_GET, toolIdOf } from "./toolchain.ts";

/** `install_tool` (INST-9, INST-10). */
const installTool: Tool = defineTool({
  name: "install_tool",
  route: "/api/toolchain/install",
  routeKind: "stream",
  purpose: "Installs a pinned, verified build tool; accepts its licences (get_tool_guide)",
  defaultShape: "a job for job_get; needs id=",
  parameters: z.object({
    id: text("the tool, as toolchain_status spells it"),
    reinstall: flag("also when intact"),
    dryRun: flag("only lists its downloads and commands"),
  }),
  drillDown: {},
  annotations: { destructiveHint: false, idempotentHint: true },

  async produce(services, args): Promise<Result<Started | InstallPlan, Problem>> {
    const { id, reinstall, dryRun } = args;
    const installs = servicePart(services, "installs");
    if (!installs.ok) return installs;
    if (id === undefined) return refuseMissing("install_tool", "id", "toolchain_status lists them");
    const known = toolIdOf(id);
    if (!known.ok) return known;
    if (dryRun === true) return await installs.value.plan(known.value);
    const job = await installs.value.install(known.value, {
      reinstall,
      author: authorOf(services),
    });
    return job.ok ? ok({ job: job.value }) : job;
  },

  summarize: (started) => ok(startedJob(started, "installs")),
});

/** `install_missing`: installs like {@linkcode installTool}, for all missing tools. */
const installMissing: Tool = defineTool({
  name: "install_missing",
  route: "/api/toolchain/install-missing",
  routeKind: "body",
  purpose: "Installs every build tool that is missing and can be installed; accepts all licences",
  defaultShape:
    "a job for job_get; toolchain_status full=1 says which, bytes and disk (installable)",
  parameters: z.object({}),
  drillDown: {},
  annotations: { destructiveHint: false, idempotentHint: true },

  async produce(services) {
    const installs = servicePart(services, "installs");
    if (!installs.ok) return installs;
    const job = await installs.value.installAll({ author: authorOf(services) });
    return job.ok ? ok({ job: job.value }) : job;
  },

  summarize: (started) => ok(startedJob(started, "installs")),
});

/** `uninstall_tool`: removes what `install_tool` installed. */
const uninstallTool: Tool = defineTool({
  name: "uninstall_tool",
  route: "/api/toolchain/uninstall",
  routeKind: "body",
  purpose: "Removes a build tool that install_tool installed, none of the system's",
  defaultShape: "bytes freed; needs id=",
  parameters: z.object({ id: text("the tool") }),
  drillDown: {},
  annotations: { destructiveHint: true, idempotentHint: true },

  async produce(services, { id }) {
    const installs = servicePart(services, "installs");
    if (!installs.ok) return installs;
    if (id === undefined) {
      return refuseMissing("uninstall_tool", "id", "toolchain_status lists them");
    }
    const known = toolIdOf(id);
    return known.ok ? await installs.value.uninstall(known.value) : known;
  },

  summarize: (done) => ok({ ok: true, ...done, ...unlessChanged(done.removed) }),
});

/** `set_toolchain` (FIND-11, FIND-16). */
const setToolchain: Tool = defineTool({
  name: "set_toolchain",
  route: "/api/toolchain/settings",
  routeKind: "body",
  purpose: "Allows (system=1) or refuses (system=0) system-installed build tools",
  defaultShape: "what is allowed; needs system=",
  parameters: z.object({ system: flag("use system-installed tools") }),
  drillDown: { system: "1, 0" },
  annotations: { destructiveHint: false, idempotentHint: true },

  async produce(services, { system }) {
    const toolchain = servicePart(services, "toolchain");
    if (!toolchain.ok) return toolchain;
    if (system === undefined) return refuseMissing("set_toolchain", "system", "system=1 or 0");
    return await toolchain.value.allowSystem(system);
  },

  // `saved` alone would read as if nothing had been saved.
  summarize: (set) => ok({ ok: true, ...set, settings: { allowSystemToolchain: set.saved } }),
});

/** `preflight_build` (FIND-14). */
const preflightBuild: Tool = defineTool({
  name: "preflight_build",
  route: "/api/toolchain/preflight",
  purpose: "Whether the project can be built for a target, and what is missing",
  defaultShape: "ready or not, by target",
  parameters: z.object({ target: choice(BUILD_TARGETS, "target platform") }),
  drillDown: { target: "missing tools, fixes, bytes" },
  annotations: { readOnlyHint: true },

  async produce(services, { target }, { signal }) {
    const toolchain = servicePart(services, "toolchain");
    if (!toolchain.ok) return toolchain;
    const targets = target === undefined ? PHONE_TARGETS : [target];
    return ok(
      await Promise.all(targets.map(async (each) => {
        const project = await services.builds?.preflight(each, signal);
        return project ??
          { ...await toolchain.value.preflight(each, signal), plan: [], unknown: [] };
      })),
    );
  },

  summarize(found, { target }) {
    const [one] = found;
    if (target !== undefined && one !== undefined) {
      const hints = [
        ...(one.missing.length > 0 ? [HOW_TO_GET] : []),
        ...(one.unknown.length > 0
          ? [`${one.ready ? "ready" : "not ready"} as far as known: see unknown`]
          : []),
      ];
      return ok({ ...one, ...(hints.length > 0 && { hint: hints.join("; ") }) });
    }
    return ok({
      targets: found.map(({ target, ready, missing, lacks = [], unknown, bytes }) => ({
        target,
        ready,
        ...(unknown.length > 0 && { known: "as far as known" }),
        missing: missing.map(({ id }) => id),
        ...(lacks.length > 0 && { lacks: lacks.map(({ name }) => name) }),
        bytes,
      })),
      hint: "Ids only: target= for reasons and fixes",
    });
  },
});

/** The tools that change or check the toolchain of builds. */
export const TOOLCHAIN_INSTALL_TOOLS: readonly Tool[] = [
  preflightBuild,
  installTool,
  uninstallTool,
  setToolchain,
];

/** Tools that a list may omit: the others do the same one by one. */
export const TOOLCHAIN_MORE_TOOLS: readonly Tool[] = [installMissing];
