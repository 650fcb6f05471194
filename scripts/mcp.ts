#!/usr/bin/env node
import process from "node:process";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createMcpFactory, listedTools } from "../lib/agent/mcp.ts";
import { TOOLS, TOOLSETS } from "../lib/agent/tools.ts";
import { chooseToolsets } from "../lib/agent/toolsets.ts";
import { commandLine, printFailure, runScript } from "./cli.ts";
import { openServices, packageVersion } from "./open-services.ts";
import { loadRuntime } from "./runtime.ts";

// Standard output belongs to the protocol: nothing else may be printed there.

await runScript(async (argv) => {
  const line = commandLine(argv, {
    usage:
      "mcp.ts [--project DIR|FILE.glb] [--toolsets A,B] : serves a project's tools over MCP on standard input and output",
    flags: {
      project: {
        kind: "value",
        doc: "the project's folder, or a .glb; the sample project when absent",
      },
      toolsets: { kind: "value", doc: "only these families of tools, such as scene,play" },
    },
  });
  if (typeof line === "number") return line;
  const chosen = chooseToolsets(TOOLSETS, line.values["toolsets"] ?? null);
  if (!chosen.ok) {
    const { detail, hint } = chosen.error;
    printFailure({ code: "usage", message: detail, next: hint });
    return 2;
  }
  const services = await openServices(await loadRuntime(), line.values["project"]);
  if (!services.ok) {
    printFailure(services.error);
    return 1;
  }
  // An exit by a signal would leave behind what is removed at the end of the process.
  for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => process.exit(0));
  const version = packageVersion();
  // Goes on until standard input ends.
  const tools = listedTools(TOOLS, TOOLSETS, chosen.value);
  // A game that plays, or a job, would keep the process for ever.
  const close = () => {
    for (const { id } of services.value.jobs.list()) services.value.jobs.cancel(id);
    void services.value.close();
  };
  for (const name of ["end", "close"] as const) process.stdin.once(name, close);
  const server = { services: services.value, tools, toolsets: TOOLSETS, version };
  serveStdio(createMcpFactory(server), {
    onerror: (error) => console.error(`error: ${error.message}`),
  });
  return 0;
});
