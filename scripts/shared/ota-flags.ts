import { baseUrlFault } from "../../lib/core/base-url.ts";
import { isBundleName, wantedBundleName } from "../../lib/core/paths.ts";
import { fail, type Failure, ok, type Result } from "../../lib/core/result.ts";
import { decodeKey, DEFAULT_TARGET, type ReleaseTarget } from "../../lib/ota-format/mod.ts";
import type { CommandLine, Flag } from "./command-line.ts";
import { invocation } from "./invocation.ts";

/** Flags that several update scripts share. */
export const TARGET_FLAGS: Readonly<Record<"app" | "channel", Flag>> = {
  app: { kind: "value", doc: `which game the release is for (default: ${DEFAULT_TARGET.app})` },
  channel: { kind: "value", doc: `the release channel (default: ${DEFAULT_TARGET.channel})` },
};

/** Whether players must restart into a release. */
export const MANDATORY_FLAGS: Readonly<Record<"mandatory" | "no-mandatory", Flag>> = {
  mandatory: { kind: "switch", doc: "players must restart into this version" },
  "no-mandatory": { kind: "switch", doc: "players need not restart (default: unchanged)" },
};

/** The value of {@linkcode MANDATORY_FLAGS}; `undefined` for neither. */
export function mandatoryFlag(
  { switches }: CommandLine,
): Result<boolean | undefined, Failure<"usage">> {
  if (switches["mandatory"] && switches["no-mandatory"]) {
    return fail("usage", "--mandatory and --no-mandatory are both given: expected at most one");
  }
  return ok(switches["mandatory"] ? true : switches["no-mandatory"] ? false : undefined);
}

/** Describes whether a release is mandatory, and why. */
export function mandatoryText(
  { mandatory, mandatoryFrom }: { readonly mandatory: boolean; readonly mandatoryFrom?: number },
): string {
  if (!mandatory) return "not mandatory";
  return `mandatory${mandatoryFrom === undefined ? "" : ` (kept from sequence ${mandatoryFrom})`}`;
}

/** The target that a command line names. */
export function readReleaseTarget(
  { values }: CommandLine,
): Result<ReleaseTarget, Failure<"usage">> {
  const target = {
    app: values["app"] ?? DEFAULT_TARGET.app,
    channel: values["channel"] ?? DEFAULT_TARGET.channel,
  };
  for (const [flag, name] of Object.entries(target)) {
    if (!isBundleName(name)) {
      return fail(
        "usage",
        `--${flag} is ${JSON.stringify(name)}: expected ${wantedBundleName(name)}`,
      );
    }
  }
  return ok(target);
}

/** The value of a required flag. */
export function required({ values }: CommandLine, flag: string): Result<string, Failure<"usage">> {
  const value = values[flag];
  return value === undefined || value === ""
    ? fail("usage", `--${flag} is missing: expected a value`, "See --help")
    : ok(value);
}

/** The value of `--name`, which is required. */
export function bundleName(line: CommandLine): Result<string, Failure<"usage">> {
  const name = required(line, "name");
  return name.ok ? checkBundleName(name.value) : name;
}

/** Checks the value of `--name`. */
export function checkBundleName(text: string): Result<string, Failure<"usage">> {
  return isBundleName(text) ? ok(text) : fail(
    "usage",
    `--name is ${JSON.stringify(text)}: expected ${wantedBundleName(text)}`,
  );
}

/** Why flags cannot be used: invalid, or an address that is not safe for players. */
export type FlagFailure = Failure<"usage" | "insecure">;

/** Checks the value of `--base-url`, as the setting `ota.baseUrl` of a project is checked. */
export function checkBaseUrl(text: string): Result<string, FlagFailure> {
  const found = `--base-url is ${JSON.stringify(text)}`;
  switch (baseUrlFault(text)) {
    case null:
      return ok(text);
    case "no-address":
      return fail(
        "usage",
        `${found}: expected https://…, or http://… of this machine, without a query, name or password`,
        "Give the address at which a web server serves the bucket",
      );
    case "insecure":
      return fail(
        "insecure",
        `${found}: expected https://…, or http://… of this machine; apps follow no other`,
        "Serve the bucket over https, and give that address",
      );
  }
}

/** Checks the value of `--public-key`. */
export function checkPublicKey(text: string): Result<string, Failure<"usage">> {
  if (decodeKey(text) !== null) return ok(text);
  const lines = text.split("\n").length;
  const found = lines > 1 ? `found ${lines} lines` : `found ${JSON.stringify(text.slice(0, 80))}`;
  return fail(
    "usage",
    `--public-key is not a key: ${found}, expected 32 bytes in base64url`,
    lines > 1
      ? "Take the key's line alone; with npm run -s, npm writes none of its own into a file"
      : `It is what '${invocation()} keygen' prints`,
  );
}

const UNITS: Readonly<Record<string, number>> = {
  d: 24 * 3_600_000,
  h: 3_600_000,
  m: 60_000,
  s: 1_000,
};

/** The value of a flag as a span of time, in milliseconds: `7d`, `36h`, `90m`, `30s`. */
export function duration(
  { values }: CommandLine,
  flag: string,
  { fallback, unitless }: {
    readonly fallback: string;
    /** The unit of a number without one; `0` needs none. */
    readonly unitless: "d" | "s";
  },
): Result<number, Failure<"usage">> {
  const text = values[flag] ?? fallback;
  const [, amount, unit = unitless] = /^([0-9]{1,6})([dhms])?$/.exec(text) ?? [];
  const ms = Number(amount) * (UNITS[unit] ?? NaN);
  return Number.isFinite(ms)
    ? ok(ms)
    : fail("usage", `--${flag} is ${JSON.stringify(text)}: expected 7d, 36h, 90m or 0`);
}

/** Returns the value of a flag as an integer, or `fallback` if it is not given. */
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
