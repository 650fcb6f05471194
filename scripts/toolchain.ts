import { nearestNames } from "../lib/core/nearest.ts";
import { fail, type Failure, ok, type Result } from "../lib/core/result.ts";
import {
  BUILD_TARGETS,
  createToolchain,
  type Guide,
  isBuildTarget,
  isToolId,
  type Preflight,
  type SdkOverrides,
  TOOL_IDS,
  ToolAbsentError,
  type Toolchain,
  type ToolchainStatus,
  type ToolId,
  type ToolStatus,
} from "../lib/toolchain/mod.ts";
import { type CommandLine, commandLine, printFailure, runScript } from "./cli.ts";
import { createOutput } from "./output.ts";
import { loadRuntime, loadSyncStat } from "./runtime.ts";

const COMMANDS = ["status", "detect", "resolve", "guide", "preflight", "settings"] as const;
type Command = (typeof COMMANDS)[number];

const SPEC = {
  usage:
    "toolchain.ts <status | detect ID | resolve ID | guide ID | preflight TARGET | settings> [flags]",
  commands: COMMANDS,
  takesWords: true,
  flags: {
    system: { kind: "value", doc: "settings: use system-installed tools, on or off" },
    java: { kind: "value", doc: "the JDK folder that the project names (user.sdk)" },
    "android-sdk": { kind: "value", doc: "the SDK folder that the project names (user.sdk)" },
  },
} as const;

/** What a command answers: the object of `--json`, the text for people, the exit code. */
interface Answer {
  readonly value: object;
  readonly text: string;
  readonly code: 0 | 1;
  /** Told on stderr, beside the answer. */
  readonly absent?: Failure;
}

type Usage = Failure<"usage">;

async function main(argv: readonly string[]): Promise<number> {
  const line = commandLine(argv, SPEC);
  if (typeof line === "number") return line;
  const request = requestOf(line);
  if (!request.ok) {
    printFailure(request.error);
    return 2;
  }
  const json = line.switches["json"] === true;
  const output = createOutput(json);
  const tell = (failure: Failure) =>
    json ? console.error(JSON.stringify({ event: "problem", ...failure })) : printFailure(failure);
  const toolchain = await openToolchain();
  if (!toolchain.ok) return output.failure(toolchain.error);
  const { problem } = await toolchain.value.settings();
  if (problem !== undefined) tell(problem);
  const answer = await request.value(toolchain.value);
  if (!answer.ok) return output.failure(answer.error);
  const { value, text, absent } = answer.value;
  output.result(value, text);
  if (absent !== undefined) tell(absent);
  return answer.value.code;
}

async function openToolchain(): Promise<Result<Toolchain, Failure>> {
  const [runtime, syncStat] = await Promise.all([loadRuntime(), loadSyncStat()]);
  try {
    return ok(createToolchain({ ...runtime, syncStat }));
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    return fail("toolchain-dir", thrown.message, "Set it to an absolute path, or unset it");
  }
}

type Request = (toolchain: Toolchain) => Promise<Result<Answer, Failure>>;

/** Checks the whole command line before anything is read or run. */
function requestOf(line: CommandLine): Result<Request, Usage> {
  const command = COMMANDS.find((known) => known === line.command);
  if (command === undefined) return fail("usage", "No command is given", SPEC.usage);
  const stray = strayFlag(command, line) ?? strayWord(command, line);
  if (stray !== null) return stray;
  const [word = ""] = line.positionals;
  const options = { overrides: overridesOf(line) };
  switch (command) {
    case "status":
      return answering(async (toolchain) => {
        const status = await toolchain.status(options);
        return ok({ value: status, text: statusText(status), code: 0 });
      });
    case "detect":
    case "resolve": {
      const id = toolId(word);
      if (!id.ok) return id;
      return answering(async (toolchain) =>
        command === "detect"
          ? answerOf(toolchain.describe(await toolchain.detect(id.value, options)))
          : await resolve(toolchain, id.value, options)
      );
    }
    case "guide": {
      const id = toolId(word);
      if (!id.ok) return id;
      return answering((toolchain) => {
        const guide = toolchain.guide(id.value);
        return Promise.resolve(ok({ value: guide, text: guideText(guide), code: 0 }));
      });
    }
    case "preflight": {
      if (!isBuildTarget(word)) return unknown("target", word, BUILD_TARGETS);
      return answering(async (toolchain) => {
        const preflight = await toolchain.preflight(word, options);
        return ok({
          value: preflight,
          text: preflightText(preflight),
          code: preflight.ready ? 0 : 1,
        });
      });
    }
    case "settings": {
      const system = line.values["system"];
      if (system !== undefined && system !== "on" && system !== "off") {
        return unknown("value of --system", system, ["on", "off"]);
      }
      return answering((toolchain) => settings(toolchain, system));
    }
  }
}

/** Fixes the type of a request, which its arms would otherwise infer each for itself. */
function answering(request: Request): Result<Request, Usage> {
  return ok(request);
}

async function resolve(
  toolchain: Toolchain,
  id: ToolId,
  options: { readonly overrides: SdkOverrides },
): Promise<Result<Answer, Failure>> {
  try {
    return answerOf(toolchain.describe(await toolchain.resolve(id, options)));
  } catch (thrown) {
    if (!(thrown instanceof ToolAbsentError)) throw thrown;
    const { detection, fix } = thrown;
    const tool = toolchain.describe(detection);
    const message = `Cannot find ${id}: ${detection.reason}`;
    const absent = { code: "tool-absent", message, next: fix };
    return ok({ value: tool, text: toolText(tool), code: 1, absent });
  }
}

