/**
 * Whether two versions are the same: `1.2` is `1.2.0`. A build number (`+10`) counts when both have
 * one; a pre-release (`-rc1`) always does.
 */
export function sameVersion(a: string, b: string): boolean {
  const [left, right] = [versionParts(a), versionParts(b)];
  if (left.preRelease !== right.preRelease) return false;
  if (left.build !== "" && right.build !== "" && left.build !== right.build) return false;
  const length = Math.max(left.numbers.length, right.numbers.length);
  for (let i = 0; i < length; i++) {
    if ((left.numbers[i] ?? "0") !== (right.numbers[i] ?? "0")) return false;
  }
  return true;
}

function versionParts(
  version: string,
): { readonly numbers: readonly string[]; readonly build: string; readonly preRelease: string } {
  const [, numbers = version, preRelease = "", build = ""] =
    /^v?([^+-]*)(?:-([^+]*))?(?:\+(.*))?$/.exec(version) ?? [];
  return { numbers: numbers.split("."), preRelease, build };
}

/** Longer than any version, in characters. */
const MAX_VERSION = 100;

/**
 * Whether a text can be a version. It is shown on terminals and in every status, so control characters and
 * long texts are refused.
 */
export function isVersionText(text: string): boolean {
  return text !== "" && text.length <= MAX_VERSION && !/\p{Cc}/u.test(text);
}

/**
 * The major version of a JDK from any way it is written: `21.0.12.1` and `21-ea` are 21, `1.8.0_402`
 * is 8. @returns `null` when it starts with no number.
 */
export function javaMajor(version: string): number | null {
  const match = /^(?:1\.)?(\d+)/.exec(version.trim());
  return match?.[1] === undefined ? null : Number(match[1]);
}

/**
 * Reads the version in the `release` file of a JDK: with its build number if it has one (`21.0.11+10`),
 * without a distribution's suffix. @returns `null` without a version.
 */
export function parseJavaRelease(text: string): string | null {
  const version = releaseMember(text, "JAVA_VERSION");
  if (version === null || !isVersionText(version)) return null;
  const runtime = releaseMember(text, "JAVA_RUNTIME_VERSION")?.split("-")[0];
  return runtime?.startsWith(version) && isVersionText(runtime) ? runtime : version;
}

/** Whether a `release` file belongs to a complete Java image: those list their modules, or their type. */
export function isImageRelease(text: string): boolean {
  return releaseMember(text, "MODULES") !== null || releaseMember(text, "IMAGE_TYPE") !== null;
}

/** A member of a `release` file, or `null`. */
export function releaseMember(text: string, name: string): string | null {
  return new RegExp(`^${name}="?([^"\\r\\n]+)"?\\s*$`, "m").exec(text)?.[1] ?? null;
}

/** The `Pkg.Revision` of an Android package's `source.properties`. @returns `null` when missing. */
export function parsePackageRevision(text: string): string | null {
  const revision = /^Pkg\.Revision\s*=\s*(\S+)\s*$/m.exec(text)?.[1];
  return revision !== undefined && isVersionText(revision) ? revision : null;
}
