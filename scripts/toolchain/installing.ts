import { err, fail, type Failure, ok, type Result } from "../../lib/core/result.ts";
import {
  type BundleReport,
  type InstallFailure,
  type PinState,
  PLATFORM_KEYS,
  type ToolId,
  type Verified,
} from "../../lib/toolchain/mod.ts";
import { type Answer, type Command, type CommandContext, TOOL_WORD, toolId } from "./command.ts";
import { unknownWord } from "../shared/command-line.ts";
import { workingFolder } from "./confirm.ts";
import { askTerms, telling, unlessCancelled } from "./telling.ts";

// The commands that change the toolchain folder. What they do is told on stderr as it happens.

const YES = {
  yes: { kind: "switch", doc: "accept the licences without being asked" },
} as const;

/** `install`: provides a tool. */
export const installCommand: Command = {
  doc: "installs a tool; asks about its licences on a terminal unless --yes",
  word: TOOL_WORD,
  flags: {
    ...YES,
    reinstall: {
      kind: "switch",
      doc: "install: even what is installed and intact",
      aliases: ["anew"],
    },
    android: {
      kind: "value",
      doc: "install: the Android SDK by 'direct' (default) or 'sdkmanager'",
    },
  },
  prepare(line, word) {
    const id = toolId(word);
    if (!id.ok) return id;
    const { android = "direct" } = line.values;
    if (android !== "direct" && android !== "sdkmanager") {
      return unknownWord("value of --android", android, ["direct", "sdkmanager"]);
    }
    const reinstall = line.switches["reinstall"] === true;
    return ok(async (context) => {
      const asked = await askTerms(id.value, { ...context, android });
      if (!asked.ok) return asked;
      const told = telling(context);
      const done = await context.toolchain.install(id.value, { ...told, reinstall, android });
      if (!done.ok) return err(unlessCancelled(`${id.value} was not installed`, done.error, told));
      const { tool } = done.value;
      const text = `${id.value} ${tool.version ?? ""} is installed: ${tool.path}`;
      return ok({ value: done.value, text, code: 0 });
    });
  },
};

/** `uninstall`: removes what was installed. */
export const uninstallCommand: Command = {
  doc: "removes a tool that was installed",
  word: TOOL_WORD,
  flags: {
    force: { kind: "switch", doc: "uninstall: also files that no receipt names" },
  },
  prepare: aboutTool(async (id, context) => {
    const force = context.line.switches["force"] === true;
    const told = telling(context);
    const done = await context.toolchain.uninstall(id, { ...told, force });
    if (!done.ok) return err(unlessCancelled(`${id} was not removed`, done.error, told));
    const { removed, freed, tools } = done.value;
    const text = removed
      ? `${tools.join(" and ")} ${tools.length > 1 ? "are" : "is"} removed: ${
        megabytes(freed)
      } freed`
      : await notInstalled(id, context);
    return ok({ value: done.value, text, code: 0 });
  }),
};

/** `verify`: compares a tool with its receipt. */
export const verifyCommand: Command = {
  doc: "compares an installed tool with its receipt; exit 1 when it is damaged or not installed",
  word: TOOL_WORD,
  flags: { deep: { kind: "switch", doc: "verify: the bytes of every file" } },
  prepare: aboutTool(async (id, { toolchain, runtime, line }) => {
    const done = await toolchain.verify(id, { deep: line.switches["deep"] === true });
    if (!done.ok) return done;
    return ok({
      value: done.value,
      text: done.value.installed
        ? verifiedText(id, { ...done.value, cli: runtime.host.cli })
        : await notInstalled(id, { toolchain }),
      code: done.value.whole ? 0 : 1,
    });
  }),
};

/** `repair`: what is damaged is set right, or installed again. */
export const repairCommand: Command = {
  doc: "verifies every byte of an installed tool; repairs what it can, or installs it again",
  word: TOOL_WORD,
  flags: {},
  prepare: aboutTool(async (id, context) => {
    const found = await context.toolchain.verify(id);
    if (found.ok && !found.value.installed) {
      const message = `Cannot repair ${id}: it is not installed`;
      return fail(
        "not-installed",
        message,
        `Run '${context.runtime.host.cli} toolchain install ${id}'`,
      );
    }
    const told = telling(context);
    const done = await context.toolchain.repair(id, told);
    if (!done.ok) return err(unlessCancelled(`${id} was not repaired`, done.error, told));
    return ok({ value: done.value, text: `${id} is intact: ${done.value.tool.path}`, code: 0 });
  }),
};

/** `licences`: the terms of a tool. */
export const licencesCommand: Command = {
  doc: "shows the licences of a tool, and whether they were accepted",
  word: TOOL_WORD,
  flags: { text: { kind: "switch", doc: "licences: all of each text, fetched where it must be" } },
  prepare: aboutTool(async (id, { toolchain, line }) => {
    const terms = await toolchain.licences(id, { fetchText: line.switches["text"] === true });
    const text = terms.licences.map(({ title, text, url, hash, accepted, problem }) =>
      [
        title,
        ...text.split("\n").map((each) => `  ${each}`.trimEnd()),
        ...(problem === undefined ? [] : [`  ${problem}`]),
        `  ${url}`,
        `  ${hash}`,
        accepted === undefined
          ? "  not accepted yet: installing accepts it"
          : `  accepted by ${accepted.by} at ${accepted.at}`,
      ].join("\n")
    );
    return ok({ value: terms, text: text.join("\n") || `${id} has no licences here`, code: 0 });
  }),
};

const PATH_WORD = { name: "PATH", what: "a path", known: [] } as const;

