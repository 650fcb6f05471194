import { fail, type Failure, ok, type Result } from "../../lib/core/result.ts";
import type {
  AndroidMethod,
  InstallFailure,
  OperationOptions,
  ToolId,
} from "../../lib/toolchain/mod.ts";
import { interrupted } from "../shared/ending.ts";
import { wrapped } from "../shared/columns.ts";
import type { CommandContext } from "./command.ts";
import { confirm } from "./confirm.ts";

/** What commands that change the toolchain folder hand to it, and what they learn on the way. */
export interface RunOptions extends OperationOptions {
  readonly signal: AbortSignal;
  readonly toPrograms: boolean;
  /** Whether bytes came that the next try need not fetch. */
  readonly hasDownloaded: () => boolean;
}

/** Tells on stderr what happens, as it happens; Ctrl-C ends it in order. */
export function runOptions({ output, line }: Pick<CommandContext, "output" | "line">): RunOptions {
  let downloaded = false;
  return {
    signal: interrupted(),
    toPrograms: line.switches["json"] === true,
    hasDownloaded: () => downloaded,
    onLog: output.log,
    onProgress({ phase, label, done, total, unit }) {
      downloaded ||= phase === "download" && done > 0;
      const part = { name: `${phase} ${label}`, isTransfer: phase === "download" };
      output.progress(done, total, unit, part);
    },
  };
}

/** An operation that was ended by the person, in one line; any other failure as it is. */
export function unlessCancelled(
  what: string,
  failure: InstallFailure,
  told: Pick<RunOptions, "hasDownloaded" | "toPrograms">,
): Failure {
  if (failure.code !== "cancelled") return failure;
  const kept = told.hasDownloaded() ? "; what was downloaded is kept" : "";
  const { code, next } = failure;
  return { code, message: `${what}${kept}`, ...(told.toPrograms && { next }) };
}

/** On a terminal the terms are shown and asked for; elsewhere calling the command accepts them. */
export async function askTerms(
  id: ToolId,
  { toolchain, line, android, screen: { columns }, runtime: { host: { cli } } }: CommandContext & {
    readonly android: AndroidMethod;
  },
): Promise<Result<void, Failure>> {
  if (line.switches["yes"] === true || line.switches["json"] === true) return ok(undefined);
  const { licences } = await toolchain.licences(id, { android });
  const open = licences.filter(({ accepted }) => accepted === undefined);
  if (open.length === 0) return ok(undefined);
  const titles = open.map(({ title }) => title).join(", ");
  const terms = open.map(({ title, text, url }) =>
    [title, `  ${wrapped(text, { columns, indent: 2 })}`, `  ${url}`].join("\n")
  ).join("\n");
  switch (await confirm(`${terms}\nDo you accept these terms?`)) {
    case "yes":
      return ok(undefined);
    case "no":
      return fail(
        "licence",
        `${id} was not installed: you declined the terms of ${titles}`,
        `To use your own: ${cli} toolchain guide ${id}`,
      );
    case "unseen":
      return fail(
        "licence",
        `Cannot ask about the terms of ${titles}: stderr is not the terminal`,
        `To accept them: ${cli} toolchain install ${id} --yes`,
      );
  }
}
