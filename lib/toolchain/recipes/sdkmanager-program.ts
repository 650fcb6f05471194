import type { SyncStat } from "../../ports/files.ts";
import type { Platform } from "../../ports/host.ts";
import { type BehindShim, hostPaths } from "../../programs/mod.ts";

/**
 * Finds what `sdkmanager` would run, on a JDK of our choice: its script would take any that it finds.
 * `null` where the command-line tools have no such class path.
 *
 * @param tools The folder of the command-line tools, such as `<sdk>/cmdline-tools/latest`.
 */
export function behindSdkManager(
  tools: string,
  { javaHome, platform, stat }: {
    readonly javaHome: string;
    readonly platform: Platform;
    readonly stat: SyncStat;
  },
): BehindShim | null {
  const paths = hostPaths(platform);
  const java = paths.join(javaHome, platform === "win32" ? "bin/java.exe" : "bin/java");
  // The folder of the jar differs between versions of the tools.
  const jar = ["lib/sdkmanager-classpath.jar", "lib/classpaths/sdkmanager-classpath.jar"]
    .map((path) => paths.join(tools, path))
    .find((path) => stat(path).kind === "file");
  if (jar === undefined || stat(java).kind !== "file") return null;
  return {
    command: java,
    args: [
      `-Dcom.android.sdklib.toolsdir=${tools}`,
      "-cp",
      jar,
      "com.android.sdklib.tool.sdkmanager.SdkManagerCli",
    ],
  };
}
