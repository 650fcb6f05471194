import { attempt } from "../../core/attempt.ts";
import { decodeUtf8, encodeUtf8 } from "../../core/bytes.ts";
import { fail, type Failure, ok, type Result } from "../../core/result.ts";
import { withFolders } from "../../programs/mod.ts";
import { DESCRIPTORS } from "../tools/tools.ts";
import type { FoundTool } from "../tools/types.ts";
import { ownRuntimeFolders, withFound } from "./tool-environment.ts";
import type { ValidateContext } from "./validation.ts";

/** Folder of the launchers, in the toolchain folder. */
const LAUNCHERS = "launchers";
/** Maximum bytes of a launcher. */
const MAX_LAUNCHER = 16 * 1024;

/**
 * Returns `env` with a tool on PATH. Of our own copy only a launcher is added, which starts the tool on its
 * own runtime: on PATH that would hide the user's Ruby, gems and Bundler from everything else in a step.
 *
 * @returns `tool-absent` if the launcher cannot be written.
 */
export async function withLauncher(
  found: FoundTool,
  env: Readonly<Record<string, string>>,
  context: Pick<ValidateContext, "files" | "folder" | "host" | "syncStat">,
): Promise<Result<Record<string, string>, Failure<"tool-absent">>> {
  const { id, path, source } = found;
  const descriptor = DESCRIPTORS[id];
  const runtime = descriptor.kind === "binary" ? descriptor.ownRuntime : undefined;
  if (source !== "own" || runtime === undefined) return ok(await withFound(found, env, context));
  const { files, folder, host } = context;
  const { paths } = folder;
  const place = folder.at(`${LAUNCHERS}/${id}`);
  const launcher = paths.join(place, paths.name(path));
  const text = launcherText(path, {
    folders: await ownRuntimeFolders(runtime, context),
    variables: Object.entries(runtime.env ?? {}).map(([name, at]) => [name, folder.at(at)]),
  });
  const written = await attempt(async () => {
    const known = await files.read(launcher, MAX_LAUNCHER);
    const isExecutable = (((await files.stat(launcher))?.mode ?? 0) & 0o100) !== 0;
    if (isExecutable && known !== null && decodeUtf8(known) === text) return;
    await files.makeDirectory(place);
    // Executable from its first moment: another build may start it.
    await files.writeAtomic(launcher, encodeUtf8(text), { mode: 0o755 });
    await files.setMode(launcher, 0o755); // whatever the umask
  });
  return written.ok ? ok(withFolders(env, [place], host.platform)) : fail(
    "tool-absent",
    `Cannot put ${id} on PATH: ${written.error.message}`,
    `Make ${place} writable for this user`,
  );
}

function launcherText(
  program: string,
  { folders, variables }: {
    readonly folders: readonly string[];
    readonly variables: readonly (readonly [name: string, value: string])[];
  },
): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  return [
    "#!/bin/sh",
    "# Starts this program on its own runtime, which stays hidden from all others.",
    ...variables.map(([name, value]) => `export ${name}=${quoted(value)}`),
    `export PATH=${[...folders.map(quoted), '"$PATH"'].join(":")}`,
    `exec ${quoted(program)} "$@"`,
    "",
  ].join("\n");
}
