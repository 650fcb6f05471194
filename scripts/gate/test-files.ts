import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Batch, batches } from "./batches.ts";
import { timesOver } from "./times.ts";
import type { Context } from "./context.ts";
import { LAST_WORDS_MS, pendingTests, SLOW_NOTE } from "./hung.ts";
import { failedBeside, isBroken, judgeAgain, judgeOthers, judgeTestFile, seedOf } from "./judge.ts";
import { failed, type Outcome, sum } from "./outcome.ts";
import type { Part } from "./passes.ts";
import { COMPILED, isIn, ON_DISK } from "./plan.ts";
import { UNOPTIMIZED } from "./unoptimized.ts";

const UNTRACKED = "scripts/gate/untracked.mjs";
const PENDING = "scripts/gate/pending.mjs";

/** A run of test files. */
export interface TestRun {
  readonly runtime: "deno" | "node";
  /** Paths below the checkout, `tests/…/x.test.ts`. */
  readonly files: readonly string[];
  /** Milliseconds of silence after which a process is taken for hung, and killed. */
  readonly silenceMs: number;
  /** Added to the environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether each file gets a process of its own. */
  readonly apart?: boolean;
  /** Whether a file that fails is run once more, alone: see `judgeAgain`. */
  readonly again?: boolean;
  /** Whether Node follows each promise to its test: see `untracked.mjs`. */
  readonly tracked?: boolean;
  /** Key in the memory of passes: the core that a device test used. */
  readonly over?: string;
  /** Inputs of the files besides what they load and name. */
  readonly inputs?: readonly string[];
}

interface Work {
  readonly context: Context;
  readonly run: TestRun;
  /** Folder of reports and entries: below the checkout, so that imports resolve. */
  readonly folder: string;
}

/**
 * Runs test files, several in one process. A process that crashes or ends without naming the file
 * at fault is run again file by file, so that this file is named and the others count. A file that
 * hangs is named by its runner and not run again: only the others are, and their failed tests are
 * kept.
 */
