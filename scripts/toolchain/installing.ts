import { fail, ok } from "../../lib/core/result.ts";
import type { ToolId, Verified } from "../../lib/toolchain/mod.ts";
import { unknownWord } from "../shared/command-line.ts";
import { sizeText } from "../../lib/core/sizes.ts";
import { aboutTool, type Command, type CommandContext, TOOL_WORD, toolId } from "./command.ts";
import { operate } from "./operation.ts";
import { askTerms } from "./terms.ts";

// The commands that change the toolchain folder. They show their progress on stderr.

/** `install`: provides a tool. */
export const installCommand: Command = {
  doc: "installs a tool; asks about its licences on a terminal unless --yes",
  word: TOOL_WORD,
  flags: {
    yes: { kind: "switch", doc: "accept the licences without being asked" },
    reinstall: {
      kind: "switch",
      doc: "install: again, even if it is installed and intact",
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
      const done = await operate(
        context,
        `${id.value} was not installed`,
        (options) => context.toolchain.install(id.value, { ...options, reinstall, android }),
      );
      if (!done.ok) return done;
      const { tool } = done.value;
      const text = `${id.value} ${tool.version ?? ""} is installed: ${tool.path}`;
      return ok({ value: done.value, text, code: 0 });
    });
  },
};

/** The command `uninstall`: removes an installed tool. */
export const uninstallCommand: Command = {
  doc: "removes an installed tool",
  word: TOOL_WORD,
  flags: {
    force: { kind: "switch", doc: "uninstall: also files that no receipt lists" },
  },
  prepare: aboutTool(async (id, context) => {
    const force = context.line.switches["force"] === true;
    const done = await operate(
      context,
      `${id} was not removed`,
      (options) => context.toolchain.uninstall(id, { ...options, force }),
    );
    if (!done.ok) return done;
    const { removed, freed, tools } = done.value;
    const are = tools.length > 1 ? "are" : "is";
    const text = removed
      ? `${tools.join(" and ")} ${are} removed: ${sizeText(freed)} freed`
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
      code: done.value.intact ? 0 : 1,
    });
  }),
};

/** The command `repair`: repairs damaged files, or installs the tool again. */
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
    const done = await operate(
      context,
      `${id} was not repaired`,
      (options) => context.toolchain.repair(id, options),
    );
    if (!done.ok) return done;
    return ok({ value: done.value, text: `${id} is intact: ${done.value.tool.path}`, code: 0 });
  }),
};

/** `licences`: the terms of a tool. */
export const licencesCommand: Command = {
  doc: "shows the licences of a tool, and whether they were accepted",
  word: TOOL_WORD,
  flags: { text: { kind: "switch", doc: "licences: the full texts, downloaded if necessary" } },
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

/**
 * Reports that a tool is not installed by Slipway. The machine may have it all the same: `status`
 * shows it.
 */
async function notInstalled(
  id: ToolId,
  { toolchain }: Pick<CommandContext, "toolchain">,
): Promise<string> {
  const found = await toolchain.detect(id);
  if (!found.present) return `${id} is not installed`;
  return found.source === "own"
    ? `${id} is at ${found.path}, and its receipt is missing or cannot be read: install it again`
    : `${id} is not installed: ${found.path} comes from elsewhere, and has no receipt`;
}

function verifiedText(
  id: ToolId,
  { intact, damage, damaged, files, cli }: Verified & { readonly cli: string },
): string {
  if (intact) return `${id} is intact: ${files} files as they were installed`;
  return [
    `${id} is damaged: ${damaged} ${damaged === 1 ? "file" : "files"}`,
    ...damage.map((each) => `  ${each}`),
    `  next: ${cli} toolchain repair ${id}`,
  ].join("\n");
}
