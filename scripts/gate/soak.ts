import type { Context } from "./context.ts";
import { listFiles } from "./files.ts";
import { type Inputs, readInputs } from "./inputs.ts";
import { nativeSteps } from "./native.ts";
import { createReference } from "./replay.ts";
import type { Step } from "./runner.ts";
import { buildStep, testFiles, testSteps } from "./steps.ts";

// The long run: tests with their long settings, and files that exist only for it.
// Each part fits into 45 minutes on two cores.

/** The file that reads the settings. */
const SETTINGS = "tests/support/rounds.ts";

/**
 * The parts of TypeScript, by the prefixes of their test files. The longest are `publishing`,
 * measured alone about 50 minutes of processor time, because it starts 2,300 publishers, and
 * `service`, about 25, because all tools are called again after each refused call. `power-cuts`,
 * `device`, `archives` and `editor` take less than 15. `toolchain` takes about 12: by the processor
 * seconds of its tests in the gate, 228 faults instead of 63 are 4 minutes, 173 kills instead of 26
 * another 4, complete packages of npm 3, the others 1. `phones` is a file with 860 touches instead
 * of 80, and one with games four times as long: less than 10.
 */
export const SOAK_PARTS: Readonly<Record<string, readonly string[]>> = {
  "power-cuts": ["tests/ota/device-page.", "tests/ota/power-cut"],
  device: [
    "tests/ota/cheaper-way.",
    "tests/ota/device.",
    "tests/ota/staging-memory.",
    "tests/ota/unzip.",
    "tests/ota/zip-resume.",
  ],
  month: ["tests/ota/month."],
  publishing: ["tests/ota/publish-races", "tests/ota/suspended-publisher."],
  archives: ["tests/archive/"],
  editor: ["tests/core/", "tests/editor/", "tests/game/"],
  service: ["tests/agent/", "tests/contract/", "tests/http/"],
  phones: ["tests/engines/"],
  toolchain: ["tests/toolchain/"],
  signatures: ["tests/native/android-core."],
};

/** Test files with long settings. @param files All test files, `.soak.ts` included. */
export function soakFiles(files: readonly string[], inputs: Inputs): readonly string[] {
  // The gate's own tests look at all others, and have no settings.
  return files.filter((file) => !file.startsWith("tests/gate/") && inputs.of(file).has(SETTINGS));
}

/** Returns the steps of every part, each under both runtimes; those of the native cores last. */
export async function soakSteps(context: Context): Promise<readonly Step[]> {
  const { modules, sources } = await context.house();
  const inputs = readInputs({ modules, sources, paths: sources.keys() });
  const all = [...testFiles(context.root), ...listFiles(context.root, ["tests"], [".soak.ts"])];
  const long = soakFiles(all, inputs);
  const parts = Object.entries(SOAK_PARTS).flatMap(([part, beginnings]) => {
    const chosen = long.filter((file) => beginnings.some((start) => file.startsWith(start)));
    return testSteps(context, { extent: "soak", files: chosen })
      .map((step) => step.produces === true ? step : { ...step, name: `${part}: ${step.name}` });
  });
  const native = nativeSteps(context, { reference: createReference(context), soak: true });
  const once = new Map(parts.map((step) => [step.name, step])); // the stores are in each
  return [buildStep(context), ...once.values(), ...native];
}
