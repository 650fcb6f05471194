import { ok, type Result } from "../../core/result.ts";
import { DESCRIPTORS } from "../descriptors.ts";
import { detectTool } from "../detect.ts";
import { expandPlaces } from "../places.ts";
import type { ToolchainDeps } from "../ports.ts";
import { withFolders } from "../probe.ts";
import { createProbeCache } from "../probe-cache.ts";
import type { FoundTool, ToolId } from "../types.ts";
import { failInstall, type InstallFailure } from "./failure.ts";

/**
 * Finds a tool in a toolchain folder and nowhere else, as the editor itself finds it: what passes
 * here in the staging folder is found once it is in its place.
 *
 * @param root The folder that is looked in.
 * @param toolchainDir Where the runtimes are that our own programs run on.
 */
export async function findOwn(
  id: ToolId,
  { root, toolchainDir, ...deps }: ToolchainDeps & {
    readonly root: string;
    readonly toolchainDir: string;
  },
): Promise<Result<FoundTool, InstallFailure>> {
  const { host } = deps;
  const descriptor = DESCRIPTORS[id];
  const runtime = descriptor.kind === "binary" ? descriptor.ownRuntime : undefined;
  const folders = runtime === undefined
    ? []
    : (await expandPlaces(runtime.path, toolchainDir, deps))
      .filter((folder) => deps.syncStat(folder).kind === "directory");
  const detection = await detectTool(descriptor, {
    ...deps,
    host: {
      ...host,
      env: (name) => /^SVC_/i.test(name) ? undefined : host.env(name),
      environment: () => withFolders(host.environment(), folders, host.platform),
    },
    toolchainDir: root,
    cache: createProbeCache(deps),
    facts: { packaged: true, allowSystem: false },
  });
  if (detection.present && detection.source === "own") return ok(detection);
  const own = detection.tried.find(({ source }) => source === "own");
  return failInstall(
    "smoke-test",
    `Cannot use the ${id} that was installed: ${own?.reason ?? "it is not where it should be"}`,
    own === undefined
      ? "Install it again; if that does not help, send this message with the log"
      : `'${host.cli} toolchain guide ${id}' tells how to get one that works here; where this one ` +
        "should work, send this message with the log",
  );
}
