import { encodeUtf8, isWellFormed } from "./bytes.ts";
import { LIMITS } from "./limits.ts";
import { fail, type Failure, ok, type Result } from "./result.ts";

// Rules for every name that becomes a path on a phone (PATH-1 to PATH-13). Swift and Java decide
// the same; vectors/path has cases for and against each.

/** Why a path, or a set of them, is refused. */
export type PathFailureCode =
  | "empty" // PATH-1
  | "absolute" // PATH-2
  | "backslash" // PATH-3
  | "drive-letter" // PATH-4
  | "control-character" // PATH-5
  | "dot-segment" // PATH-6
  | "not-normalized" // PATH-7
  | "too-long" // PATH-8
  | "duplicate" // PATH-9
  | "file-and-folder"; // PATH-10

// PATH-5: C0, DEL and C1. The second range cannot be typed, so no editor shows what it does.
// deno-lint-ignore no-control-regex
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** Creates the refusal of a path: `found` names its fault. */
export function refusePath<Code extends string>(
  path: string,
  code: Code,
  found: string,
): Result<never, Failure<Code>> {
  return fail(
    code,
    `Cannot use path ${JSON.stringify(path.slice(0, 120))}: ${found}`,
    "Rename the file; a path is made of plain names joined by '/'",
  );
}

/** Checks one relative file path against PATH-1 to PATH-8. @returns The path itself. */
export function checkPath(path: string): Result<string, Failure<PathFailureCode>> {
  if (path === "") return refusePath(path, "empty", "it is empty");
  if (path.startsWith("/")) return refusePath(path, "absolute", "it starts with '/'");
  if (path.includes("\\")) return refusePath(path, "backslash", "it has a backslash");
  if (/^[A-Za-z]:/.test(path)) {
    return refusePath(path, "drive-letter", "it starts with a drive letter");
  }
  if (CONTROL.test(path)) {
    return refusePath(path, "control-character", "it has a control character");
  }
  if (!isWellFormed(path)) return refusePath(path, "not-normalized", "it has a lone surrogate");
  if (path.normalize("NFC") !== path) return refusePath(path, "not-normalized", "it is not in NFC");
  if (encodeUtf8(path).length > LIMITS.pathBytes) {
    return refusePath(path, "too-long", `it is longer than ${LIMITS.pathBytes} UTF-8 bytes`);
  }
  for (const segment of path.split("/")) {
    if (segment === "") return refusePath(path, "empty", "it has an empty segment");
    if (segment === "." || segment === "..") {
      return refusePath(path, "dot-segment", `it has a '${segment}' segment`);
    }
    if (/^[A-Za-z]:$/.test(segment)) {
      return refusePath(path, "drive-letter", `it has the drive letter '${segment}' as a segment`);
    }
    if (encodeUtf8(segment).length > LIMITS.segmentBytes) {
      return refusePath(
        path,
        "too-long",
        `a segment is longer than ${LIMITS.segmentBytes} UTF-8 bytes`,
      );
    }
  }
  return ok(path);
}

/** Folds A–Z to a–z and nothing else: the only folding that every language does alike. */
export function foldAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/**
 * Checks every path, and that together they can lie in one folder of a case-insensitive file
 * system: no two equal after {@linkcode foldAscii} (PATH-9), no file that is also a folder (PATH-10).
 *
 * @param fold The folding to compare by; the publisher also passes `toLowerCase`.
 */
export function checkPathSet(
  paths: readonly string[],
  fold: (path: string) => string = foldAscii,
): Result<null, Failure<PathFailureCode>> {
  const files = new Map<string, string>();
  for (const path of paths) {
    const checked = checkPath(path);
    if (!checked.ok) return checked;
    const folded = fold(path);
    const other = files.get(folded);
    if (other !== undefined) {
      return refusePath(
        path,
        "duplicate",
        `${JSON.stringify(other)} is the same file where case is ignored`,
      );
    }
    files.set(folded, path);
  }
  for (const [folded, path] of files) {
    for (let slash = folded.indexOf("/"); slash >= 0; slash = folded.indexOf("/", slash + 1)) {
      const file = files.get(folded.slice(0, slash));
      if (file !== undefined) {
        return refusePath(path, "file-and-folder", `${JSON.stringify(file)} is a file`);
      }
    }
  }
  return ok(null);
}

const BUNDLE_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const DEVICE_FILE = /\.(json|tmp)$/;
const VERSION = /^v[1-9][0-9]*$/;

/**
 * Returns whether `name` may name a bundle, an app or a channel (PATH-11): a bundle's folder is
 * beside the device's own files, so it must not have the name of one (PATH-13).
 */
export function isBundleName(name: string): boolean {
  return BUNDLE_NAME.test(name) && !DEVICE_FILE.test(name);
}

/** Expected form of a bundle, app or channel name, as refusals state it. */
export function wantedBundleName(name: string): string {
  return BUNDLE_NAME.test(name)
    ? "another name: what ends in .json or .tmp is reserved for the device's own files"
    : "1 to 64 of a-z, 0-9, '.', '_', '-', beginning with a letter or digit";
}

/** Whether `version` is `v<N>` with N ≥ 1, and short enough for a path segment (PATH-12). */
export function isVersion(version: string): boolean {
  return version.length <= LIMITS.segmentBytes && VERSION.test(version);
}

/** The N of a version `v<N>`, of any length. @param version Must be a version. */
export function versionNumber(version: string): bigint {
  return BigInt(version.slice(1));
}
