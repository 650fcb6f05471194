import { scrubbedEnvironment } from "../../programs/mod.ts";
import { ADB_PROBE } from "../tools/android-sdk.ts";
import type { AdbStatus, Detection } from "../tools/types.ts";
import type { ToolchainDeps } from "../work/ports.ts";
import { probe } from "./probe.ts";
import { programIn, type ValidateContext } from "./validation.ts";

/**
 * The debug bridge of the SDK, or of the first that was looked into: it talks to phones with or
 * without the parts of a build. A look at the disk only: the status never waits for adb itself.
 */
export function adbOf(
  sdk: Detection | undefined,
  deps: Pick<ToolchainDeps, "host" | "syncStat">,
): AdbStatus {
  try {
    const folders = [...(sdk?.present ? [sdk.path] : []), ...(sdk?.lookedInto ?? [])];
    const [path] = folders
      .map((folder) => programIn(folder, "platform-tools/adb", deps))
      .filter((program) => program !== null);
    return path === undefined ? { present: false } : { present: true, path };
  } catch {
    return { present: false }; // a port that breaks its promise: what cannot be seen is not there
  }
}

/** Asks adb for its version, which is absent if adb does not report one. */
export async function adbVersion(
  path: string,
  context: ValidateContext,
): Promise<{ readonly version?: string }> {
  const env = scrubbedEnvironment(context.host.environment());
  const answer = await context.cache
    .answer(path, () => probe({ path, spec: ADB_PROBE, env }, context))
    .catch(() => null); // the file is there; what it is, the caller will see when it runs it
  return answer?.ok ? { version: answer.value.version } : {};
}
