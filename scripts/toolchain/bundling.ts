import { resolve } from "node:path";
import { ok } from "../../lib/core/result.ts";
import { type BundleReport, PLATFORM_KEYS, type ToolId } from "../../lib/toolchain/mod.ts";
import { unknownWord } from "../shared/command-line.ts";
import { sizeText } from "../../lib/core/sizes.ts";
import { type Answer, type Command, toolId } from "./command.ts";
import { operate } from "./operation.ts";

// The commands that carry pinned downloads to machines without a network.

const PATH_WORD = { name: "PATH", what: "a path", known: [] } as const;

/** `export`: pinned downloads as a folder or an archive. */
export const exportCommand: Command = {
  doc: "downloads what is pinned into a folder or a .tar.gz, for offline machines",
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
      const done = await operate(
        context,
        "not everything was exported",
        (options) =>
          context.toolchain.exportBundle(resolve(word), {
            ...options,
            ...(platform !== undefined && { platform }),
            ...(tools.length > 0 && { tools }),
          }),
      );
      return done.ok ? ok(bundleAnswer("exported", done.value)) : done;
    });
  },
};

/** `import`: takes pinned downloads from a folder, an archive or a single file. */
export const importCommand: Command = {
  doc: "imports pinned downloads from a folder, an archive of it, or a single file",
  word: PATH_WORD,
  flags: {},
  prepare: (_line, word) =>
    ok(async (context) => {
      const done = await operate(
        context,
        "not everything was imported",
        (options) => context.toolchain.importBundle(resolve(word), options),
      );
      return done.ok ? ok(bundleAnswer("imported", done.value)) : done;
    }),
};

function bundleAnswer(
  verb: string,
  report: BundleReport,
): Answer {
  const { files, bytes, refused, missing } = report;
  const lines = [
    `${files.length} files ${verb}, ${sizeText(bytes)}`,
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
  return { value: report, text: lines.join("\n"), code };
}
