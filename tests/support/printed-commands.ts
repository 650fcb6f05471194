import assert from "node:assert/strict";
import { parseCommandLine } from "../../scripts/shared/command-line.ts";
import { findCall } from "../../scripts/slipway.ts";
import { prepare } from "../../scripts/toolchain.ts";

/** Lists the commands of the program in a text, each without the program's name. */
function printedCommands(text: string, cli: string): string[] {
  return text.split(`${cli} `).slice(1).map((rest) =>
    /^[^'"`;,()\n]*?(?= && |['"`;,()\n]|$)/.exec(rest)?.[0] ?? ""
  );
}

/** Asserts that the program accepts these words: an existing command, with flags that it knows. */
export async function assertCommand(words: string): Promise<void> {
  const argv = words.trim().split(/\s+/);
  const call = await findCall(argv);
  assert.ok(call !== null && call.name === argv[0], `no command: ${words}`);
  const line = parseCommandLine(call.argv, call.module.SPEC);
  assert.ok(line.ok, `${words}: ${line.ok ? "" : line.error.message}`);
  if (call.name !== "toolchain") return;
  const prepared = prepare(line.value);
  assert.ok(prepared.ok, `${words}: ${prepared.ok ? "" : prepared.error.message}`);
}

/** Holds that every command in a text is one, and that there are any. */
export async function assertCommands(text: string, cli: string): Promise<void> {
  const commands = printedCommands(text, cli);
  assert.ok(commands.length > 0, `no command of ${cli} in ${text}`);
  for (const words of commands) await assertCommand(words);
}
