#!/usr/bin/env node
import process from "node:process";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createMcpFactory } from "../lib/agent/mcp.ts";
import { commandLine, printFailure, runScript } from "./shared/cli.ts";
import type { CommandSpec } from "./shared/command-line.ts";
import { usageOf } from "./shared/commands.ts";
import { isMain } from "./shared/invocation.ts";
import { endAfter, endOnSignal } from "./shared/ending.ts";
import { OFFER_FLAGS, offerFrom } from "./shared/offer-flags.ts";
import { OPEN_FLAGS, openProjectService } from "./shared/open-project.ts";
import { loadRuntime, loadStdout, packageVersion } from "./shared/runtime.ts";
import { createStdioTransport } from "./shared/stdio-transport.ts";

/** How long calls that are under way may take when standard input has ended, in milliseconds. */
const FINISH_MS = 60_000;
/** How long those that are cancelled then may take to undo what they began, in milliseconds. */
const LINGER_MS = 60_000;

// Standard output belongs to the protocol: nothing else may be printed there.

/** What its command line may hold. */
export const SPEC: CommandSpec = {
  usage: usageOf("mcp", "[--project DIR|FILE.glb] [--new] [--toolsets A,B] [--read-only]"),
  flags: {
    ...OPEN_FLAGS,
    ...OFFER_FLAGS,
  },
};

/** The command, from its command line to its exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const line = commandLine(argv, SPEC);
  if (typeof line === "number") return line;
  const offer = offerFrom(line);
  if (typeof offer === "number") return offer;
  // An exit by a signal would leave behind what undo keeps, and what is removed with the process.
  const atEnd = endOnSignal();
  const opened = await openProjectService(line, await loadRuntime(), { ...offer, atEnd });
  if (!opened.ok) return printFailure(opened.error);
  const { services, close } = opened.value.service;
  const server = { services, ...offer, version: packageVersion() };
  const stdout = await loadStdout();
  stdout.setMaxListeners(0); // each answer that waits for a slow reader listens
  serveStdio(createMcpFactory(server), {
    transport: createStdioTransport({
      stdin: process.stdin,
      stdout,
      finishMs: FINISH_MS,
      onEnd() {
        endAfter(LINGER_MS);
        void close(); // a game that plays, or a job, would keep the process for ever
      },
    }),
    onerror: (error) => console.error(`error: ${error.message}`),
  });
  return 0;
}

if (isMain(import.meta)) await runScript(main);
