import { decodeUtf8 } from "../../core/bytes.ts";
import { err, type Failure, messageOf, type Result } from "../../core/result.ts";
import { hostPaths, programAt } from "../../programs/mod.ts";
import type { BinaryDescriptor, DirectoryDescriptor } from "../tools/descriptor.ts";
import type { Remedy } from "../tools/types.ts";
import { sameVersion } from "../tools/versions.ts";
import type { ToolchainFolder } from "../work/folder.ts";
import type { ToolchainDeps } from "../work/ports.ts";
import type { ProbeCache } from "./probe-cache.ts";
import { type Probe, probe, type Reported } from "./probe.ts";

// Shared by the validation of all candidates.

/** Dependencies of validating a candidate. */
export interface ValidateContext extends Omit<ToolchainDeps, "clock"> {
  readonly folder: ToolchainFolder;
  readonly cache: ProbeCache;
  /**
   * The level of the Android platform that the project compiles with, such as 36.1; 36 when absent
   * (FIND-10). `unknown` if a program of the project decides it: then any platform counts.
   */
  readonly compileSdk?: number | "unknown" | undefined;
  /** The build tools that the project's build takes; any that suit its platform when absent. */
  readonly buildTools?: string | undefined;
  /** Folder in which programs are asked; a neutral one if absent. */
  readonly cwd?: string | undefined;
  /** Ends the programs that are asked, unless others wait for them too. */
  readonly signal?: AbortSignal | undefined;
}

/** A candidate that is the tool. */
export interface Validated {
  readonly version?: string;
  /** The tool's folder if that is not the candidate: the one from which its program runs. */
  readonly home?: string;
  /** The reason why it was accepted. */
  readonly reason: string;
}

/** The reason why a candidate is not the tool; the message is a sentence part. */
export interface Rejected extends Failure<"rejected"> {
  /** The editor's own copy is not as it was installed. */
  readonly damaged?: boolean;
  /** Missing parts of an Android SDK that cannot build. */
  readonly lacks?: readonly string[];
  /** Fix other than another copy. */
  readonly remedy?: Remedy;
}

/** Refuses a candidate. */
export function rejected(
  message: string,
  more: Pick<Rejected, "damaged" | "lacks" | "remedy"> = {},
): Result<never, Rejected> {
  return err({ code: "rejected", message, ...more });
}

/** Enough for a JDK's `release` file and an Android `source.properties`, in bytes. */
const MAX_FACT_FILE = 64 * 1024;

/** Reads the text of a small file in a folder; `null` without a readable one. */
export async function factFile(
  folder: string,
  relative: string,
  { files, host, syncStat }: Pick<ValidateContext, "files" | "host" | "syncStat">,
): Promise<string | null> {
  const path = hostPaths(host.platform).join(folder, relative);
  if (syncStat(path).kind !== "file") return null; // a pipe would never end
  try {
    const bytes = await files.read(path, MAX_FACT_FILE);
    return bytes === null ? null : decodeUtf8(bytes);
  } catch {
    return null; // too large or unreadable: unknown
  }
}

/** The program at `relative` in a folder, by any of its extensions; or `null`. */
export function programIn(
  folder: string,
  relative: string,
  { host: { platform }, syncStat }: Pick<ValidateContext, "host" | "syncStat">,
): string | null {
  return programAt(hostPaths(platform).join(folder, relative), {
    platform,
    env: {},
    stat: syncStat,
  });
}

/** Variables that decide which program answers at a path, and whether one does. */
const LOADED_BY = ["PATH", "LD_LIBRARY_PATH", "LD_PRELOAD", "DYLD_LIBRARY_PATH"];

/** Asks a program for its version, once while it stays the same. */
export async function askVersion(
  { beside = "", ...question }: Omit<Probe, "signal"> & {
    /** Further input of the answer. */
    readonly beside?: string;
  },
  context: ValidateContext,
): Promise<Result<Reported, Rejected>> {
  const around = LOADED_BY.map((name) => question.env[name] ?? "");
  try {
    const answer = await context.cache.answer(
      question.path,
      (signal) => probe({ ...question, cwd: context.cwd, signal }, context),
      {
        beside: JSON.stringify([beside, context.cwd, ...around]),
        isBrief: context.cwd !== undefined,
        signal: context.signal,
      },
    );
    return answer.ok ? answer : rejected(answer.error.message);
  } catch (thrown) {
    return rejected(`it cannot be looked at: ${messageOf(thrown)}`);
  }
}

/** Returns the end of a reason: the pinned version, if another one was found. */
export function besidePin(
  version: string,
  pin: (BinaryDescriptor | DirectoryDescriptor)["pin"],
): string {
  if (pin === undefined || !pin.comparable || sameVersion(version, pin.version)) return "";
  return ` (the pinned version is ${pin.version})`;
}
