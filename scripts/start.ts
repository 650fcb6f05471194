#!/usr/bin/env node
import process from "node:process";
import { createHandler, isLoopback } from "../lib/http/mod.ts";
import { commandLine, printFailure, runScript } from "./cli.ts";
import { openServices, packageVersion } from "./open-services.ts";
import { createOutput } from "./output.ts";
import { loadRuntime, loadServe } from "./runtime.ts";

const DEFAULT_PORT = 4747;

await runScript(async (argv) => {
  const line = commandLine(argv, {
    usage:
      "start.ts [--project DIR|FILE.glb] [--port N] [--host H] : serves a project's tools to agents",
    flags: {
      project: {
        kind: "value",
        doc: "the project's folder, or a .glb; the sample project when absent",
      },
      port: { kind: "value", doc: `the port, ${DEFAULT_PORT} when absent; 0 picks a free one` },
      host: { kind: "value", doc: "the address, 127.0.0.1 when absent; others need SVC_TOKEN" },
    },
  });
  if (typeof line === "number") return line;
  const { values, switches } = line;
  const port = portFrom(values["port"]);
  if (port === null) {
    const message = `--port is ${JSON.stringify(values["port"])}: expected 0 to 65535`;
    printFailure({ code: "usage", message, next: "See --help" });
    return 2;
  }
  const output = createOutput(switches["json"] === true);
  const hostname = values["host"] ?? "127.0.0.1";
  const runtime = await loadRuntime();
  const token = runtime.host.env("SVC_TOKEN") || undefined;
  if (token === undefined && !isLoopback(hostname)) {
    return output.failure({
      code: "token-needed",
      message: `Cannot serve on ${hostname} without a token: other machines could reach it`,
      next: "Set SVC_TOKEN to a long random text, or leave --host out",
    });
  }

  const services = await openServices(runtime, values["project"]);
  if (!services.ok) return output.failure(services.error);
  const handler = createHandler({
    ...services.value,
    clock: runtime.clock,
    hostname,
    token,
    version: packageVersion(),
  });
  const stopped = stopSignal();
  const serve = await loadServe();
  const server = await serve(handler, { hostname, port });
  if (!server.ok) return output.failure(server.error);
  const { url } = server.value;
  services.value.servedAt(server.value.port);
  output.result(
    { url, mcp: `${url}/mcp`, project: services.value.root },
    greeting(url, services.value.root, token !== undefined),
  );
  await stopped;
  for (const { id } of services.value.jobs.list()) services.value.jobs.cancel(id);
  await services.value.close();
  await server.value.close();
  return 0;
});

function portFrom(text: string | undefined): number | null {
  if (text === undefined) return DEFAULT_PORT;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  return port <= 65_535 ? port : null;
}

/** Resolves at the first Ctrl-C or request to end. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => resolve());
  });
}

function greeting(url: string, root: string, withToken: boolean): string {
  const curl = withToken ? 'curl -H "Authorization: Bearer $SVC_TOKEN"' : "curl";
  return [
    `Project  ${root}`,
    `Service  ${url}`,
    `MCP      ${url}/mcp`,
    "",
    "Try:",
    `  ${curl} ${url}/api/scene-state`,
    `  ${curl} '${url}/api/scene-state?trait=Camera&world=1'`,
    `  ${curl} ${url}/api/tools/list_traits --json '{"name":"Transform"}'`,
    "",
    "Ctrl-C stops it.",
  ].join("\n");
}
