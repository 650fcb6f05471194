#!/usr/bin/env node
import type { Handler } from "../lib/http/mod.ts";
import { commandLine, printFailure, runScript } from "./shared/cli.ts";
import type { CommandSpec } from "./shared/command-line.ts";
import { usageOf } from "./shared/commands.ts";
import { isMain } from "./shared/invocation.ts";
import { endOnSignal } from "./shared/ending.ts";
import { createOutput } from "./shared/output.ts";
import { loadRuntime, loadServe } from "./shared/runtime.ts";
import { CAPTURES_HELP, OFFER_FLAGS, OPEN_FLAGS } from "./shared/serving-flags.ts";

const DEFAULT_PORT = 4747;

/** Usage and flags of the command. */
export const SPEC: CommandSpec = {
  usage: usageOf(
    "start",
    "[--project DIR|FILE.glb] [--new] [--port N] [--host H] [--token] [--toolsets A,B] [--read-only]",
  ),
  flags: {
    ...OPEN_FLAGS,
    port: { kind: "value", doc: `the port (default: ${DEFAULT_PORT}); 0 picks a free one` },
    host: { kind: "value", doc: "the address (default: 127.0.0.1); others need a token" },
    token: {
      kind: "switch",
      doc: "demand a new random token, which is printed, from every caller",
    },
    ...OFFER_FLAGS,
  },
  after: () => CAPTURES_HELP,
};

/** The command, from its command line to its exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const line = commandLine(argv, SPEC);
  if (typeof line === "number") return line;
  const { values, switches } = line;
  const port = portFrom(values["port"]);
  if (port === null) {
    const message = `--port is ${JSON.stringify(values["port"])}: expected 0 to 65535`;
    return printFailure({ code: "usage", message, next: "See --help" });
  }
  // Most of the program: --help and a wrong command line do not load it.
  const [{ checkToken, mintToken }, { offerFrom }, { openProjectService }] = await Promise.all([
    import("../lib/http/mod.ts"),
    import("./shared/offer.ts"),
    import("./shared/open-project.ts"),
  ]);
  const offer = offerFrom(line);
  if (typeof offer === "number") return offer;
  const output = createOutput(line);
  const hostname = values["host"] ?? "127.0.0.1";
  const runtime = await loadRuntime();
  const given = runtime.host.env("SVC_TOKEN") || undefined;
  if (given !== undefined && switches["token"]) {
    const message = "SVC_TOKEN is set and --token would make another: expected one of them";
    const next = "Leave --token out, or unset SVC_TOKEN";
    return printFailure({ code: "usage", message, next });
  }
  const minted = switches["token"] ? mintToken() : undefined;
  const token = minted ?? given;
  const invalid = checkToken({ hostname, token });
  if (invalid !== null) return output.failure(invalid);

  const atEnd = endOnSignal();
  const serve = await loadServe();
  let answerBy: (handler: Handler) => void = () => undefined;
  const handler = new Promise<Handler>((resolve) => answerBy = resolve);
  // Before anything is written for a project, so that a port in use leaves nothing behind.
  const server = await serve(async (...asked) => (await handler)(...asked), { hostname, port });
  if (!server.ok) return output.failure(server.error);
  const opening = openProjectService(line, runtime, {
    ...offer,
    hostname,
    token,
    atEnd,
  });
  atEnd(() => server.value.close());
  const opened = await opening;
  if (!opened.ok) {
    await server.value.close();
    return output.failure(opened.error);
  }
  const { service, why } = opened.value;
  const { url } = server.value;
  service.servedAt(server.value.port);
  answerBy(service.handler);
  output.result(
    {
      url,
      mcp: `${url}/mcp`,
      project: service.root,
      page: pageAddress(url, minted),
      ...(minted !== undefined && { token: minted }),
    },
    greeting(url, {
      project: [service.root ?? "", ...(why === undefined ? [] : [`(${why})`])],
      token,
      minted,
    }),
  );
  return 0;
}

function portFrom(text: string | undefined): number | null {
  if (text === undefined) return DEFAULT_PORT;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  return port <= 65_535 ? port : null;
}

/** The address of the editor's page. The part after `#` reaches no server, and no log of one. */
function pageAddress(url: string, token: string | undefined): string {
  return `${url}/${token === undefined ? "" : `#token=${encodeURIComponent(token)}`}`;
}

function greeting(
  url: string,
  { project, token, minted }: {
    /** Its folder, and why it is this one. */
    readonly project: readonly string[];
    readonly token: string | undefined;
    /** A new token, which has to be shown. */
    readonly minted: string | undefined;
  },
): string {
  const curl = token === undefined ? "curl" : 'curl -H "Authorization: Bearer $SVC_TOKEN"';
  return [
    `Project  ${project.join("\n         ")}`,
    `Page     ${pageAddress(url, minted)}`,
    `Service  ${url}`,
    `MCP      ${url}/mcp`,
    ...(minted === undefined ? [] : [`Token    export SVC_TOKEN=${minted}`]),
    "",
    "Try:",
    `  ${curl} ${url}/api/scene-state`,
    `  ${curl} '${url}/api/scene-state?trait=Camera&world=1'`,
    `  ${curl} ${url}/api/tools/list_traits --json '{"name":"Transform"}'`,
    "",
    "Ctrl-C stops it.",
  ].join("\n");
}

if (isMain(import.meta)) await runScript(main);