/** `export`: pinned downloads as a folder or an archive. */
export const exportCommand: Command = {
  doc: "downloads what is pinned into a folder or a .tar.gz, for machines without a network",
  word: PATH_WORD,
  flags: {
    tool: { kind: "value", doc: "export: only these tools and what they need, as ID,ID" },
    platform: {
      kind: "value",
      doc: `export: for another machine than this (${PLATFORM_KEYS.join(", ")})`,
    },
  },
  prepare(line, word) {
    const { tool, platform: named } = line.values;
    const platform = PLATFORM_KEYS.find((key) => key === named);
    if (named !== undefined && platform === undefined) {
      return unknownWord("value of --platform", named, PLATFORM_KEYS);
    }
    const ids = tool === undefined ? [] : tool.split(",").map((each) => toolId(each.trim()));
    const tools: ToolId[] = [];
    for (const id of ids) {
      if (!id.ok) return id;
      tools.push(id.value);
    }
    return ok(async (context) => {
      const told = telling(context);
      const done = await context.toolchain.exportBundle(absolute(word, context), {
        ...told,
        ...(platform !== undefined && { platform }),
        ...(tools.length > 0 && { tools }),
      });
      return done.ok
        ? bundleAnswer("exported", done.value)
        : err(unlessCancelled("not everything was exported", done.error, told));
    });
  },
};

/** `import`: takes pinned downloads from a folder, an archive or a single file. */
export const importCommand: Command = {
  doc: "takes pinned downloads from a folder, an archive of one or a single file",
  word: PATH_WORD,
  flags: {},
  prepare: (_line, word) =>
    ok(async (context) => {
      const told = telling(context);
      const done = await context.toolchain.importBundle(absolute(word, context), told);
      return done.ok
        ? bundleAnswer("imported", done.value)
        : err(unlessCancelled("not everything was imported", done.error, told));
    }),
};

/** `verify-pins`: compares the pins with what their vendors publish. */
export const verifyPinsCommand: Command = {
  doc:
    "compares every pin with what its vendor publishes now; exit 1 when one differs or is gone, " +
    "or none could be compared",
  flags: {},
  prepare: () =>
    ok(async (context) => {
      const options = telling(context);
      const done = await context.toolchain.verifyPins(options);
      if (!done.ok) return done;
      if (options.signal.aborted) {
        return fail("cancelled", "Stopped before every pin was compared", "Start it again");
      }
      const lines = done.value.map(({ name, hash, size, confirmed, detail }) =>
        `${name.padEnd(44)} hash ${hash}, size ${size}${confirmed ? "" : ", one source"}: ${detail}`
      );
      const count = (state: PinState) => done.value.filter(({ hash }) => hash === state).length;
      const single = done.value.filter(({ confirmed }) => !confirmed).length;
      const sums = `${done.value.length} pins: ${count("same")} same, ` +
        `${count("different")} different, ${count("missing")} missing, ` +
        `${count("unreachable")} unreachable, ${count("untold")} untold; ` +
        `${single} seen in one source only`;
      const wrong = done.value.some(({ hash, size }) =>
        [hash, size].some((state) => state === "different" || state === "missing")
      );
      const compared = done.value.some(({ hash }) => hash !== "unreachable" && hash !== "untold");
      const nothing = compared ? [] : ["nothing could be compared: see above why"];
      const text = [...lines, sums, ...nothing].join("\n");
      return ok({ value: { pins: done.value }, text, code: wrong || !compared ? 1 : 0 });
    }),
};

function aboutTool(
  work: (id: ToolId, context: CommandContext) => Promise<Result<Answer, Failure>>,
): Command["prepare"] {
  return (_line, word) => {
    const id = toolId(word);
    return id.ok ? ok((context) => work(id.value, context)) : id;
  };
}

function absolute(word: string, { runtime }: CommandContext): string {
  const rooted = runtime.host.platform === "win32"
    ? /^(?:[A-Za-z]:[\\/]|[\\/]{2})/.test(word)
    : word.startsWith("/");
  return rooted ? word : `${workingFolder()}/${word}`;
}

function bundleAnswer(
  verb: string,
  report: BundleReport,
): Result<Answer, InstallFailure> {
  const { files, bytes, refused, missing } = report;
  const lines = [
    `${files.length} files ${verb}, ${megabytes(bytes)}`,
    ...refused.map(({ file, reason }) => `  refused ${file}: ${reason}`),
    ...missing.flatMap(({ file, reason, next }) => [
      `  missing ${file}: ${reason}`,
      `    next: ${next}`,
    ]),
    ...(missing.length === 0
      ? []
      : ["what was exported is kept: the same export continues from it"]),
  ];
  const code = refused.length + missing.length > 0 ? 1 : 0;
  return ok({ value: report, text: lines.join("\n"), code });
}

/** What is not installed may be there all the same: `status` shows it. */
async function notInstalled(
  id: ToolId,
  { toolchain }: Pick<CommandContext, "toolchain">,
): Promise<string> {
  const found = await toolchain.detect(id);
  return `${id} is not installed` +
    (found.present ? `: ${found.path} comes from elsewhere, and has no receipt` : "");
}

function verifiedText(
  id: ToolId,
  { whole, damage, damaged, files, cli }: Verified & { readonly cli: string },
): string {
  if (whole) return `${id} is intact: ${files} files as they were installed`;
  return [
    `${id} is damaged: ${damaged} ${damaged === 1 ? "file" : "files"}`,
    ...damage.map((each) => `  ${each}`),
    `  next: ${cli} toolchain repair ${id}`,
  ].join("\n");
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6)} MB`;
}
