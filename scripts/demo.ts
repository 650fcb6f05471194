#!/usr/bin/env node
import type { Runtime } from "../lib/ports/runtime.ts";
import { openAddress } from "./demo/open-address.ts";
import { tell } from "./demo/tell.ts";
import { commandLine, printFailure, runScript } from "./shared/cli.ts";
import type { CommandLine, CommandSpec } from "./shared/command-line.ts";
import { usageOf } from "./shared/commands.ts";
import { endOnSignal } from "./shared/ending.ts";
import { isMain } from "./shared/invocation.ts";
import { createOutput } from "./shared/output.ts";
import { isRemote, loadRuntime, loadServe } from "./shared/runtime.ts";
import { createStaticHandler } from "../lib/project/served/mod.ts";
import { inTemporaryFolder, removingAtExit } from "./shared/temporary-folders.ts";

// The update story on this machine: in words, or in a page that shows it with a real game.

const PREFIX = "slipway-demo-";

/** Usage and flags of the command. */
export const SPEC: CommandSpec = {
  usage: usageOf("demo", "[--show [--no-open]] [--keep]"),
  flags: {
    show: { kind: "switch", doc: "show it in a browser, with the sample game on a phone" },
    "no-open": { kind: "switch", doc: "only print the address of the page" },
    keep: { kind: "switch", doc: "keep the folder with all files" },
  },
};

/** The command, from its command line to its exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const line = commandLine(argv, SPEC);
  if (typeof line === "number") return line;
  const runtime = await loadRuntime();
  return line.switches["show"] === true ? await show(line, runtime) : await play(line, runtime);
}

async function play({ switches }: CommandLine, runtime: Runtime): Promise<number> {
  const serve = await loadServe();
  const keep = switches["keep"] === true;
  return await inTemporaryFolder(runtime, PREFIX, async (folder) => {
    const bucket = createStaticHandler(runtime.files, `${folder}/bucket`);
    const server = await serve(bucket, { hostname: "127.0.0.1", port: 0 });
    if (!server.ok) return printFailure(server.error);
    try {
      const json = switches["json"] === true;
      const { steps, step } = countSteps(json);
      await tell(runtime, { folder, baseUrl: server.value.url, step });
      if (json) console.log(JSON.stringify({ ok: true, steps, ...(keep && { folder }) }));
      else if (keep) console.log(`\nEverything is in ${folder}`);
      return 0;
    } finally {
      await server.value.close();
    }
  }, { keep });
}

/** Prints each step as it happens: numbered for people, as JSON lines on stderr for programs. */
function countSteps(json: boolean): {
  readonly steps: readonly object[];
  readonly step: (name: string, what: string) => void;
} {
  const steps: object[] = [];
  return {
    steps,
    step(name, what) {
      steps.push({ name, what });
      if (json) console.error(JSON.stringify({ event: "step", name, what }));
      else console.log(`${String(steps.length).padStart(2)}. ${name}: ${what}`);
    },
  };
}

/** Serves the page until a signal stops it. */
async function show(line: CommandLine, runtime: Runtime): Promise<number> {
  const output = createOutput(line);
  if (isRemote) {
    return output.failure({
      code: "no-sample",
      message: "Cannot show the demo: the sample game is not part of what was loaded",
      next: "Start it from the npm package or from a checkout, or leave --show out",
    });
  }
  const servers: (() => Promise<void>)[] = [];
  const close = async () => void await Promise.all(servers.map((end) => end()));
  endOnSignal()(close);
  const keep = line.switches["keep"] === true;
  const { files } = runtime;
  const owned = keep ? files : removingAtExit(files, runtime);
  const folder = await owned.makeTemporaryDirectory(PREFIX);
  output.step("building Harbor Run");
  const { steps, step } = countSteps(line.switches["json"] === true);
  // The build loads a lot, and the story in words does not need it.
  const { startShow } = await import("./demo/show.ts");
  let isShown = false;
  const started = await startShow({
    runtime,
    serve: await loadServe(),
    folder,
    atEnd: (end) => void servers.push(end),
    onChange({ entries, failure }) {
      for (const { title, lines } of entries.slice(steps.length)) step(title, lines.join(" "));
      if (failure !== null && isShown) output.problem(failure);
    },
  });
  if (!started.ok) {
    await close();
    return output.failure(started.error);
  }
  isShown = true;
  const { url } = started.value;
  const where = keep ? `\nEverything is in ${folder}` : "";
  output.result(
    { ok: true, url, ...(keep && { folder }) },
    `\nThe phone   ${url}\n${where}\nCtrl-C ends it.\n`,
  );
  if (line.switches["no-open"] !== true && line.switches["json"] !== true) {
    openAddress({ platform: runtime.host.platform, env: (name) => runtime.host.env(name) }, url);
  }
  return 0;
}

if (isMain(import.meta)) await runScript(main);
