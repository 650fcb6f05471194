import { callTool } from "../../lib/agent/call.ts";
import type { Services } from "../../lib/agent/services.ts";
import type { Tool } from "../../lib/agent/tool.ts";
import { TOOLS } from "../../lib/agent/tools.ts";
import { createTinyEditor } from "./tiny-editor.ts";

/** What a tool answered: 200 or the problem's status, and the parsed text. */
export interface Asked {
  readonly status: number;
  // deno-lint-ignore no-explicit-any
  readonly body: any;
}

/** The tool of that name. */
export function toolNamed(name: string): Tool {
  const tool = TOOLS.find((known) => known.name === name);
  if (tool === undefined) throw new Error(`No tool ${name}`);
  return tool;
}

/** Calls a tool of a tiny editor. */
export async function ask(
  name: string,
  args: Readonly<Record<string, unknown>> = {},
  services: Services = { editor: createTinyEditor(), toolchain: TINY_TOOLCHAIN },
): Promise<Asked> {
  const answer = await callTool(toolNamed(name), args, services, { cap: 60_000 });
  return { status: answer.ok ? 200 : answer.status, body: JSON.parse(answer.text) };
}

/** A toolchain that has nothing. */
export const TINY_TOOLCHAIN = {
  status: () => Promise.resolve({ platform: "linux", tools: [], preflight: {} }),
};
