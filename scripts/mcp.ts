#!/usr/bin/env node
import process from "node:process";
import type { Server } from "../adapters/node/mod.ts";
import { refuse } from "../lib/core/problem.ts";
import { ok } from "../lib/core/result.ts";
import type { Service } from "../lib/service/mod.ts";
import { commandLine, printFailure, runScript } from "./shared/cli.ts";
import type { CommandSpec } from "./shared/command-line.ts";
import { usageOf } from "./shared/commands.ts";
import { isMain } from "./shared/invocation.ts";
import { endAfter, endOnSignal } from "./shared/ending.ts";
import { loadRuntime, loadServe, loadStdout, packageVersion } from "./shared/runtime.ts";
import { CAPTURES_HELP, OFFER_FLAGS, OPEN_FLAGS } from "./shared/serving-flags.ts";

/** Time in milliseconds that running calls have once standard input has ended. */
const FINISH_MS = 60_000;
/** Time in milliseconds for cancelled calls to undo their changes. */
const LINGER_MS = 60_000;

// Standard output carries the protocol, so nothing else may be printed there.

/** Usage and flags of the command. */
export const SPEC: CommandSpec = {
  usage: usageOf("mcp", "[--project DIR|FILE.glb] [--new] [--toolsets A,B] [--read-only]"),
  flags: {
    ...OPEN_FLAGS,
    ...OFFER_FLAGS,
  },
  after: () => CAPTURES_HELP,
};

/** The command, from its command line to its exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const line = commandLine(argv, SPEC);
  if (typeof line === "number") return line;
  // Most of the program: --help and a wrong command line do not load it.
  const [{ serveStdio }, { createMcpFactory }, { mintToken }, { createStdioTransport }] =
    await Promise.all([
      import("@modelcontextprotocol/server/stdio"),
      import("../lib/agent/mcp.ts"),
      import("../lib/http/mod.ts"),
      import("./shared/stdio-transport.ts"),
    ]);
  const { offerFrom } = await import("./shared/offer.ts");
  const { openProjectService } = await import("./shared/open-project.ts");
  const offer = offerFrom(line);
  if (typeof offer === "number") return offer;
  // Exiting by the signal itself would leave temporary files and those of undo behind.
  const atEnd = endOnSignal();
  // The token is not printed: over HTTP only the page that draws captures is let in, by its ticket.
  const settings = { ...offer, token: mintToken(), atEnd };
  const opened = await openProjectService(line, await loadRuntime(), settings);
  if (!opened.ok) return printFailure(opened.error);
  const { service } = opened.value;
  const { services } = service;
  const page = servePage(service);
  atEnd(page.close);
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
        // A running game, a job or a browser would keep the process alive for ever.
        void service.close().then(page.close);
      },
    }),
    onerror: (error) => console.error(`error: ${error.message}`),
  });
  return 0;
}

/** Serves the page that draws captures, on a free port of this machine, from the first capture on. */
function servePage(service: Service): { readonly close: () => Promise<void> } {
  let server: Promise<Server | null> = Promise.resolve(null);
  service.servedOnDemand(async () => {
    const serving = (await loadServe())(service.handler, { hostname: "127.0.0.1", port: 0 });
    server = serving.then((served) => served.ok ? served.value : null);
    const served = await serving;
    if (served.ok) return ok(served.value.port);
    return refuse(503, "not-served", served.error.message, "Free a port of this machine");
  });
  return { close: async () => await (await server)?.close() };
}

if (isMain(import.meta)) await runScript(main);