async function settings(
  toolchain: Toolchain,
  system: "on" | "off" | undefined,
): Promise<Result<Answer, Failure>> {
  let setAside: string | undefined;
  if (system !== undefined) {
    const written = await toolchain.setAllowSystem(system === "on");
    if (!written.ok) return written;
    setAside = written.value.setAside;
  }
  const { path, allowSystemToolchain: saved } = await toolchain.settings();
  const allowed = await toolchain.systemToolchainAllowed();
  const text = [
    `System-installed tools are ${allowed ? "allowed" : "refused"}`,
    saved === undefined ? "  never set: the default holds" : `  saved: ${saved ? "on" : "off"}`,
    ...(saved === false && allowed ? ["  SVC_ALLOW_SYSTEM_TOOLCHAIN=1 wins over it"] : []),
    `  file: ${path}`,
    ...(setAside === undefined ? [] : [`  the damaged file is now ${setAside}`]),
  ];
  return ok({
    value: { allowSystemToolchain: allowed, saved, path, setAside },
    text: text.join("\n"),
    code: 0,
  });
}

function answerOf(tool: ToolStatus): Result<Answer, Failure> {
  return ok({ value: tool, text: toolText(tool), code: 0 });
}

const WORDS: Readonly<Record<Command, string | null>> = {
  status: null,
  detect: "a tool id",
  resolve: "a tool id",
  guide: "a tool id",
  preflight: "a target",
  settings: null,
};

function strayWord(command: Command, { positionals }: CommandLine): Result<never, Usage> | null {
  const wanted = WORDS[command];
  const extra = positionals[wanted === null ? 0 : 1];
  if (extra !== undefined) {
    return fail("usage", `${command} takes no word ${JSON.stringify(extra)}`, "Remove it");
  }
  if (wanted === null || positionals.length > 0) return null;
  const known: readonly string[] = command === "preflight" ? BUILD_TARGETS : TOOL_IDS;
  return fail("usage", `${command} needs ${wanted}: expected one of ${known.join(", ")}`);
}

function strayFlag(command: Command, { values }: CommandLine): Result<never, Usage> | null {
  const taken: readonly string[] = command === "settings"
    ? ["system"]
    : command === "guide"
    ? []
    : ["java", "android-sdk"];
  const stray = Object.keys(values).find((flag) => !taken.includes(flag));
  return stray === undefined
    ? null
    : fail("usage", `${command} takes no flag --${stray}`, "Remove it");
}

function overridesOf({ values }: CommandLine): SdkOverrides {
  const { java, "android-sdk": sdk } = values;
  return {
    ...(java !== undefined && { java }),
    ...(sdk !== undefined && { "android-sdk": sdk }),
  };
}

function toolId(word: string): Result<ToolId, Usage> {
  return isToolId(word) ? ok(word) : unknown("tool", word, TOOL_IDS);
}

function unknown(what: string, word: string, known: readonly string[]): Result<never, Usage> {
  const near = nearestNames(word, known);
  return fail(
    "usage",
    `Unknown ${what} ${JSON.stringify(word.slice(0, 80))}: expected one of ${known.join(", ")}`,
    near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "See --help",
  );
}

function statusText(status: ToolchainStatus): string {
  const { platform, toolchainDir, packaged, allowSystemToolchain, adb, preflight } = status;
  return [
    `${platform}, ${packaged ? "packaged" : "development checkout"}, ` +
    `system-installed tools ${allowSystemToolchain ? "allowed" : "refused"}`,
    `own tools in ${toolchainDir}`,
    "",
    ...status.tools.map(toolText),
    `${adb.present ? "ok " : "-- "} ${"adb".padEnd(18)} ${adb.path ?? "not there"}`,
    "",
    ...Object.values(preflight).map(preflightText),
  ].join("\n");
}

function toolText(tool: ToolStatus): string {
  const found = tool.present
    ? `${tool.version ?? ""} ${tool.path ?? ""} (${tool.source ?? ""})`
    : tool.canAutoInstall
    ? "absent; installable"
    : "absent; see its guide";
  return [
    `${tool.present ? "ok " : "-- "} ${tool.id.padEnd(18)} ${found.trim()}`,
    ...tool.tried.map(({ path, source, reason }) => `      ${source} ${path}: ${reason}`),
  ].join("\n");
}

function preflightText({ target, ready, missing, bytes }: Preflight): string {
  if (ready) return `${target}: ready`;
  const megabytes = bytes === 0 ? "" : `, about ${Math.ceil(bytes / 1e6)} MB to download`;
  return [
    `${target}: not ready, ${missing.length} missing${megabytes}`,
    ...missing.flatMap(({ id, reason, fix }) => [`  ${id}: ${reason}`, `    next: ${fix}`]),
  ].join("\n");
}

function guideText({ title, steps, url }: Guide): string {
  return [
    title,
    ...steps.map((step, i) => `  ${i + 1}. ${step}`),
    ...(url === undefined ? [] : [`  ${url}`]),
  ].join("\n");
}

await runScript(main);
