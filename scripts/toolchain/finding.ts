import { type Failure, ok, type Result } from "../../lib/core/result.ts";
import {
  BUILD_TARGETS,
  type BuildTarget,
  type Detection,
  isBuildTarget,
  type PhoneTarget,
  type Preflight,
  ToolAbsentError,
  type ToolchainStatus,
  type ToolId,
} from "../../lib/toolchain/mod.ts";
import { preflightTarget, type TargetPreflight } from "../../lib/project/building/mod.ts";
import { unknownWord } from "../shared/command-line.ts";
import {
  aboutTool,
  type Answer,
  type Command,
  type CommandContext,
  lookOf,
  TOOL_WORD,
} from "./command.ts";
import { guideText, preflightText, statusText, toolText } from "./doctor.ts";
import { PROJECT_FLAGS, type TypedFrom, withTypedFix, withTypedFixes } from "./project.ts";

/** `status`: everything, as a doctor prints it. */
export const statusCommand: Command = {
  doc: "every tool: where it is, or why it is missing and how to fix it",
  flags: PROJECT_FLAGS,
  prepare: () =>
    ok(async (context) => {
      const { toolchain, runtime, screen, project } = context;
      const { host: { home, cli } } = runtime;
      const ofMachine = await toolchain.status(lookOf(context));
      const typed = typedFrom(context);
      const status = {
        ...ofMachine,
        tools: ofMachine.tools.map((tool) => withTypedFix(tool, typed)),
        preflight: await ofProject(ofMachine.preflight, context),
      };
      const text = statusText(status, { screen, home, cli, project });
      return ok({ value: status, text, code: 0 });
    }),
};

/** `detect ID`: one tool with its search log. */
export const detectCommand: Command = {
  doc: "one tool, with every place that was searched",
  word: TOOL_WORD,
  flags: PROJECT_FLAGS,
  prepare: aboutTool(async (id, context) =>
    ok(await answerOf(await context.toolchain.detect(id, lookOf(context)), context))
  ),
};

/** `resolve ID`: the same, and a failure when it is missing. */
export const resolveCommand: Command = {
  doc: "the same; exit 1 when it is missing",
  word: TOOL_WORD,
  flags: PROJECT_FLAGS,
  prepare: aboutTool(resolve),
};

/** `guide ID`: steps for a person. */
export const guideCommand: Command = {
  doc: "how to install the tool by hand",
  word: TOOL_WORD,
  flags: {},
  prepare: aboutTool((id, { toolchain, screen }) => {
    const guide = toolchain.guide(id);
    return Promise.resolve(ok({ value: guide, text: guideText(guide, screen), code: 0 }));
  }),
};

/** `preflight TARGET`: whether a build can start. */
export const preflightCommand: Command = {
  doc: "whether a build can start, and what is missing; exit 1 when it cannot",
  word: { name: "TARGET", what: "a target", known: BUILD_TARGETS },
  flags: PROJECT_FLAGS,
  prepare(_line, word) {
    if (!isBuildTarget(word)) return unknownWord("target", word, BUILD_TARGETS);
    return ok(async (context) => {
      const preflight = await preflightOf(word, context);
      const text = preflightText(preflight, context.screen);
      return ok({ value: preflight, text, code: preflight.ready ? 0 : 1 });
    });
  },
};

/** `settings`: shows or sets the toggle. */
export const settingsCommand: Command = {
  doc: "shows whether system-installed tools are used; --system on|off decides",
  flags: { system: { kind: "value", doc: "settings: use system-installed tools, on or off" } },
  prepare(line) {
    const system = line.values["system"];
    if (system !== undefined && system !== "on" && system !== "off") {
      return unknownWord("value of --system", system, ["on", "off"]);
    }
    return ok((context) => settings(context, system));
  },
};

/** Checks whether a build of this target can start, by the same rules as the build itself. */
async function preflightOf(target: BuildTarget, context: CommandContext): Promise<TargetPreflight> {
  const { toolchain, runtime, project } = context;
  const tools = lookOf(context);
  if (project === undefined) {
    return withoutProject(await toolchain.preflight(target, tools), context);
  }
  // A user who names this target allows its project's programs to run, as a build does.
  const look = { programs: "all", tools } as const;
  const found = await preflightTarget({ ...runtime, toolchain }, project.root, target, look);
  return withTypedFixes(found, typedFrom(context));
}

/** Returns the targets of a status as the project's builds see them. Runs nothing of the project. */
async function ofProject(
  preflight: ToolchainStatus["preflight"],
  context: CommandContext,
): Promise<Readonly<Record<PhoneTarget, TargetPreflight>>> {
  const { toolchain, runtime, project } = context;
  const { android, ios } = preflight;
  if (project === undefined) {
    return { android: withoutProject(android, context), ios: withoutProject(ios, context) };
  }
  const look = { programs: "none", tools: lookOf(context) } as const;
  const of = async (target: PhoneTarget) =>
    withTypedFixes(
      await preflightTarget({ ...runtime, toolchain }, project.root, target, look),
      typedFrom(context),
    );
  return { android: await of("android"), ios: await of("ios") };
}

function withoutProject(preflight: Preflight, context: CommandContext): TargetPreflight {
  return { ...withTypedFixes(preflight, typedFrom(context)), plan: [], unknown: [] };
}

async function resolve(id: ToolId, context: CommandContext): Promise<Result<Answer, Failure>> {
  try {
    const found = await context.toolchain.resolve(id, lookOf(context));
    return ok(await answerOf(found, context));
  } catch (thrown) {
    if (!(thrown instanceof ToolAbsentError)) throw thrown;
    const { detection } = thrown;
    const message = `Cannot find ${id}: ${detection.reason}`;
    const { fix } = withTypedFix({ fix: thrown.fix }, typedFrom(context));
    const absent = { code: "tool-absent", message, next: fix };
    return ok({ ...await answerOf(detection, context), code: 1, absent });
  }
}

async function settings(
  { toolchain }: CommandContext,
  system: "on" | "off" | undefined,
): Promise<Result<Answer, Failure>> {
  let setAside: string | undefined;
  if (system !== undefined) {
    const written = await toolchain.setAllowSystem(system === "on");
    if (!written.ok) return written;
    setAside = written.value.setAside;
  }
  const { path, allowSystemToolchain: saved, problem } = await toolchain.settings();
  const allowed = await toolchain.systemToolchainAllowed();
  const text = [
    `System-installed tools are ${allowed ? "allowed" : "refused"}`,
    saved === undefined
      ? `  ${problem === undefined ? "never set" : "the file is invalid"}: the default holds`
      : `  saved: ${saved ? "on" : "off"}`,
    ...(saved === false && allowed ? ["  SVC_ALLOW_SYSTEM_TOOLCHAIN=1 overrides it"] : []),
    `  file: ${path}`,
    ...(setAside === undefined ? [] : [`  the damaged file is now ${setAside}`]),
  ];
  return ok({
    value: { allowSystemToolchain: allowed, saved, path, setAside, problem },
    text: text.join("\n"),
    code: 0,
  });
}

async function answerOf(detection: Detection, context: CommandContext): Promise<Answer> {
  const { toolchain, screen } = context;
  const described = await toolchain.describe(detection, lookOf(context));
  const tool = withTypedFix(described, typedFrom(context));
  const text = toolText(tool, { screen, guide: toolchain.guide(tool.id) });
  return { value: tool, text, code: 0 };
}

function typedFrom({ project, line: { values } }: CommandContext): TypedFrom {
  return { root: project?.root, values };
}
