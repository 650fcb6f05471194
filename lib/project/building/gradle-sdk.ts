import { decodeUtf8 } from "../../core/bytes.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { attempt } from "../../core/attempt.ts";
import { readInside } from "../../editor/files/mod.ts";
import type { Files } from "../../ports/files.ts";

/** File that Android Studio writes for one machine. */
export const LOCAL_PROPERTIES = "android/local.properties";

/** More than the file has, in bytes. */
const MAX_PROPERTIES = 64 * 1024;

/**
 * Whether Gradle will find an SDK: `sdk.dir` of `android/local.properties`, which Android Studio writes
 * for one machine alone, counts before ANDROID_HOME, whatever that names.
 *
 * @returns 422 `sdk-dir-missing` where nothing is at the folder that it names.
 */
export async function checkGradleSdk(files: Files, root: string): Promise<Result<null, Problem>> {
  const read = await attempt(() =>
    readInside(files, root, { path: LOCAL_PROPERTIES, maxBytes: MAX_PROPERTIES })
  );
  const bytes = read.ok && read.value !== null && read.value !== "outside"
    ? read.value.bytes
    : null;
  const text = bytes === null ? null : decodeUtf8(bytes);
  const named = text === null ? undefined : /^[ \t]*sdk\.dir[ \t]*[=:][ \t]*(.+)$/m.exec(text)?.[1];
  const folder = named?.trimEnd().replace(/\\(.)/g, "$1");
  // A relative one is Gradle's to resolve, and asking for one of a network would log in there.
  if (folder === undefined || !/^(?:\/(?!\/)|[A-Za-z]:[\\/])/.test(folder)) return ok(null);
  const found = await attempt(() => files.realPath(folder));
  if (!found.ok || found.value !== null) return ok(null);
  return refuse(
    422,
    "sdk-dir-missing",
    `Cannot build android: ${LOCAL_PROPERTIES} names sdk.dir=${folder}, and nothing is there; ` +
      "Gradle takes it before any other SDK",
    `Remove the line sdk.dir from ${LOCAL_PROPERTIES}, then build again: Gradle gets the SDK that was found`,
  );
}