export async function runTestFiles(context: Context, run: TestRun): Promise<Outcome> {
  if (run.files.length === 0) return failed("Found no test file in tests/: expected some");
  const folder = mkdtempSync(join(context.cache, `tests-${run.runtime}-`));
  const work = { context, run, folder };
  const recalled = new Map(
    run.files.map((file) => [file, context.passes.recall(partOf(run, file))] as const),
  );
  const files = run.files.filter((file) => recalled.get(file) === null);
  const times = run.over === undefined ? context.times : timesOver(context.times, run.over);
  const queue = batches(files, run.apart === true ? { size: 1 } : { times }).entries();
  const outcomes = [...recalled.values()].filter((outcome) => outcome !== null);
  try {
    await Promise.all(Array.from({ length: context.places }, async () => {
      for (const [index, batch] of queue) {
        const outcome = await runBatch(work, batch, `${index}`);
        // Node's reports do not name files: a process either passed as a whole or not at all.
        for (const file of batch.files) context.passes.keep(partOf(run, file), outcome);
        outcomes.push(withPartsOver(outcome, run.over));
      }
    }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return sum(outcomes);
}

/** A file takes another time over a native core, and is listed apart. */
function withPartsOver(outcome: Outcome, core: string | undefined): Outcome {
  if (core === undefined) return outcome;
  const parts = outcome.parts.map(({ name, ms }) => ({ name: `${name} (${core})`, ms }));
  return { ...outcome, parts };
}

function partOf({ runtime, over, inputs = [] }: TestRun, file: string): Part {
  const name = `${file} (${[runtime, over].filter((word) => word !== undefined).join(", ")})`;
  return { name, inputs: [file, ...inputs] };
}

async function runBatch(work: Work, batch: Batch, id: string): Promise<Outcome> {
  const { name, files } = batch;
  const { runtime, again } = work.run;
  const { ran, report } = await runProcess(work, files, id);
  const label = `${files.length === 1 ? files[0] : name} (${runtime})`;
  if (files.length === 1 || !isBroken(ran, report)) {
    const outcome = judgeTestFile(label, ran, report);
    if (outcome.failed === 0 || again !== true || ran.timedOut) return outcome;
    return judgeAgain(outcome, await runAgain(work, batch, outcome, `${id}-again`));
  }
  const hung = ran.timedOut ? pendingTests(ran.output)[0]?.file : undefined;
  if (hung !== undefined && files.includes(hung)) {
    const others = { name: `${name}, others`, files: files.filter((file) => file !== hung) };
    const itself = judgeTestFile(`${hung} (${runtime})`, ran, report, hung);
    const again = await runBatch(work, others, `${id}-others`);
    return sum([itself, judgeOthers(again, failedBeside(hung, ran, report))]);
  }
  const outcomes: Outcome[] = [];
  for (const [index, file] of files.entries()) {
    const single = await runProcess(tracked(work), [file], `${id}-${index}`);
    outcomes.push(judgeTestFile(`${file} (${runtime})`, single.ran, single.report));
  }
  const apart = sum(outcomes);
  if (apart.failed > 0) return apart;
  // Each passes alone but not together: one of them leaves something behind.
  return sum([apart, judgeTestFile(`${label}, in one process`, ran, report)]);
}

/** Runs the failed tests of a batch again: file by file, and with their seed. */
async function runAgain(
  work: Work,
  { files }: Batch,
  failed: Outcome,
  id: string,
): Promise<Outcome> {
  const named = files.filter((file) => failed.failures.some((each) => each.startsWith(file)));
  const seed = seedOf(failed.output);
  const { run } = work;
  const env = seed === null ? run.env : { ...run.env, SLIPWAY_SEED: seed };
  const once = tracked({ ...work, run: { ...run, env } });
  const outcomes: Outcome[] = [];
  for (const [index, file] of (named.length > 0 ? named : files).entries()) {
    const { ran, report } = await runProcess(once, [file], `${id}-${index}`);
    outcomes.push(judgeTestFile(`${file} (${run.runtime}), again and alone`, ran, report));
  }
  return sum(outcomes);
}

/**
 * Returns the same work with tracked errors, which are attributed to their test instead of only to
 * their file.
 */
function tracked(work: Work): Work {
  return { ...work, run: { ...work.run, tracked: true } };
}

async function runProcess(work: Work, files: readonly string[], id: string) {
  const { context, run, folder } = work;
  const report = join(folder, `${id}.xml`);
  const ran = await context.exec(command(work, files, { id, report }), {
    cwd: context.root,
    env: { ...(isOnDisk(run, files) ? {} : inMemory(context)), ...run.env },
    silenceMs: run.silenceMs,
    idle: SLOW_NOTE,
    lastWordsMs: LAST_WORDS_MS,
    last: true,
  });
  return { ran, report: readIfThere(report) };
}

/** Whether a process keeps its temporary files on the disk. */
function isOnDisk({ runtime }: TestRun, files: readonly string[]): boolean {
  return runtime === "node" && files.some((file) => isIn(ON_DISK, file));
}

/** Has a process keep its temporary files in memory; stores need a disk's attributes. */
function inMemory({ memory }: Pick<Context, "memory">): Readonly<Record<string, string>> {
  return memory === null ? {} : { TMPDIR: memory, SLIPWAY_DISK: tmpdir() };
}

function command(
  { context, run, folder }: Work,
  files: readonly string[],
  { id, report }: { readonly id: string; readonly report: string },
): readonly string[] {
  const { root, deno, node } = context;
  const paths = run.runtime === "deno"
    ? files
    : files.map((file) => join("dist", file.replace(/\.ts$/, ".js")));
  const entry = paths.length === 1
    ? paths[0] ?? ""
    : writeEntry(join(folder, `${id}.test.mjs`), paths.map((path) => join(root, path)));
  if (run.runtime === "deno") {
    return [deno, "test", "-A", "--no-check", `--junit-path=${report}`, entry];
  }
  return [
    node?.path ?? "node",
    ...(files.some((file) => isIn(COMPILED, file)) ? [] : [UNOPTIMIZED]),
    ...(run.tracked === true ? [] : ["--import", pathToFileURL(join(root, UNTRACKED)).href]),
    "--test-reporter=spec",
    "--test-reporter-destination=stdout",
    `--test-reporter=${pathToFileURL(join(root, PENDING)).href}`,
    `--test-reporter-destination=${report}`,
    entry,
  ];
}

/** Writes a module that imports all of them: both runtimes register the tests of loaded modules. */
function writeEntry(path: string, files: readonly string[]): string {
  mkdirSync(join(path, ".."), { recursive: true });
  const imports = files.map((file) => `import ${JSON.stringify(pathToFileURL(file).href)};\n`);
  writeFileSync(path, imports.join(""));
  return path;
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // the runtime died before writing its report; judged as missing
  }
}
