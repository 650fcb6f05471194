import { z } from "zod";
import { ok } from "../../core/result.ts";
import { SETS, unlessChanged } from "../scene/edits.ts";
import { jsonObject } from "../declaration/parameters.ts";
import { servicePart } from "../declaration/parts.ts";
import { callerOf } from "../declaration/services.ts";
import { refuseMissing } from "../declaration/arguments.ts";
import { defineTool, READ_ONLY, type Tool } from "../declaration/tool.ts";

/** `get_project`. */
const getProject: Tool = defineTool({
  name: "get_project",
  route: "/api/project",
  purpose: "Settings of the project: name, start scene, build commands, updates",
  defaultShape: "project.config.json",
  parameters: z.object({}),
  drillDown: {},
  annotations: READ_ONLY,

  async produce(services) {
    const settings = servicePart(services, "project");
    return settings.ok ? await settings.value.read() : settings;
  },
  summarize: (settings) => ok(settings),
});

/** `set_project_settings`. */
const setProjectSettings: Tool = defineTool({
  name: "set_project_settings",
  route: "/api/project-settings",
  routeKind: "body",
  purpose: "Changes settings of the project, checked as a whole",
  defaultShape: "the changes; needs values=",
  parameters: z.object({ values: jsonObject("merged in; null removes a member") }),
  drillDown: { values: "merged in, null removes" },
  annotations: SETS,
  undoable: true,

  async produce(services, { values }) {
    const settings = servicePart(services, "project");
    if (!settings.ok) return settings;
    if (values === undefined || Object.keys(values).length === 0) {
      return refuseMissing("set_project_settings", "values", 'values={"viewport":{"width":1280}}');
    }
    const changed = await settings.value.change(values, callerOf(services));
    return changed.ok ? ok({ names: Object.keys(values), ...changed.value }) : changed;
  },

  summarize({ names, before, after, runs, undo }) {
    const changed = names.filter((name) =>
      JSON.stringify(before[name]) !== JSON.stringify(after[name])
    );
    const warnings = [
      ...runs.map((run) => `Will be run on this machine when it builds: ${run}`),
      ...changed.flatMap((name) => LATER.get(name) ?? []),
    ];
    return ok({
      ok: true,
      changed: changed.length,
      ...unlessChanged(changed.length > 0),
      settings: Object.fromEntries(names.map((name) => [name, after[name] ?? null])),
      ...(warnings.length > 0 && { warnings }),
      ...(undo !== null && { undo }),
    });
  },
});

/** Settings that take effect only after the project is opened again. */
const LATER: ReadonlyMap<string, string> = new Map([
  ["name", "The open editor keeps its name in banners until the service is restarted"],
  ["viewport", "The open editor keeps its viewport: set_view width=, height= changes it now"],
]);

export const PROJECT_TOOLS: readonly Tool[] = [getProject, setProjectSettings];
