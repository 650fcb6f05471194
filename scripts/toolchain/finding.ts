import { type Failure, ok, type Result } from "../../lib/core/result.ts";
import {
  BUILD_TARGETS,
  isBuildTarget,
  ToolAbsentError,
  type ToolchainStatus,
  type ToolId,
  type ToolStatus,
} from "../../lib/toolchain/mod.ts";
import { type CommandLine, unknownWord } from "../cli.ts";
import {
  type Answer,
  type Command,
  type CommandContext,
  OVERRIDE_FLAGS,
  overridesOf,
  TOOL_WORD,
  toolId,
} from "./command.ts";
import { type Advice, guideText, preflightText, statusText, toolText } from "./doctor.ts";
import type { Paint } from "./paint.ts";

/** `status`: everything, as a doctor prints it. */
export const statusCommand: Command = {
  doc: "every tool: where it is, or why it is missing and what mends that",
  flags: OVERRIDE_FLAGS,
  prepare: () =>
    ok(async (context) => {
      const { toolchain, line, paint } = context;
      const status = await toolchain.status(overridesOf(line));
      const text = statusText(status, { advice: await adviceOn(status, context), paint });
      return ok({ value: status, text, code: 0 });
    }),
};

/** `detect ID`: one tool with the whole trail. */
export const detectCommand: Command = {
  doc: "one tool, with every place that was looked at",
  word: TOOL_WORD,
  flags: OVERRIDE_FLAGS,
  prepare: aboutTool(async (id, { toolchain, line, paint }) =>
    answerOf(await toolchain.describe(await toolchain.detect(id, overridesOf(line))), paint)
  ),
};

/** `resolve ID`: the same, and a failure when it is missing. */
export const resolveCommand: Command = {
  doc: "the same; exit 1 when it is missing",
  word: TOOL_WORD,
  flags: OVERRIDE_FLAGS,
  prepare: aboutTool(resolve),
};

/** `guide ID`: steps for a person. */
export const guideCommand: Command = {
  doc: "how a person gets the tool",
  word: TOOL_WORD,
  flags: {},
  prepare: aboutTool((id, { toolchain, paint }) => {
    const guide = toolchain.guide(id);
    return Promise.resolve(ok({ value: guide, text: guideText(guide, paint), code: 0 }));
  }),
};

/** `preflight TARGET`: whether a build can start. */
export const preflightCommand: Command = {
  doc: "whether a build can start, and what is missing; exit 1 when it cannot",
  word: { name: "TARGET", what: "a target", known: BUILD_TARGETS },
  flags: OVERRIDE_FLAGS,
  prepare(_line, word) {
    if (!isBuildTarget(word)) return unknownWord("target", word, BUILD_TARGETS);
    return ok(async ({ toolchain, runtime, line, paint }) => {
      const preflight = await toolchain.preflight(word, overridesOf(line));
      const text = preflightText(preflight, { paint, cli: runtime.host.cli });
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

function aboutTool(
  work: (id: ToolId, context: CommandContext) => Promise<Result<Answer, Failure>>,
): Command["prepare"] {
  return (_line: CommandLine, word: string) => {
    const id = toolId(word);
    return id.ok ? ok((context) => work(id.value, context)) : id;
  };
}

/** Why each missing tool is missing, and what to do: detection remembers what it was just told. */
async function adviceOn(
  { tools }: ToolchainStatus,
  { toolchain, line }: CommandContext,
): Promise<ReadonlyMap<string, Advice>> {
  const advice = new Map<string, Advice>();
  await Promise.all(
    tools.filter(({ present }) => !present).map(async ({ id }) => {
      try {
        await toolchain.resolve(id, overridesOf(line));
      } catch (thrown) {
        if (!(thrown instanceof ToolAbsentError)) throw thrown;
        advice.set(id, { reason: thrown.detection.reason, fix: thrown.fix });
      }
    }),
  );
  return advice;
}

async function resolve(
  id: ToolId,
  { toolchain, line, paint }: CommandContext,
): Promise<Result<Answer, Failure>> {
  try {
    return answerOf(
      await toolchain.describe(await toolchain.resolve(id, overridesOf(line))),
      paint,
    );
  } catch (thrown) {
    if (!(thrown instanceof ToolAbsentError)) throw thrown;
    const { detection, fix } = thrown;
    const tool = await toolchain.describe(detection);
    const message = `Cannot find ${id}: ${detection.reason}`;
    const absent = { code: "tool-absent", message, next: fix };
    return ok({ value: tool, text: toolText(tool, paint), code: 1, absent });
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
      ? `  ${problem === undefined ? "never set" : "the file is of no use"}: the default holds`
      : `  saved: ${saved ? "on" : "off"}`,
    ...(saved === false && allowed ? ["  SVC_ALLOW_SYSTEM_TOOLCHAIN=1 wins over it"] : []),
    `  file: ${path}`,
    ...(setAside === undefined ? [] : [`  the damaged file is now ${setAside}`]),
  ];
  return ok({
    value: { allowSystemToolchain: allowed, saved, path, setAside, problem },
    text: text.join("\n"),
    code: 0,
  });
}

function answerOf(tool: ToolStatus, paint: Paint): Result<Answer, Failure> {
  return ok({ value: tool, text: toolText(tool, paint), code: 0 });
}
