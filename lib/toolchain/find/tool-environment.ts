import { whichSync, withFolders } from "../../programs/mod.ts";
import type { OwnRuntime } from "../tools/descriptor.ts";
import { DESCRIPTORS } from "../tools/tools.ts";
import type { FoundTool } from "../tools/types.ts";
import type { ToolchainFolder } from "../work/folder.ts";
import type { ToolchainDeps } from "../work/ports.ts";
import { expandPlaces } from "./places.ts";
import type { ValidateContext } from "./validation.ts";

// Environment of a tool that was found.

/**
 * Returns `env` with the variables that builds find a tool by, and with the tool on PATH. PATH keeps its
 * order if it already leads to this tool: in front, the tool's folder would hide other programs that the
 * user chose, such as a Node different from the one next to npm. A program that a variable names
 * (`SVC_NPM`) is such a choice itself, and comes in front with the programs next to it.
 */
export async function withFound(
  { id, path, source }: FoundTool,
  env: Readonly<Record<string, string>>,
  context: Pick<ToolchainDeps, "files" | "host" | "syncStat"> & {
    readonly folder: ToolchainFolder;
  },
): Promise<Record<string, string>> {
  const { host: { platform }, folder: { paths }, syncStat } = context;
  const onPath = (name: string, all: Readonly<Record<string, string>>) =>
    whichSync(name, { platform, env: all, stat: syncStat });
  const descriptor = DESCRIPTORS[id];
  if (descriptor.kind === "directory") {
    const named = Object.fromEntries(descriptor.exports.map((name) => [name, path]));
    const bin = paths.join(path, descriptor.binFolder);
    const hint = onPath(descriptor.pathHint, env);
    const isGiven = hint !== null && paths.parent(hint) === bin;
    return isGiven ? { ...env, ...named } : withFolders({ ...env, ...named }, [bin], platform);
  }
  const around = source === "own" ? await ownRuntimeEnv(env, descriptor.ownRuntime, context) : env;
  const isNamed = source === "env";
  if (!isNamed && descriptor.names.some((name) => onPath(name, around) === path)) return around;
  return withFolders(around, [paths.parent(path)], platform);
}

/** Returns `env` with the runtime of the editor's own copy of a tool. */
export async function ownRuntimeEnv(
  env: Readonly<Record<string, string>>,
  runtime: OwnRuntime | undefined,
  context: Pick<ValidateContext, "files" | "folder" | "host" | "syncStat">,
): Promise<Record<string, string>> {
  if (runtime === undefined) return { ...env };
  const { folder, host } = context;
  const folders = await ownRuntimeFolders(runtime, context);
  const variables = Object.entries(runtime.env ?? {})
    .map(([name, place]) => [name, folder.at(place)]);
  return { ...withFolders(env, folders, host.platform), ...Object.fromEntries(variables) };
}

/** Returns the folders of the runtime of the editor's own copy of a tool, as far as they exist. */
export async function ownRuntimeFolders(
  { path }: OwnRuntime,
  context: Pick<ValidateContext, "files" | "folder" | "host" | "syncStat">,
): Promise<string[]> {
  return (await expandPlaces(path, context.folder.root, context))
    .filter((folder) => context.syncStat(folder).kind === "directory");
}
