import { runProgram, scrubbedEnvironment, whichSync } from "../../programs/mod.ts";
import { bringsNode, type MissingTool, type Toolchain } from "../../toolchain/mod.ts";
import type { Host } from "../../ports/host.ts";
import type { Command } from "../config/config.ts";
import { leastNode } from "./app-packages.ts";
import { capacitorProbe } from "./capacitor.ts";
import type { StepDependencies } from "./run-step.ts";

// Capacitor's command line wants a Node of its own: known before anything is downloaded for the build.

/** A Node that does not tell its version by then tells none, in milliseconds. */
const TELLS_MS = 10_000;

/** The dependencies of asking for the Node that a build would have. */
export interface NodeDependencies extends StepDependencies {
  readonly files: StepDependencies["files"] & Parameters<typeof capacitorProbe>[0];
  readonly host: Host;
  readonly toolchain: Pick<Toolchain, "withToolOnPath">;
}

/**
 * The Node of this machine, where the app's Capacitor does not start on it.
 *
 * @returns `null` where it does, where the editor brings its own, and where nobody can tell: then
 * Capacitor is asked at the beginning of the build.
 */
export async function missingNode(
  dependencies: NodeDependencies,
  { root, steps }: { readonly root: string; readonly steps: readonly Command[] },
): Promise<MissingTool | null> {
  const { files, host } = dependencies;
  if (bringsNode({ host }) || await capacitorProbe(files, { root, steps }) === null) return null;
  const wanted = await leastNode(files, root);
  const found = wanted === null ? null : await nodeVersion(dependencies, root);
  if (wanted === null || found === null || !isBelow(found, wanted)) return null;
  const [least] = wanted.split(".");
  return {
    id: "npm",
    reason: `found Node ${found}, expected ${wanted} or newer for this app's @capacitor/cli`,
    canAutoInstall: false,
    fix: `Install Node.js ${least}, or set SVC_PROVISION_NODE=1: then Slipway brings its own`,
  };
}

/** The version of the Node that steps of a build would find. */
async function nodeVersion(machine: NodeDependencies, root: string): Promise<string | null> {
  const { host, syncStat, toolchain } = machine;
  const plain = scrubbedEnvironment(host.environment());
  const withNpm = await toolchain.withToolOnPath("npm", plain, { runsIn: root });
  const env = withNpm.ok ? withNpm.value : plain;
  const node = whichSync("node", { platform: host.platform, env, stat: syncStat });
  if (node === null) return null;
  const end = await runProgram(node, ["--version"], {
    machine,
    cwd: root,
    env,
    timeoutMs: TELLS_MS,
  });
  return end.kind === "exited" ? /^v(\d+\.\d+\.\d+)\s*$/.exec(end.stdout)?.[1] ?? null : null;
}

/** Compares two versions of three numbers. */
function isBelow(found: string, wanted: string): boolean {
  const [a, b] = [found, wanted].map((version) => version.split(".").map(Number));
  const at = a?.findIndex((part, index) => part !== b?.[index]) ?? -1;
  return at >= 0 && (a?.[at] ?? 0) < (b?.[at] ?? 0);
}
