import { escapeInvisible } from "../../core/invisible.ts";
import { runProgram, whichSync } from "../../programs/mod.ts";
import { bringsNode, type MissingTool } from "../../toolchain/mod.ts";
import type { Files } from "../../ports/files.ts";
import type { Host } from "../../ports/host.ts";
import type { Command } from "../config/config.ts";
import { leastNode } from "./app-packages.ts";
import { capacitorProbe } from "./capacitor.ts";
import type { Fact, UnknownFact } from "./plan/fact.ts";
import { isAskedFor, nodeRequests } from "./plan/node-request.ts";
import { isOlder } from "./plan/versions.ts";
import type { StepDependencies } from "./run-step.ts";

// Capacitor's command line requires a certain Node, which is checked before the build downloads anything.

/** Time that Node has to print its version, in milliseconds. */
const VERSION_MS = 10_000;

/** The dependencies of asking for the Node that a build would have. */
export interface NodeDependencies extends StepDependencies {
  readonly files: StepDependencies["files"] & Files;
  readonly host: Host;
}

/** The Node of a build. */
export interface BuildNode {
  readonly fact: Fact | UnknownFact;
  /** Set if the app's Capacitor does not start on it. */
  readonly missing?: MissingTool;
}

/**
 * Finds the Node on which the commands of a build run.
 *
 * @param build.env The environment of its steps.
 * @param build.runs Whether Node may be run; otherwise its version is not known.
 */
export async function nodeOf(
  dependencies: NodeDependencies,
  { root, steps, env, runs }: {
    readonly root: string;
    readonly steps: readonly Command[];
    readonly env: Readonly<Record<string, string>>;
    readonly runs: boolean;
  },
): Promise<BuildNode> {
  const name = "node";
  const { files, host, syncStat } = dependencies;
  if (bringsNode({ host })) {
    return { fact: { name, value: "Slipway's own", from: "the packaged editor", ok: true } };
  }
  const node = whichSync("node", { platform: host.platform, env, stat: syncStat });
  if (node === null) return { fact: { name, why: "there is no node on PATH" } };
  if (!runs) return { fact: { name, why: `${node} reports its version only when it is run` } };
  const found = await versionOf(node, dependencies, { root, env });
  if (found === null) return { fact: { name, why: `${node} does not report its version` } };
  const asked = (await nodeRequests(files, root))
    .find((request) => isAskedFor(found, request) === false);
  const fact: Fact = {
    ...{ name, value: found, from: node, ok: true },
    ...(asked !== undefined && {
      why: `${asked.from} asks for ${escapeInvisible(asked.range)}, and nothing selects that here`,
    }),
  };
  const isAsked = await capacitorProbe(files, { root, steps }) !== null;
  const minimum = isAsked ? await leastNode(files, root) : null;
  if (minimum === null || !isOlder(found, minimum)) return { fact };
  const [least] = minimum.split(".");
  const why = `expected ${minimum} or newer for this app's @capacitor/cli`;
  const fix = `Install Node.js ${least}, or set SVC_PROVISION_NODE=1: then Slipway brings its own`;
  const reason = `found Node ${found}, ${why}`;
  const missing = { id: "npm", reason, canAutoInstall: false, fix } as const;
  return { fact: { ...fact, ok: false, why, fix }, missing };
}

/** Returns the version of Node in the folder of the project, by which version managers choose one. */
async function versionOf(
  node: string,
  machine: NodeDependencies,
  { root, env }: { readonly root: string; readonly env: Readonly<Record<string, string>> },
): Promise<string | null> {
  const end = await runProgram(node, ["--version"], {
    ...{ machine, env, cwd: root },
    timeoutMs: VERSION_MS,
  });
  return end.kind === "exited" ? /^v(\d+\.\d+\.\d+)\s*$/.exec(end.stdout)?.[1] ?? null : null;
}
