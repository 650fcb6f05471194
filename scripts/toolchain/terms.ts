import { fail, type Failure, ok, type Result } from "../../lib/core/result.ts";
import type { AndroidMethod, ToolId } from "../../lib/toolchain/mod.ts";
import { wrapped } from "../shared/columns.ts";
import type { CommandContext } from "./command.ts";
import { confirm } from "./confirm.ts";

/**
 * Asks a terminal's user to accept the licence terms; without a terminal, running the command
 * accepts them.
 */
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
