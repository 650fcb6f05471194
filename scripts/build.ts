#!/usr/bin/env node
import { relative, resolve } from "node:path";
import process from "node:process";
import { Jobs } from "../lib/core/jobs.ts";
import type { Problem } from "../lib/core/problem.ts";
import {
  createBuilds,
  preflightTarget,
  type TargetPreflight,
} from "../lib/project/building/mod.ts";
import { BUILD_TARGETS, isBuildTarget, openToolchain } from "../lib/toolchain/mod.ts";
import { commandLine, failureOf, printFailure, runScript } from "./shared/cli.ts";
import { type CommandSpec, unknownWord } from "./shared/command-line.ts";
import { interrupted } from "./shared/ending.ts";
import { usageOf } from "./shared/commands.ts";
import { isMain } from "./shared/invocation.ts";
import { createOutput, type Output } from "./shared/output.ts";
import { loadRuntime } from "./shared/runtime.ts";
import { shellWord } from "../lib/core/shell-word.ts";
import { sizeText } from "../lib/core/sizes.ts";
import { preflightText } from "./toolchain/doctor.ts";
import { screenOfStdout } from "./toolchain/screen.ts";
import { toolProject, withTypedFixes } from "./toolchain/project.ts";

// Builds a target of a project as the service does, with output for a person.

/** Usage and flags of the command. */
export const SPEC: CommandSpec = {
  usage: usageOf("build", "[web|android|ios] [--project DIR] [--dry-run]"),
  flags: {
    project: { kind: "value", doc: "the project's folder (default: this one)" },
    "dry-run": { kind: "switch", doc: "shows what it would use and run, and builds nothing" },
  },
  takesWords: true,
  after: () =>
    [
      "  web      the game for browsers, into build.web.out (default)",
      "  android  the web build with its embedded manifest, then the commands of build.android.steps:",
      "           needs a JDK, the Android SDK, and the app's own project (npx cap add android)",
      "  ios      the same with build.ios.steps, on a Mac with Xcode (npx cap add ios)",
      "",
      "  What is missing is listed, with the commands that install it, before anything is changed.",
    ].join("\n"),
};

/** The command, from its command line to its exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const line = commandLine(argv, SPEC);
  if (typeof line === "number") return line;
  const [target = "web", surplus] = line.positionals;
  if (!isBuildTarget(target) || surplus !== undefined) {
    return printFailure(unknownWord("target", surplus ?? target, BUILD_TARGETS).error);
  }
  const output = createOutput(line);
  const runtime = await loadRuntime();
  const here = process.cwd();
  const root = resolve(line.values["project"] ?? ".");
  const opened = openToolchain({ ...runtime, project: root });
  if (!opened.ok) return output.failure(failureOf(opened.error));
  const toolchain = opened.value;
  const jobs = new Jobs({ now: () => runtime.clock.monotonic() });
  const builds = createBuilds({ ...runtime, toolchain, root, jobs });
  const signal = interrupted();
  const fail = async ({ code, detail, hint }: Problem) => {
    if (code === "preflight-failed") {
      // Only the build knows what Capacitor itself reports.
      const found = await preflightTarget({ ...runtime, toolchain }, root, target, {
        programs: "node",
      });
      const next = found.ready ? hint : commandsText(withTypedFixes(found, { root }), root);
      return output.failure({ code, message: detail, next });
    }
    const project = await toolProject(line, runtime);
    const isBelow = !project.ok && project.error.code === "project-above";
    const next = (isBelow ? project.error.next : undefined) ?? hint;
    return output.failure({ code, message: detail, next });
  };
  if (line.switches["dry-run"] === true) {
    const plan = await builds.plan(target, { programs: "all" });
    if (!plan.ok) return await fail(plan.error);
    const preflight = withTypedFixes(plan.value.preflight, { root });
    const text = [
      ...plan.value.runs.map((run) => `runs     ${run}`),
      `empties  ${plan.value.empties}`,
      preflightText(preflight, screenOfStdout()),
    ];
    output.result({ ...plan.value, preflight }, text.join("\n"));
    return preflight.ready ? 0 : 1;
  }
  const started = await builds.build(target);
  if (!started.ok) return await fail(started.error);
  const { id } = started.value;
  const cancel = () => void jobs.cancel(id);
  signal.addEventListener("abort", cancel);
  if (signal.aborted) cancel();
  // Relative to the working directory if inside it.
  const shown = (out: unknown) => {
    const path = resolve(root, String(out));
    const fromHere = relative(here, path);
    return fromHere === "" || fromHere.startsWith("..") ? path : fromHere;
  };
  return await follow(jobs, id, { output, fail, shown });
}

/** Prints the events of a job until it ends. @returns The exit code. */
async function follow(
  jobs: Jobs,
  id: string,
  { output, fail, shown }: {
    readonly output: Output;
    readonly fail: (problem: Problem) => Promise<number>;
    /** The path of an out folder, for a person. */
    readonly shown: (out: unknown) => string;
  },
): Promise<number> {
  for await (const { event, data } of jobs.events(id)) {
    switch (event) {
      case "log":
        output.log(data.line);
        break;
      case "progress":
        break; // each step is a line of the log too
      case "problem":
        return await fail(data);
      case "done":
        output.result(data, `Built ${data["target"]}: the web build is in ${shown(data["out"])}`);
        return 0;
    }
  }
  return 1;
}

/**
 * Returns the commands that get everything a build is missing, one per line for a terminal: first
 * for the machine, then in the project's folder. The dialog and the tools that a problem names are
 * not available in a terminal.
 */
function commandsText(preflight: TargetPreflight, root: string): string {
  const { missing, lacks = [], bytes, disk = 0 } = preflight;
  const size = bytes > 0 ? ` (${sizeText(bytes)} to download, ${sizeText(disk)} of disk)` : "";
  const commands = new Set(missing.map(({ fix }) => fix));
  if (lacks.length > 0 && root !== process.cwd()) commands.add(`cd ${shellWord(root)}`);
  for (const { fix } of lacks) commands.add(fix);
  return [`Do this${size}, then build again:`, ...commands].join("\n    ");
}

if (isMain(import.meta)) await runScript(main);
