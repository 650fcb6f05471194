import { join } from "node:path";
import type { Context } from "./context.ts";
import { fromRun } from "./context.ts";
import type { Ran } from "./exec.ts";
import { failed, type Outcome, skipped } from "./outcome.ts";
import { NATIVE_ONLY, NATIVE_SUITES } from "./plan.ts";
import { judgeReplay, type Reference } from "./replay.ts";
import type { Step } from "./runner.ts";
import { runTestFiles, type TestRun } from "./test-files.ts";

// The native cores, which pass the same tests as the TypeScript device. A core that cannot be built here is
// skipped by name; scripts/setup-native installs the compilers.

/** A native core. */
interface Core {
  /** The name of its steps. */
  readonly language: string;
  /** Below `native/`. */
  readonly folder: "ios" | "android";
}

const CORES: readonly Core[] = [
  { language: "Swift", folder: "ios" },
  { language: "Java", folder: "android" },
];

/** The sources that the cores mirror: a change there runs their tests. */
const TWINS: readonly string[] = ["lib/ota-client", "lib/ota-device", "lib/ota-format"];

/** Programs that pass with exit code 0; otherwise their output gives the reason. */
const CHECKS: readonly { readonly name: string; readonly program: readonly string[] }[] = [
  { name: "Android 7 API", program: ["android", "check-api"] },
  { name: "Android plugin", program: ["android", "check-plugin"] },
  // It rewrites each class of Android that a test reaches, once in each process: 20 s of CPU time.
  { name: "Android plugin under Robolectric", program: ["android", "test-plugin"] },
  { name: "Android plugin, minified", program: ["android", "test-minified"] },
  { name: "Android plugin in bytes", program: ["android", "dex-size"] },
  { name: "Java nulls", program: ["android", "check-nulls"] },
  { name: "Java format", program: ["android", "check-format"] },
  { name: "Swift format", program: ["ios", "check-format"] },
  { name: "Swift plugin", program: ["ios", "check-plugin"] },
];

/** Exit code of the scripts in `native/` if the compiler is missing. */
export const NO_COMPILER = 3;
/** Building a core is silent until it ends. */
const BUILD_SILENCE_MS = 1_800_000;
const TEST_SILENCE_MS = 600_000;
/**
 * A million random vectors are one test. By the CPU seconds of the gate and its rounds, the soak of a core
 * takes about 27 minutes on one processor: random vectors 14 (boot 50 times as many, stage 66, others 40),
 * the power cut again and again 5, cut and broken disks 5, zips and cheaper ways 2, the months 1.
 */
const SOAK_SILENCE_MS = 6 * 3_600_000;

/** The steps of both cores. */
export function nativeSteps(
  context: Context,
  { reference, soak = false }: { readonly reference: Reference; readonly soak?: boolean },
): readonly Step[] {
  const settings = soak ? { SLIPWAY_SOAK: "1" } : {};
  const silenceMs = soak ? SOAK_SILENCE_MS : TEST_SILENCE_MS;
  return [
    ...CORES.flatMap((core): Step[] => {
      const name = `replay vectors in ${core.language}`;
      return [
        {
          name,
          inputs: [`native/${core.folder}`, "vectors", ...TWINS],
          run: () => replayNative(context, core, reference),
        },
        // A third of the CPU time goes to power cuts and broken disks: 200,000 calls over the pipe,
        // which a device repeats for each possible last step. It receives in advance what it would
        // read (`Foretold`). Of the rest, half is spent on the tests' side, as over the reference.
        {
          name: `device tests in ${core.language}`,
          after: [name],
          long: true,
          keepsParts: true,
          run: () =>
            runSuites(context, core, {
              files: NATIVE_SUITES,
              env: { ...settings, SLIPWAY_DEVICE: core.folder },
              silenceMs,
            }),
        },
        {
          name: `random vectors in ${core.language}`,
          after: [name],
          long: true,
          keepsParts: true,
          run: () =>
            runSuites(context, core, {
              files: NATIVE_ONLY,
              env: { ...settings, SLIPWAY_REPLAY: core.folder },
              silenceMs,
            }),
        },
      ];
    }),
    ...CHECKS.map(({ name, program }): Step => ({
      name,
      long: true,
      inputs: ["native"],
      run: () => runCheck(context, name, program),
    })),
  ];
}

/** Replays all vectors with a core, and compares each line with the TypeScript core's. */
async function replayNative(
  context: Context,
  { language, folder }: Core,
  reference: () => Promise<Ran>,
): Promise<Outcome> {
  const name = `replay vectors in ${language}`;
  const program = join(context.root, "native", folder, "replay");
  const options = { cwd: context.root, silenceMs: BUILD_SILENCE_MS };
  const found = await context.exec([program, "vectors"], options);
  if (found.code === NO_COMPILER) return skipped(name, found.output.trim());
  const expected = await reference();
  const judged = judgeReplay(found.code, found.output);
  if (judged.failed > 0 || found.stdout === expected.stdout) return judged;
  const theirs = found.stdout.split("\n");
  const other = expected.stdout.split("\n").findIndex((line, at) => line !== theirs[at]);
  return failed(`TypeScript: ${expected.stdout.split("\n")[other]}\n${language}: ${theirs[other]}`);
}

/** Tests over a core. Deno runs them: the core is the same under Node. */
async function runSuites(
  context: Context,
  { folder }: Core,
  run: Omit<TestRun, "runtime">,
): Promise<Outcome> {
  // Built before the clocks of the tests run.
  const device = join(context.root, "native", folder, "device");
  const built = await context.exec(["sh", "-c", '"$0" < /dev/null', device], {
    cwd: context.root,
    silenceMs: BUILD_SILENCE_MS,
  });
  if (built.code !== 0) return fromRun(built);
  const inputs = [`native/${folder}`, "tests/support/device-program.ts"];
  const how = { runtime: "deno", over: folder, inputs, again: true } as const;
  return await runTestFiles(context, { ...how, ...run });
}

async function runCheck(
  context: Context,
  name: string,
  program: readonly string[],
): Promise<Outcome> {
  const ran = await context.exec([join(context.root, "native", ...program)], {
    cwd: context.root,
    silenceMs: BUILD_SILENCE_MS,
  });
  return ran.code === NO_COMPILER ? skipped(name, ran.output.trim()) : fromRun(ran);
}
