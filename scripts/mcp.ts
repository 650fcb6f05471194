#!/usr/bin/env node
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createMcpFactory } from "../lib/agent/mcp.ts";
import { TOOLS } from "../lib/agent/tools.ts";
import { commandLine, printFailure, runScript } from "./cli.ts";
import { openServices, packageVersion } from "./open-services.ts";
import { loadRuntime } from "./runtime.ts";

// Standard output belongs to the protocol: nothing else may be printed there.

await runScript(async (argv) => {
  const line = commandLine(argv, {
    usage:
      "mcp.ts [--project DIR] : serves a project's tools over MCP on standard input and output",
    flags: {
      project: { kind: "value", doc: "the project's folder; the sample project when absent" },
    },
  });
  if (typeof line === "number") return line;
  const services = await openServices(await loadRuntime(), line.values["project"]);
  if (!services.ok) {
    printFailure(services.error);
    return 1;
  }
  const version = packageVersion();
  // Goes on until standard input ends.
  serveStdio(createMcpFactory({ services: services.value, tools: TOOLS, version }), {
    onerror: (error) => console.error(`error: ${error.message}`),
  });
  return 0;
});
