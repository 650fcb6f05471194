import { fail, ok } from "../../core/result.ts";
import { runProgram, whichSync } from "../../programs/mod.ts";
import { SLOW_MS } from "../tools/common.ts";
import type { ValidateContext } from "./validation.ts";

// Since version 15, Xcode comes without the platforms: people choose them at its first start. Without iOS
// every build for it ends in "iOS 26.1 is not installed", also one for a phone.

/** The first Xcode without its platforms. */
const FIRST_WITHOUT = 15;
/** The line above the list. */
const HEADER = "== Runtimes ==";
/** A platform that can be used: `iOS 26.1 (26.1 - 23B86) - com.apple.CoreSimulator.SimRuntime.iOS-26-1`. */
const INSTALLED = /^iOS (\d[\d.]*) (?!.*\(unavailable)/;

/**
 * Finds out why an Xcode cannot build for iOS. Which of several platforms it accepts is left to Xcode.
 *
 * @param version Version of Xcode.
 * @returns The end of a sentence; `null` if it has a platform, or if that cannot be known.
 */
export async function whyNoPlatform(
  version: string,
  env: Readonly<Record<string, string>>,
  context: ValidateContext,
): Promise<string | null> {
  const { cache, host, signal: given, syncStat } = context;
  const xcrun = whichSync("xcrun", { platform: host.platform, env, stat: syncStat });
  if (xcrun === null || parseInt(version) < FIRST_WITHOUT) return null;
  const list = async (signal: AbortSignal) => {
    const end = await runProgram(xcrun, ["simctl", "list", "runtimes"], {
      ...{ cwd: host.temporary, env, signal, timeoutMs: SLOW_MS },
      machine: context,
    });
    if (end.kind !== "exited" || end.code !== 0 || !end.stdout.includes(HEADER)) {
      return fail("no-list", "simctl lists no platforms");
    }
    const found = end.stdout.split(/\r?\n/).flatMap((line) => INSTALLED.exec(line)?.[1] ?? []);
    return ok({ version: found[0] ?? "" });
  };
  const beside = JSON.stringify(["runtimes", version, env["DEVELOPER_DIR"]]);
  // Brief: a platform is added without any change of xcrun.
  const listed = await cache.answer(xcrun, list, { beside, isBrief: true, signal: given })
    .catch(() => null);
  return listed?.ok && listed.value.version === ""
    ? `Xcode ${version} is here without the platform iOS; run 'xcodebuild -downloadPlatform iOS'`
    : null;
}
