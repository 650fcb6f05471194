import { isBundleName, isVersion, wantedBundleName } from "../../core/paths.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";

// Every value of a publish that callers choose must have the form of its kind (PUB-13). Slipway
// never uses a shell; the rule protects people who copy a value into one.

/** The longest value that is looked at, in characters. */
const MAX_LENGTH = 4_096;
/** The letters of a URL that no shell gives a meaning to within quotes; no user name, no `..`. */
const BUCKET =
  /^(?:file:\/\/\/|s3:\/\/[A-Za-z0-9]|gs:\/\/[A-Za-z0-9])(?!.*(?:^|[/=])\.\.(?:[/?&]|$))[A-Za-z0-9._~/:?=&%+,-]*$/;
/** A folder of another machine, however its slashes are written. */
const NETWORK_FOLDER = /^file:\/\/\/(?:\/|%2f|%5c)/i;
const KEY_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/**
 * Whether a text can be a bucket's URL: `file:///…` on this machine, `s3://…` or `gs://…`, of safe
 * characters.
 */
export function isSafeBucket(text: string): boolean {
  return text.length <= MAX_LENGTH && BUCKET.test(text) && !NETWORK_FOLDER.test(text);
}

/** Whether a text can be the name of a signing key. */
export function isSafeKeyName(text: string): boolean {
  return KEY_NAME.test(text);
}

const RULES = {
  bundle: { accepts: isBundleName, expected: wantedBundleName },
  version: { accepts: isVersion, expected: () => "v1, v2, v3, …" },
  bucket: {
    accepts: isSafeBucket,
    expected: () => "file:///…, s3://… or gs://… of letters, digits and ._~/:?=&%+,-",
  },
  keyName: { accepts: isSafeKeyName, expected: () => "1 to 64 letters, digits, '.', '_', '-'" },
} as const;

/** Checks one value that a caller chose. @returns 400 `unsafe-value` naming it. */
export function checkValue(
  name: keyof typeof RULES,
  value: string,
): Result<string, Problem> {
  const { accepts, expected } = RULES[name];
  return accepts(value) ? ok(value) : refuse(
    400,
    "unsafe-value",
    `Cannot use ${name} ${JSON.stringify(value.slice(0, 80))}: expected ${expected(value)}`,
    `Correct ${name} and call again`,
  );
}
