import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isBundleName } from "../lib/core/paths.ts";
import { fail, type Failure, ok, type Result } from "../lib/core/result.ts";
import { DEFAULT_AUDIENCE, type ReleaseAudience } from "../lib/ota-format/release.ts";
import type { CommandLine, Flag } from "./cli.ts";

/** Flags that several update scripts share. */
export const AUDIENCE_FLAGS: Readonly<Record<"app" | "channel", Flag>> = {
  app: { kind: "value", doc: `which game the release is for (default: ${DEFAULT_AUDIENCE.app})` },
  channel: { kind: "value", doc: `which line of releases (default: ${DEFAULT_AUDIENCE.channel})` },
};

/** The audience that a command line names. */
export function readAudience({ values }: CommandLine): Result<ReleaseAudience, Failure<"usage">> {
  const audience = {
    app: values["app"] ?? DEFAULT_AUDIENCE.app,
    channel: values["channel"] ?? DEFAULT_AUDIENCE.channel,
  };
  for (const [flag, name] of Object.entries(audience)) {
    if (!isBundleName(name)) {
      return fail(
        "usage",
        `--${flag} is ${JSON.stringify(name)}: expected 1 to 64 of a-z, 0-9, '.', '_', '-'`,
      );
    }
  }
  return ok(audience);
}

/** The value of a flag that must be there. */
export function required({ values }: CommandLine, flag: string): Result<string, Failure<"usage">> {
  const value = values[flag];
  return value === undefined || value === ""
    ? fail("usage", `--${flag} is missing: expected a value`, "See --help")
    : ok(value);
}

/** The value of a flag as a whole number, or `fallback` when it is not given. */
export function wholeNumber<T>(
  { values }: CommandLine,
  flag: string,
  { min, fallback }: { readonly min: number; readonly fallback: T },
): Result<number | T, Failure<"usage">> {
  const text = values[flag];
  if (text === undefined) return ok(fallback);
  const value = Number(text);
  return /^[0-9]+$/.test(text) && Number.isSafeInteger(value) && value >= min
    ? ok(value)
    : fail("usage", `--${flag} is ${JSON.stringify(text)}: expected a whole number >= ${min}`);
}

/** Whether a `file:` bucket lies in a folder, which would then publish it with itself. */
export function bucketLiesIn(bucketUrl: string, folder: string): boolean {
  if (!bucketUrl.startsWith("file:///") || !URL.canParse(bucketUrl)) return false;
  const { pathname } = new URL(bucketUrl);
  const bucket = resolve(fileURLToPath(new URL(pathname, "file:///")));
  return `${bucket}/`.startsWith(`${resolve(folder)}/`);
}

/** The repository that `folder` lies in, or `undefined`. */
export function enclosingRepository(folder: string): string | undefined {
  for (let at = resolve(folder);; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (dirname(at) === at) return undefined;
  }
}
