import { ok, type Result } from "../../core/result.ts";
import { NOEXEC, scrubbedEnvironment, withFolders } from "../../programs/mod.ts";
import { detectTool } from "../find/detect.ts";
import { ProbeCache } from "../find/probe-cache.ts";
import { probe } from "../find/probe.ts";
import { ownRuntimeFolders } from "../find/tool-environment.ts";
import { programIn } from "../find/validation.ts";
import type { ToolDescriptor } from "../tools/descriptor.ts";
import type { ToolId } from "../tools/ids.ts";
import { DESCRIPTORS } from "../tools/tools.ts";
import type { FoundTool } from "../tools/types.ts";
import { failInstall, type InstallFailure } from "../work/failure.ts";
import type { ToolchainFolder } from "../work/folder.ts";
import type { ToolchainDeps } from "../work/ports.ts";

/**
 * Finds a tool in one toolchain folder only, as the editor itself finds it: a tool that passes here in the
 * staging folder is found once it is in place.
 *
 * @param where The folder to search.
 * @param context.folder The folder with the runtimes of our own programs.
 */
export async function findOwn(
  id: ToolId,
  where: ToolchainFolder,
  context: ToolchainDeps & { readonly folder: ToolchainFolder },
): Promise<Result<FoundTool, InstallFailure>> {
  const { host } = context;
  const descriptor = DESCRIPTORS[id];
  const runtime = descriptor.kind === "binary" ? descriptor.ownRuntime : undefined;
  const folders = runtime === undefined ? [] : await ownRuntimeFolders(runtime, context);
  const detection = await detectTool(descriptor, {
    ...context,
    host: {
      ...host,
      env: (name) => /^SVC_/i.test(name) ? undefined : host.env(name),
      environment: () => withFolders(host.environment(), folders, host.platform),
    },
    folder: where,
    cache: new ProbeCache(context),
    facts: { packaged: true, allowSystem: false },
  });
  if (detection.present && detection.source === "own") {
    const broken = await whyBroken(detection, descriptor, context);
    return broken === null ? ok(detection) : unusable(id, broken, host);
  }
  const own = detection.tried.find(({ source }) => source === "own");
  return unusable(id, own?.reason, host);
}

/** Names a program of a found folder that does not start on this machine, with the reason; or `null`. */
async function whyBroken(
  { path: folder }: FoundTool,
  descriptor: ToolDescriptor,
  deps: ToolchainDeps,
): Promise<string | null> {
  const starts = descriptor.kind === "directory" ? descriptor.starts : [];
  const env = scrubbedEnvironment(deps.host.environment());
  for (const { path, probe: spec } of starts) {
    const program = programIn(folder, path, deps);
    if (program === null) return `it has no ${path}`;
    const answer = await probe({ path: program, spec, env }, deps);
    if (!answer.ok) return `its ${path}: ${answer.error.message}`;
  }
  return null;
}

/** The failure of a copy that does not start, or that is not where it should be when `why` is absent. */
function unusable(
  id: ToolId,
  why: string | undefined,
  { cli }: Pick<ToolchainDeps["host"], "cli">,
): Result<never, InstallFailure> {
  return failInstall(
    "smoke-test",
    `Cannot use the ${id} that was installed: ${why ?? "it is not where it should be"}`,
    why === undefined
      ? "Install it again; if that does not help, send this message with the log"
      : why.endsWith(NOEXEC)
      ? "Set SVC_TOOLCHAIN_DIR to a folder on a file system that allows running programs"
      : `'${cli} toolchain guide ${id}' tells how to get one that works here; where this one ` +
        "should work, send this message with the log",
  );
}
