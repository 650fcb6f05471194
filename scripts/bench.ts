import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import type { Measure } from "./bench/part.ts";
import { mergedSections, writeResults } from "./bench/results.ts";
import { renderReport, type Report, type Section } from "./bench/report.ts";
import { readSetting } from "./bench/setting.ts";
import { commandLine, printFailure, runScript } from "./shared/cli.ts";
import { createOutput, type Output } from "./shared/output.ts";
import { loadRuntime, packageRoot } from "./shared/runtime.ts";

// Every benchmark, as ratios against a peer or a physical limit measured in the same run (CLI-4).

/** A part of the benchmark; loaded only when it runs, because some bring much along. */
interface Part {
  /** Its name for `--only`. */
  readonly name: string;
  readonly load: () => Promise<Measure>;
}

const PARTS: readonly Part[] = [
  { name: "hashing", load: async () => (await import("./bench/hashing.ts")).measureHashing },
  {
    name: "first publish",
    load: async () => (await import("./bench/publishing.ts")).measureFirstPublish,
  },
  {
    name: "second publish",
    load: async () => (await import("./bench/publishing.ts")).measureSecondPublish,
  },
  { name: "updating", load: async () => (await import("./bench/updating.ts")).measureUpdating },
  { name: "native", load: async () => (await import("./bench/native.ts")).measureNative },
  { name: "tool call", load: async () => (await import("./bench/tool-call.ts")).measureToolCalls },
  { name: "load", load: async () => (await import("./bench/load.ts")).measureLoad },
  { name: "growth", load: async () => (await import("./bench/growth.ts")).measureGrowth },
  {
    name: "game step",
    load: async () => (await import("./bench/game-step.ts")).measureGameStep,
  },
  {
    name: "game page",
    load: async () => (await import("./bench/game-page.ts")).measureGamePage,
  },
  {
    name: "editor page",
    load: async () => (await import("./bench/editor-page.ts")).measureEditorPage,
  },
  { name: "physics", load: async () => (await import("./bench/physics.ts")).measurePhysics },
  {
    name: "toolchain status",
    load: async () => (await import("./bench/toolchain-status.ts")).measureToolchainStatus,
  },
  { name: "tokens", load: async () => (await import("./bench/tokens.ts")).measureTokens },
  {
    name: "extracting",
    load: async () => (await import("./bench/extracting.ts")).measureExtracting,
  },
  {
    name: "downloading",
    load: async () => (await import("./bench/downloading.ts")).measureDownloading,
  },
];

await runScript(async (argv) => {
  const line = commandLine(argv, {
    usage:
      "bench.ts [--only TEXT] [--quick | --save] [--out DIR] : measures, as ratios against peers",
    flags: {
      only: {
        kind: "value",
        doc: `the parts whose name contains this: ${PARTS.map(({ name }) => name).join(", ")}`,
      },
      quick: { kind: "switch", doc: "tiny sizes: shows that it runs, says nothing about speed" },
      out: {
        kind: "value",
        doc:
          "where RESULTS.md and results.svg go; a whole run writes to scripts/bench, others nowhere",
      },
      save: {
        kind: "switch",
        doc: "the parts that are measured take their places in scripts/bench; all others stay",
      },
    },
  });
  if (typeof line === "number") return line;
  const { only, out } = line.values;
  const quick = line.switches["quick"] === true;
  const saves = line.switches["save"] === true;
  if (saves && quick) {
    return printFailure({
      code: "usage",
      message: "--quick says nothing about speed, so there is nothing to save",
      next: "Leave one of --quick and --save out",
    });
  }
  const parts = PARTS.filter(({ name }) => name.includes(only ?? ""));
  if (parts.length === 0) {
    return printFailure({
      code: "usage",
      message: `No part has ${JSON.stringify(only)} in its name`,
      next: `The parts are ${PARTS.map(({ name }) => name).join(", ")}`,
    });
  }
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => process.exit(130));
  const output = createOutput(line);
  const setting = await readSetting(Date.now());
  const sections = await runParts(parts, { quick, output, date: setting.date });
  const report: Report = { setting, sections };
  const isWhole = parts.length === PARTS.length && !quick;
  const own = join(packageRoot(), "scripts", "bench");
  const folder = out ?? (isWhole ? own : undefined);
  if (folder !== undefined) writeResults(resolve(folder), report);
  if (saves) {
    const names = PARTS.map(({ name }) => name);
    writeResults(own, { setting, sections: mergedSections(own, sections, names) });
  }
  output.result({ ok: true, quick, ...report }, renderReport(report));
  return 0;
});

async function runParts(
  parts: readonly Part[],
  { quick, output, date }: {
    readonly quick: boolean;
    readonly output: Output;
    readonly date: string;
  },
): Promise<readonly Section[]> {
  const runtime = await loadRuntime();
  const sections: Section[] = [];
  for (const { name, load } of parts) {
    output.step(name);
    const folder = mkdtempSync(join(tmpdir(), "slipway-bench-"));
    const cleanUp = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    process.once("exit", cleanUp); // an interrupt runs no other cleanup
    try {
      const onRound = (done: number, total: number) => output.progress(done, total, "rounds");
      const measure = await load();
      const [minute = 0] = loadavg(); // 0 where the system has none
      const busy = minute > 0 ? { load: Number(minute.toFixed(1)) } : {};
      sections.push({ name, date, ...busy, ...await measure({ runtime, folder, quick, onRound }) });
    } finally {
      process.off("exit", cleanUp);
      cleanUp();
    }
  }
  return sections;
}
